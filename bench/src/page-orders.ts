import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { anyOf, type Change, createLapidary, defineCollection, eachOf, segments, tableFor } from 'lapidary'
import { createTableInput } from 'lapidary/schema'
import { openEngine } from 'lapidary-engine'
import { z } from 'zod'
import type { BenchContext } from './bench.ts'
import { mean, rounded } from './measure.ts'
import { countTreeUnits } from './page-changes.ts'
import type { Random } from './random.ts'
import type { Report } from './report.ts'

const SIZES = [1_000, 10_000]
const QUICK_SIZES = [1_000]
const LOOK_UPS = 200
const CHANGES = 250
const BATCH = 25
const AT_ONCE = 10_000
const TAGS = Array.from({ length: 12 }, (_, i) => `tag-${i}`)
const CUSTOMER = 'c1'

const orders = defineCollection({
  name: 'ORDER',
  schema: z.object({
    ...{ id: z.string(), customerId: z.string(), placedAt: z.string(), amount: z.number() },
    ...{ status: z.enum(['OPEN', 'SENT']), tags: z.array(z.string()) },
  }),
  id: 'id',
  scope: { name: 'CUSTOMER', attribute: 'customerId' },
  order: 'placedAt',
  orders: { amount: { attribute: 'amount', type: 'number' } },
  facets: { status: anyOf(['OPEN', 'SENT']), tags: eachOf() },
  indexes: { byDate: {}, byAmount: { order: 'amount' }, all: { across: 1 } },
  pages: [{ order: 'amount' }, { facet: 'tags' }, { across: true }],
})
type Order = Parameters<ReturnType<typeof opened>['orders']['create']>[0] & { readonly id: string }

const opened = (client: DynamoDBClient) =>
  createLapidary({
    ...{ client, tableName: 'orders', collections: { orders } },
    ...{ cursorSecret: 'a secret that only the bench knows', derived: { pages: segments() } },
  })

/** What page indexes of another order, of tags and of all scopes take beside the one of a scope: a look-up, and each kind of change. */
export async function pageOrders({ random, quick }: BenchContext): Promise<Report> {
  const rows = []
  for (const size of quick ? QUICK_SIZES : SIZES) rows.push(...(await measure(size, random)))
  return {
    tables: [
      {
        title: `Page indexes of one customer's orders, three of 12 tags each: a look-up of a place anywhere, and write units of a change, in batches of ${BATCH}`,
        columns: [
          ...['orders', 'page index', 'look-up, RCU', 'rounds', 'a new order', 'another amount'],
          ...['another status', 'another tag'],
        ],
        rows,
      },
    ],
    targets: [],
    figures: rows,
  }
}

async function measure(size: number, random: Random): Promise<(string | number)[][]> {
  const engine = await openEngine()
  const client = new DynamoDBClient(engine.clientConfig)
  try {
    const { StreamSpecification: _, ...table } = createTableInput(
      tableFor({ tableName: 'orders', collections: { orders } }),
    )
    await client.send(new CreateTableCommand(table))
    const { pages, codec } = opened(client).orders.context
    const imageOf = (order: Order): NonNullable<Change['after']> => ({
      ...codec.toEntry(order),
      ...{ PK: { S: `ORDER#${order.id}` }, SK: { S: '~' } },
    })
    const stored = Array.from({ length: size }, (_, i) => orderAt(i, random))
    const written = countTreeUnits(client)
    const rows: (string | number)[][] = []
    for (const index of pages) {
      const entries = stored.flatMap((order) => index.entriesOf(imageOf(order)))
      const filling = await index.lists.fill()
      for (let i = 0; i < entries.length; i += AT_ONCE) await filling.add(entries.slice(i, i + AT_ONCE))
      await filling.finish()
      const { group = '' } = entries[0] ?? {}
      const total = entries.filter((entry) => entry.group === group).length
      const looked: { readonly rcu: number; readonly rounds: number }[] = []
      for (let i = 0; i < LOOK_UPS; i++) {
        const offset = Math.floor(random() * total)
        const bounds = { lower: undefined, upper: undefined }
        looked.push(
          await index.lists.select({ groups: [group], includes: () => true, ...bounds, ascending: false, offset }),
        )
      }
      const unitsOf = async (
        shardId: string,
        change: (i: number) => Pick<Change, 'before' | 'after'>,
      ): Promise<number> => {
        const before = written.units
        for (let i = 0; i < CHANGES; i += BATCH) {
          const batch = Array.from({ length: BATCH }, (_, j): Change => {
            const key = { PK: 'ORDER#', SK: '~' }
            return { key, sequenceNumber: String(1e9 + i + j), at: 0, ...change(i + j) }
          })
          await index.projection.apply?.(batch, { shardId })
        }
        return rounded((written.units - before) / CHANGES, 2)
      }
      // Each is of orders of its own, which are as they were stored.
      const edit =
        (kind: number, of: (order: Order) => Partial<Order>) =>
        (i: number): Pick<Change, 'before' | 'after'> => {
          const order = stored[((kind * CHANGES + i) * 7919) % size] as Order
          return { before: imageOf(order), after: imageOf({ ...order, ...of(order) }) }
        }
      rows.push([
        ...[size, index.label ?? 'of a scope, in the default order'],
        ...[rounded(mean(looked.map(({ rcu }) => rcu)), 1), Math.max(...looked.map(({ rounds }) => rounds))],
        await unitsOf('new', (i) => ({ before: undefined, after: imageOf(orderAt(size + i, random)) })),
        await unitsOf(
          'amount',
          edit(0, () => ({ amount: amountOf(random) })),
        ),
        await unitsOf(
          'status',
          edit(1, ({ status }) => ({ status: status === 'OPEN' ? 'SENT' : 'OPEN' })),
        ),
        await unitsOf(
          'tags',
          edit(2, ({ tags: [, ...tags] }) => ({ tags: [...tags, 'tag-new'] })),
        ),
      ])
    }
    return rows
  } finally {
    client.destroy()
    await engine.close()
  }
}

function amountOf(random: Random): number {
  return Math.round(random() * 50_000) / 100
}

function orderAt(i: number, random: Random): Order {
  const first = Math.floor(random() * TAGS.length)
  return {
    ...{ id: `o${String(i).padStart(9, '0')}`, customerId: CUSTOMER, status: i % 3 === 0 ? 'OPEN' : 'SENT' },
    placedAt: new Date(Date.UTC(2024, 0, 1) + i * 60_000).toISOString(),
    amount: amountOf(random),
    tags: [0, 1, 2].map((j) => TAGS[(first + j) % TAGS.length] ?? ''),
  }
}
