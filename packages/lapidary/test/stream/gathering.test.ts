import { type DynamoDBClient, PutItemCommand, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { intercepted } from 'lapidary/testing'
import { expect, test } from 'vitest'
import type { Change } from '../../src/derived/change.ts'
import { keyEntry } from '../../src/derived/guarded-write.ts'
import type { Lane } from '../../src/stream/batch.ts'
import { checkpointKey, readCheckpoint } from '../../src/stream/checkpoint.ts'
import { createGathering, type Gathering } from '../../src/stream/gathering.ts'
import { createRunner } from '../../src/stream/runner.ts'
import { tableThrough } from './fault-run.ts'
import { countsOf, scan } from './recount.ts'
import { reviewEntry, reviewKey, reviewProjections } from './reviews.ts'
import { openTestTable, type TestTable } from './test-table.ts'

const OWNER = 'this process'
const SHARDS = 16

interface Setting {
  readonly gathering: Gathering
  /** Items of each transaction, and whether it was refused. */
  readonly transactions: { readonly items: number; readonly refused: boolean }[]
  /** Counts a change of each lane, all at once; tells why a lane failed. */
  count(lanes: readonly Lane[], changeOf: (i: number) => Change): Promise<readonly unknown[]>
}

function settingOf(
  { client, tableName }: TestTable,
  { gatherMs = 0, refuse = (_: TransactWriteItemsCommand): boolean => false, clock = Date.now } = {},
): Setting {
  const transactions: { items: number; refused: boolean }[] = []
  const watched = intercepted<DynamoDBClient>(client, async (command, send) => {
    if (!(command instanceof TransactWriteItemsCommand)) return send(command)
    const transaction = { items: command.input.TransactItems?.length ?? 0, refused: true }
    transactions.push(transaction)
    if (refuse(command)) throw Object.assign(new Error('no such value'), { name: 'ValidationException' })
    const output = await send(command)
    transaction.refused = false
    return output
  })
  const table = tableThrough(watched, tableName, () => 0)
  const runner = createRunner({ table, projections: reviewProjections() })
  const gathering = createGathering({ runner, gatherMs, clock, signal: new AbortController().signal })
  const turn = { keep: async () => true, large: false }
  return {
    gathering,
    transactions,
    async count(lanes, changeOf) {
      const settled = await Promise.allSettled(lanes.map((lane, i) => gathering.count(lane, [changeOf(i)], turn)))
      return settled.map((one) => (one.status === 'rejected' ? one.reason : undefined))
    },
  }
}

async function leasedLanes({ client, tableName }: TestTable, lanes = SHARDS): Promise<Lane[]> {
  return Promise.all(
    Array.from({ length: lanes }, async (_, i) => {
      const shardId = `shard-${i}`
      const Item = { ...keyEntry(checkpointKey(shardId)), owner: { S: OWNER }, leasedUntil: { N: '1' } }
      await client.send(new PutItemCommand({ TableName: tableName, Item }))
      return { shardId, owner: OWNER, sequenceNumber: undefined }
    }),
  )
}

function created(i: number, productId = 'p', sequence = 1): Change {
  const id = `r${i}-${sequence}`
  return {
    key: { PK: reviewKey(id).PK?.S ?? '', SK: '~' },
    sequenceNumber: `${1_000 + sequence}`,
    at: 1_000,
    before: undefined,
    after: reviewEntry({ id, productId, language: 'en', rating: 3, text: '0' }),
  }
}

async function totals({ client, tableName }: TestTable): Promise<Record<string, unknown>> {
  const entries = (await scan(client, tableName)).filter(({ PK }) => PK?.S?.startsWith('~counts#'))
  const counts = entries.map(({ PK, SK, count_total: total }) => [`${PK?.S} ${SK?.S}`, { count: Number(total?.N) }])
  return countsOf(Object.fromEntries(counts))
}

async function counted({ table }: TestTable, lanes: readonly Lane[]): Promise<(string | undefined)[]> {
  const checkpoints = await Promise.all(lanes.map(({ shardId }) => readCheckpoint(table, shardId)))
  return checkpoints.map(({ sequenceNumber }) => sequenceNumber)
}

test('the lanes of a process count a hot product in one transaction with all their checkpoints', async () => {
  await using table = await openTestTable()
  const { count, transactions } = settingOf(table, { gatherMs: 20 })
  const lanes = await leasedLanes(table)
  for (let sequence = 1; sequence <= 5; sequence++) {
    expect(await count(lanes, (i) => created(i, 'p', sequence))).toEqual(Array(SHARDS).fill(undefined))
  }
  expect(await counted(table, lanes)).toEqual(Array(SHARDS).fill('1005'))
  const all = { count: 5 * SHARDS }
  expect(await totals(table)).toEqual({ '~counts#REVIEW#p ~': all, '~counts#REVIEW#p en': all })
  expect(transactions).toEqual(Array(5).fill({ items: SHARDS + 2, refused: false }))
})

test('a lane that lost its lease, or whose checkpoint was moved, holds up none of the others', async () => {
  await using table = await openTestTable()
  const { count } = settingOf(table)
  const lanes = await leasedLanes(table, 5)
  const put = (shardId: string, attributes: Record<string, { S: string }>) =>
    table.client.send(
      new PutItemCommand({
        TableName: table.tableName,
        Item: { ...keyEntry(checkpointKey(shardId)), ...attributes },
      }),
    )
  await put('shard-1', { owner: { S: 'another process' } })
  await put('shard-3', { owner: { S: OWNER }, sequenceNumber: { S: '1001' } })
  const failures = await count(lanes, (i) => created(i))
  expect(failures).toEqual([
    undefined,
    expect.objectContaining({ code: 'unavailable', message: expect.stringContaining('another process') }),
    ...[undefined, undefined, undefined],
  ])
  expect(await counted(table, lanes)).toEqual(['1001', undefined, '1001', '1001', '1001'])
  // That of shard 3 was counted by whoever moved its checkpoint.
  expect(await totals(table)).toMatchObject({ '~counts#REVIEW#p ~': { count: 3 } })
})

test('what DynamoDB refuses of one lane is set aside, and the others count', async () => {
  await using table = await openTestTable()
  const refuse = (command: TransactWriteItemsCommand): boolean =>
    JSON.stringify(command.input).includes('"~counts#REVIEW#giant"')
  const { count } = settingOf(table, { refuse })
  const lanes = await leasedLanes(table, 4)
  expect(await count(lanes, (i) => created(i, i === 2 ? 'giant' : 'p'))).toEqual(Array(4).fill(undefined))
  expect(await counted(table, lanes)).toEqual(Array(4).fill('1001'))
  expect(await totals(table)).toMatchObject({ '~counts#REVIEW#p ~': { count: 3 } })
  const kept = (await scan(table.client, table.tableName)).filter(({ PK }) => PK?.S === '~POISON')
  expect(kept).toMatchObject([{ shardId: { S: 'shard-2' } }])
})

test('a lane whose lease is lost while it waits is left out', async () => {
  await using table = await openTestTable()
  const { gathering, transactions } = settingOf(table)
  const lanes = await leasedLanes(table, 2)
  const settled = await Promise.allSettled(
    lanes.map((lane, i) => gathering.count(lane, [created(i)], { keep: async () => i === 0, large: false })),
  )
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  expect(transactions).toEqual([{ items: 3, refused: false }])
})

test('a lane whose lease can not be renewed fails alone', async () => {
  await using table = await openTestTable()
  const { gathering, transactions } = settingOf(table)
  const lanes = await leasedLanes(table, 2)
  const throttled = new Error('throttled')
  const keeps = [async () => true, () => Promise.reject(throttled)]
  const settled = await Promise.allSettled(
    lanes.map((lane, i) => gathering.count(lane, [created(i)], { keep: keeps[i] ?? (async () => true), large: false })),
  )
  expect(settled).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: throttled }])
  expect(transactions).toEqual([{ items: 3, refused: false }])
})

test('more than one transaction takes is counted in several, each full', async () => {
  await using table = await openTestTable()
  const { gathering, transactions } = settingOf(table)
  const lanes = await leasedLanes(table, 4)
  const turn = { keep: async () => true, large: true }
  await Promise.all(
    lanes.map((lane, i) =>
      gathering.count(
        lane,
        Array.from({ length: 40 }, (_, j) => created(i, `p${i}-${j}`, j + 1)),
        turn,
      ),
    ),
  )
  expect(await counted(table, lanes)).toEqual(Array(4).fill('1040'))
  expect(Object.keys(await totals(table))).toHaveLength(4 * 40 * 2)
  expect(transactions.map(({ items }) => items)).toEqual([100, 100, 100, 27])
})

test('the first change after a lull does not wait, and those that follow are gathered', async () => {
  await using table = await openTestTable()
  let now = 0
  const { count, gathering, transactions } = settingOf(table, { gatherMs: 60_000, clock: () => now })
  const lanes = await leasedLanes(table, 3)
  await count(lanes.slice(0, 1), (i) => created(i))
  expect(transactions).toHaveLength(1)
  expect(gathering.untilNext(lanes[0] as Lane)).toBe(60_000)
  const later = count(lanes.slice(1, 2), (i) => created(i + 1))
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(transactions).toHaveLength(1)
  // So much that there is nothing to wait for.
  await gathering.count(lanes[2] as Lane, [created(2)], { keep: async () => true, large: true })
  expect(await later).toEqual([undefined])
  expect(transactions).toHaveLength(2)
  now += 120_000
  await count(lanes.slice(0, 1), (i) => created(i, 'p', 2))
  expect(transactions).toHaveLength(3)
})

test('a commit waits for the lanes that read when it is due', async () => {
  await using table = await openTestTable()
  let now = 0
  const { count, gathering, transactions } = settingOf(table, { gatherMs: 5_000, clock: () => (now += 10_000) })
  const lanes = await leasedLanes(table, 3)
  await count(lanes, (i) => created(i))
  for (const lane of lanes) gathering.untilNext(lane)
  const early = count(lanes.slice(0, 1), (i) => created(i, 'p', 2))
  await new Promise((resolve) => setTimeout(resolve, 20))
  const turn = { keep: async () => true, large: false }
  const late = gathering.count(lanes[1] as Lane, [created(1, 'p', 2)], turn)
  // The last of them has found nothing.
  await gathering.count(lanes[2] as Lane, [], turn)
  await Promise.all([early, late])
  expect(transactions.map(({ items }) => items)).toEqual([5, 4])
})

test('commits of many checkpoints come less often, so that a change costs the same', async () => {
  await using table = await openTestTable()
  const { count, gathering } = settingOf(table, { gatherMs: 1_000, clock: () => 0 })
  const lanes = await leasedLanes(table, 6)
  await count(lanes, (i) => created(i))
  // Six checkpoints and two counters are 8 items, of one lane they are 3.
  expect(gathering.untilNext(lanes[0] as Lane)).toBeCloseTo((1_000 * 8) / 3, 0)
})
