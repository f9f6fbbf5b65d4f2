import { anyOf, type Collection, defineCollection, type IndexDeclaration, oneOf } from 'lapidary'
import { schemaOf } from '../comments-fixture.ts'

/** A type, not an interface, so that it passes for an item of any attributes. */
export type Order = {
  readonly id: string
  readonly customer: string
  readonly at: string
  readonly status: 'NEW' | 'SENT'
  readonly channel?: string
  readonly note: string
}

const base = {
  name: 'ORDER',
  schema: schemaOf<Order>(),
  id: 'id',
  scope: { name: 'CUSTOMER', attribute: 'customer' },
  order: 'at',
} as const
const status = anyOf(['NEW', 'SENT'])

/** As the shop began. */
export const orders = defineCollection({ ...base, facets: { status }, indexes: { all: {} } })

/** Orders with an index on a facet that existed. */
export const ordersByStatus = defineCollection({
  ...base,
  facets: { status },
  indexes: { all: {}, byStatus: { partition: ['status'] } },
})

/** Orders with a facet that no order had. */
export const ordersByChannel = defineCollection({
  ...base,
  facets: { status, channel: oneOf(['web', 'shop']) },
  indexes: { all: {}, byChannel: { partition: ['channel'] } },
})

/** Orders with other indexes. */
export function ordersWith(
  indexes: Readonly<Record<string, IndexDeclaration<'status'>>>,
): Collection<Order, { status: typeof status }> {
  return defineCollection({ ...base, facets: { status }, indexes })
}

/** Order number i of customer c1: half of them are sent. */
export function order(i: number, given: Partial<Order> = {}): Order {
  const at = new Date(Date.UTC(2024, 0, 1) + i * 60_000).toISOString()
  return { id: String(1000 + i), customer: 'c1', at, status: i % 2 === 0 ? 'NEW' : 'SENT', note: 'a note', ...given }
}
