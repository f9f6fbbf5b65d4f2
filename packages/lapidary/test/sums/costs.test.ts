import { type DynamoDBClient, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { createLapidary, type LeaderboardOptions } from 'lapidary'
import { intercepted } from 'lapidary-testing'
import { describe, expect, test } from 'vitest'
import {
  createTestClient,
  createTestStreams,
  dropTables,
  testEngines,
  uniqueTableName,
} from '../../../../test/engines/index.ts'
import { checkedBoard } from '../../src/model/leaderboard.ts'
import { declaredStatistics, type StatisticsOptions } from '../../src/model/statistics-declaration.ts'
import { counted } from './orders.ts'

const [engine] = testEngines()
if (engine === undefined) throw new Error('there is no engine')
const BATCH = 25

interface Keeping {
  readonly sums?: readonly string[]
  readonly board?: LeaderboardOptions
  readonly statistics?: StatisticsOptions
}

/** The units that counting takes, of 25 orders that are made and then of 25 whose amounts change, all by one customer or each by another. */
async function unitsOf({ sums = [], board, statistics }: Keeping, customers: number) {
  const plain = createTestClient(engine as NonNullable<typeof engine>)
  const streams = createTestStreams(engine as NonNullable<typeof engine>)
  const tableName = uniqueTableName()
  let units = 0
  const client = intercepted<DynamoDBClient>(plain, async (command, send) => {
    const answer = (await send(command)) as { readonly ConsumedCapacity?: readonly { CapacityUnits?: number }[] }
    const { input } = command as TransactWriteItemsCommand
    const isCounting = command instanceof TransactWriteItemsCommand && (input.TransactItems ?? []).some(isDerived)
    if (isCounting)
      units += answer.ConsumedCapacity?.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0) ?? 0
    return answer as never
  })
  const leaderboards = board === undefined ? [] : [checkedBoard('top', board, counted)]
  const lapidary = createLapidary({
    ...{ client, tableName, cursorSecret: 'a secret of the tests', derived: { counts: true } },
    ...{
      collections: {
        orders: {
          ...counted,
          sums,
          leaderboards,
          statistics: declaredStatistics(statistics, counted.order),
        } as typeof counted,
      },
      stream: { immediate: true, client: streams },
    },
  })
  await lapidary.table.create()
  try {
    const ids = Array.from({ length: BATCH }, (_, i) => `o${i}`)
    const order = { channel: 'web', status: 'OPEN', points: 1n } as const
    for (const [i, id] of ids.entries())
      await lapidary.orders.create({ ...order, id, customer: `c${i % customers}`, amount: `${i}.99` })
    await lapidary.stream.catchUp()
    const made = units
    for (const [i, id] of ids.entries()) await lapidary.orders.patch(id, { amount: `1${i}.98` })
    await lapidary.stream.catchUp()
    return { made, changed: units - made }
  } finally {
    streams.destroy()
    await dropTables(plain, [tableName])
  }
}

function isDerived({ Put }: NonNullable<TransactWriteItemsCommand['input']['TransactItems']>[number]): boolean {
  return /^~(counts|counts-across|counts-by-day|leaders)\./.test(Put?.Item?.PK?.S ?? '')
}

// Most of each is waiting.
describe.concurrent('the units of a batch of 25', () => {
  test.each([1, BATCH])(
    'by %i customers: sums cost no unit more than counts',
    async (customers) => {
      const [today, one, two] = await Promise.all([
        unitsOf({}, customers),
        unitsOf({ sums: ['amount'] }, customers),
        unitsOf({ sums: ['amount', 'points'] }, customers),
      ])
      console.info(`${customers} customers: counts ${JSON.stringify(today)}, two sums ${JSON.stringify(two)}`)
      expect(today.made).toBeGreaterThan(0)
      expect([one.made, two.made]).toEqual([today.made, today.made])
    },
    300_000,
  )

  test.each([1, BATCH])(
    'by %i customers: a board by a sum or an average costs what one by the count does',
    async (customers) => {
      const [byCount, bySum, byAverage] = await Promise.all([
        unitsOf({ board: {} }, customers),
        unitsOf({ board: { sum: 'amount' } }, customers),
        unitsOf({ board: { average: 'amount' } }, customers),
      ])
      console.info(
        `${customers} customers: a board by the count ${JSON.stringify(byCount)}, by a sum ${JSON.stringify(bySum)}`,
      )
      expect([bySum.made, byAverage.made]).toEqual([byCount.made, byCount.made])
    },
    300_000,
  )

  test.each([1, 5, BATCH])(
    'by %i customers: days cost an item a scope and day, and all scopes one for each channel',
    async (customers) => {
      const [today, byDay, across] = await Promise.all([
        unitsOf({}, customers),
        unitsOf({ statistics: { days: true } }, customers),
        unitsOf({ statistics: { across: 1 } }, customers),
      ])
      console.info(`${customers} customers: counts ${today.made}, by day ${byDay.made}, of all scopes ${across.made}`)
      expect(byDay.made).toBeLessThanOrEqual(1.5 * today.made)
      // One for all and one for the channel, however many customers there are.
      expect(across.made).toBe(today.made + 4)
    },
    300_000,
  )
})
