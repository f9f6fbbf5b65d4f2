import { anyOf, createLapidary, defineCollection, eachOf, type Lapidary, oneOf } from 'lapidary'
import { vi } from 'vitest'
import { createTestClient, dropTables, type TestEngine, uniqueTableName } from '../../../../test/engines/index.ts'
import { PATIENCE } from '../../../../test/engines/patience.ts'
import { schemaOf } from '../comments-fixture.ts'
import { AWKWARD_DECIMALS, sumOfDecimals } from '../decimal-units.ts'

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

export const plain = {
  name: 'ORDER',
  schema: schemaOf<Order>(),
  id: 'id',
  scope: { name: 'CUSTOMER', attribute: 'customer' },
  order: 'at',
  facets: { channel: oneOf(), status: anyOf(STATUSES), tags: eachOf(['gift', 'rush']) },
  indexes: { all: {} },
  numbers: { amount: 'decimal', points: 'bigint' },
} as const

/** A zone whose days begin at 22:00 or 23:00 UTC. */
export const ZONE = 'Europe/Berlin'

export const orders = defineCollection({
  ...plain,
  sums: ['amount', 'units', 'points'],
  statistics: { across: 3, days: { zone: ZONE } },
  leaderboards: {
    'by-revenue': { sum: 'amount' },
    'by-paid': { sum: 'amount', where: { status: ['PAID', 'SENT'] }, shards: 2 },
    'by-average': { average: 'amount', atLeast: 3 },
    'by-units': { sum: 'units' },
    'by-orders': {},
  },
})

/** The same orders, counted and not summed. */
export const counted = defineCollection(plain)

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

export const CUSTOMERS = ['a', 'b#/.', 'c'] as const
export const CHANNELS = ['web', 'shop.2', 'total'] as const

/** From midnight in winter, over a change of the clocks: days of 23 hours too. */
const FIRST = Date.parse('2024-02-24T23:00:00.000Z')
const QUARTER_OF_A_DAY = 6 * 3_600_000

/** Creates, changes, moves and deletes orders by chance; what is left at the end. */
export async function writeOrders({ orders }: Orders, random: () => number, writes: number): Promise<readonly Order[]> {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const amount = (): string | null | undefined => (random() < 0.2 ? pick([null, undefined]) : pick(AWKWARD_DECIMALS))
  const held = new Map<string, Order>()
  for (let i = 0; i < writes; i++) {
    const id = pick([...held.keys(), `o${i}`, `o${i}`])
    const before = held.get(id)
    const chance = random()
    if (before === undefined) {
      const at = new Date(
        FIRST + Math.floor(random() * 400) * QUARTER_OF_A_DAY + (random() < 0.5 ? 0 : -1),
      ).toISOString()
      const drawn = { customer: pick(CUSTOMERS), channel: pick(CHANNELS), status: pick(STATUSES), amount: amount(), at }
      const tags = pick([undefined, ['gift'], ['gift', 'rush']])
      const units = pick([undefined, 1, 2.5])
      held.set(id, await orders.create({ id, ...drawn, tags, units, points: 9_007_199_254_740_993n }))
    } else if (chance < 0.25) {
      await orders.delete(id)
      held.delete(id)
    } else {
      const changes: Partial<Order>[] = [
        { amount: amount() },
        { customer: pick(CUSTOMERS) },
        { status: pick(STATUSES) },
        { channel: pick(CHANNELS) },
        { tags: ['rush'] },
        { at: new Date(FIRST).toISOString() },
      ]
      held.set(id, await orders.patch(id, pick(changes)))
    }
  }
  return [...held.values()]
}

export async function untilCounted({ stream, orders }: Orders, held: readonly Order[]): Promise<void> {
  await stream.catchUp()
  for (const scope of CUSTOMERS) {
    const total = held.filter(({ customer }) => customer === scope).length
    // Counts of a moment ago are remembered.
    await vi.waitUntil(async () => (await orders.count({ scope })).total === total, PATIENCE)
  }
}

/** The sums of some orders, by hand. */
export function amountsOf(held: readonly Order[]): { readonly sum: string; readonly count: number } {
  const amounts = held.flatMap(({ amount }) => amount ?? [])
  return { sum: sumOfDecimals(amounts), count: amounts.length }
}
