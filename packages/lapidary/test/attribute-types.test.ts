import { defineCollection } from 'lapidary'
import { expect, test } from 'vitest'
import { schemaOf } from './comments-fixture.ts'

type Ticket = {
  readonly id: string
  readonly tenant: string
  readonly urgent: boolean
  readonly priority: number
  readonly openedAt: Date
  readonly note?: string
  readonly attempts: number
  readonly changedAt: string | null
}

const ticketBase = {
  name: 'TICKET',
  schema: schemaOf<Ticket>(),
  id: 'id',
  scope: { name: 'TENANT', attribute: 'tenant' },
} as const

/** Only compiled: what the library keeps, or goes by, has a type of its own. */
export function refusedAttributes(): readonly unknown[] {
  const ticket = { ...ticketBase, facets: {}, order: { attribute: 'priority', type: 'number' } } as const
  return [
    defineCollection({ ...ticket, version: 'attempts', updatedAt: 'changedAt', expires: 'note' }),
    // @ts-expect-error an id that is a number
    defineCollection({ ...ticket, id: 'priority' }),
    // @ts-expect-error an id that items may lack
    defineCollection({ ...ticket, id: 'note' }),
    // @ts-expect-error a scope that is a number
    defineCollection({ ...ticket, scope: { name: 'PRIORITY', attribute: 'priority' } }),
    // @ts-expect-error a version that is a text
    defineCollection({ ...ticket, version: 'note' }),
    // @ts-expect-error a version that is a boolean
    defineCollection({ ...ticket, version: 'urgent' }),
    // @ts-expect-error a time of the last change that is a number
    defineCollection({ ...ticket, updatedAt: 'priority' }),
    // @ts-expect-error a time of the last change that is a Date, which no item can hold
    defineCollection({ ...ticket, updatedAt: 'openedAt' }),
    // @ts-expect-error an expiry that is a boolean
    defineCollection({ ...ticket, expires: 'urgent' }),
    // @ts-expect-error an expiry that is a number
    defineCollection({ ...ticket, expires: 'priority' }),
    // @ts-expect-error an order by the time that a boolean is not
    defineCollection({ ...ticket, order: 'urgent' }),
    // @ts-expect-error an order by the number that a boolean is not
    defineCollection({ ...ticket, order: { attribute: 'urgent', type: 'number' } }),
    // @ts-expect-error the same of a further order
    defineCollection({ ...ticket, orders: { urgent: { attribute: 'urgent', type: 'string', optional: true } } }),
  ]
}

test('a declaration of the right types is taken', () => {
  expect(refusedAttributes()[0]).toMatchObject({ version: 'attempts', updatedAt: 'changedAt', expires: 'note' })
})
