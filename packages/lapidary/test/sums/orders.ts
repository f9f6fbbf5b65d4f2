import { anyOf, createLapidary, defineCollection, eachOf, type Lapidary, oneOf } from 'lapidary'
import { createTestClient, dropTables, type TestEngine, uniqueTableName } from '../../../../test/engines/index.ts'
import { schemaOf } from '../comments-fixture.ts'
import { sumOfDecimals } from '../decimal-units.ts'

/** A type, not an interface, so that it passes for an item of any attributes. */
export type Order = {
  readonly id: string
  readonly customer: string
  readonly channel: string
  readonly status: 'OPEN' | 'PAID' | 'SENT'
  readonly tags?: readonly string[] | undefined
  readonly at: string
  /** A decimal number; of an order that is not priced yet there is none. */
  readonly amount?: string | null | undefined
  readonly units?: number | undefined
  readonly points?: bigint | undefined
}

export const STATUSES = ['OPEN', 'PAID', 'SENT'] as const

export const orders = defineCollection({
  name: 'ORDER',
  schema: schemaOf<Order>(),
  id: 'id',
  scope: { name: 'CUSTOMER', attribute: 'customer' },
  order: 'at',
  facets: { channel: oneOf(), status: anyOf(STATUSES), tags: eachOf(['gift', 'rush']) },
  indexes: { all: {} },
  numbers: { amount: 'decimal', points: 'bigint' },
  sums: ['amount', 'units', 'points'],
  leaderboards: {
    'by-revenue': { sum: 'amount' },
    'by-paid': { sum: 'amount', where: { status: ['PAID', 'SENT'] }, shards: 2 },
    'by-average': { average: 'amount', atLeast: 3 },
    'by-units': { sum: 'units' },
    'by-orders': {},
  },
})

/** The same orders, counted and not summed. */
export const counted = defineCollection({
  name: 'ORDER',
  schema: schemaOf<Order>(),
  id: 'id',
  scope: { name: 'CUSTOMER', attribute: 'customer' },
  order: 'at',
  facets: { channel: oneOf(), status: anyOf(STATUSES), tags: eachOf(['gift', 'rush']) },
  indexes: { all: {} },
  numbers: { amount: 'decimal', points: 'bigint' },
})

export type Orders = Lapidary<{ readonly orders: typeof orders }>

export interface OrderTable extends AsyncDisposable {
  readonly client: ReturnType<typeof createTestClient>
  readonly tableName: string
  readonly lapidary: Orders
}

export async function openOrders(engine: TestEngine): Promise<OrderTable> {
  const client = createTestClient(engine)
  const tableName = uniqueTableName()
  const lapidary = createLapidary({
    ...{ client, tableName, collections: { orders }, cursorSecret: 'a secret of the tests' },
    derived: { counts: true },
    stream: { immediate: true },
  })
  await lapidary.table.create()
  return {
    ...{ client, tableName, lapidary },
    async [Symbol.asyncDispose]() {
      await dropTables(client, [tableName])
      client.destroy()
    },
  }
}

/** The sums of some orders, by hand. */
export function amountsOf(held: readonly Order[]): { readonly sum: string; readonly count: number } {
  const amounts = held.flatMap(({ amount }) => amount ?? [])
  return { sum: sumOfDecimals(amounts), count: amounts.length }
}
