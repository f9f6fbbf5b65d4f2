import { type DynamoDBClient, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { createLapidary, type LeaderboardOptions } from 'lapidary'
import { intercepted } from 'lapidary-testing'
import { expect, test } from 'vitest'
import {
  createTestClient,
  createTestStreams,
  dropTables,
  testEngines,
  uniqueTableName,
} from '../../../../test/engines/index.ts'
import { checkedBoard } from '../../src/model/leaderboard.ts'
import { counted } from './orders.ts'

const [engine] = testEngines()
if (engine === undefined) throw new Error('there is no engine')
const BATCH = 25

interface Keeping {
  readonly sums?: readonly string[]
  readonly board?: LeaderboardOptions
}

/** The units that counting takes, of 25 orders that are made and then of 25 whose amounts change, all by one customer or each by another. */
async function unitsOf({ sums = [], board }: Keeping, customers: number) {
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
      collections: { orders: { ...counted, sums, leaderboards } as typeof counted },
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
  return /^~(counts|leaders)\./.test(Put?.Item?.PK?.S ?? '')
}

test.each([1, BATCH])(
  'sums cost no unit more than counts, of a batch by %i customers',
  async (customers) => {
    const today = await unitsOf({}, customers)
    expect(today.made).toBeGreaterThan(0)
    expect((await unitsOf({ sums: ['amount'] }, customers)).made).toBe(today.made)
    const two = await unitsOf({ sums: ['amount', 'points'] }, customers)
    expect(two.made).toBe(today.made)
    console.info(`${customers} customers: counts ${JSON.stringify(today)}, two sums ${JSON.stringify(two)}`)
  },
  300_000,
)

test.each([1, BATCH])(
  'a board by a sum or an average costs what one by the count does, of a batch by %i customers',
  async (customers) => {
    const byCount = await unitsOf({ board: {} }, customers)
    for (const board of [{ sum: 'amount' }, { average: 'amount' }] as const) {
      const units = await unitsOf({ board }, customers)
      console.info(
        `${customers} customers: a board by the count ${JSON.stringify(byCount)}, by ${Object.keys(board)[0]} ${JSON.stringify(units)}`,
      )
      expect(units.made).toBe(byCount.made)
    }
  },
  300_000,
)
