import { anyOf, type Collection, defineCollection, eachOf, type Item, segments } from 'lapidary'
import { seededRandom } from 'lapidary-testing'
import { expect, test } from 'vitest'
import { anySchema } from '../../../bench/src/adviser/any-schema.ts'
import { measuredPages } from '../../../bench/src/adviser/measured-pages.ts'
import { createTestClient, testEngines } from '../../../test/engines/index.ts'

const TAGS = ['login', 'slow', 'vip', 'billing']

test.each([
  ['an order', [{ order: 'amount' }], 1],
  ['an order', [{ order: 'amount' }], 12],
  ['a facet of several values', [{ facet: 'tags' }], 1],
  ['a facet of several values', [{ facet: 'tags' }], 12],
] as const)(
  'what the page indexes of %s take is expected, of %j with %i changes together',
  async (_, pages, together) => {
    const random = seededRandom(7)
    const collection = defineCollection({
      ...{ name: 'THING', schema: anySchema, id: 'id', scope: { name: 'PARENT', attribute: 'parent' }, order: 'at' },
      orders: { amount: { attribute: 'amount', type: 'number' } },
      facets: { status: anyOf(['open', 'closed']), tags: eachOf() },
      indexes: { all: {}, byTag: { partition: ['tags'] }, byAmount: { order: 'amount' } },
      pages,
    }) as unknown as Collection
    const item = (number: number, parent: string): Item => ({
      ...{ id: `01JXB0QR1RYGA95JZ7Q6P${String(number).padStart(5, '0')}`, parent },
      at: new Date(Date.UTC(2026, 0, 1) + number * 1000).toISOString(),
      amount: Math.round(1e9 * random()),
      status: random() < 0.3 ? 'open' : 'closed',
      tags: TAGS.filter((_tag, i) => random() < 0.6 / (i + 1)),
    })
    const otherValue = (_name: string, value: unknown) => (value === 'open' ? 'closed' : 'open')
    const [embedded] = testEngines()
    const client = createTestClient(embedded as NonNullable<typeof embedded>)
    const load = { store: segments(), name: 'dynamodb', items: 600, together } as const
    const writes = { create: 0.6, delete: 0.15, edit: { status: 0.25 } }
    const made = { collection, item, otherValue }
    const { expected, unitsPerWrite } = await measuredPages(
      { client, isEmbedded: true },
      made,
      { ...load, writes },
      random,
    )
    expect(Math.abs(expected.unitsPerWrite / unitsPerWrite - 1)).toBeLessThan(0.1)
  },
)
