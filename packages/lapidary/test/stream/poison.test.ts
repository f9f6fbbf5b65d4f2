import {
  type AttributeValue,
  DeleteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb'
import { anyOf, oneOf } from 'lapidary'
import { createFaultKit, intercepted, Killed } from 'lapidary/testing'
import { expect, test } from 'vitest'
import type { CopyProjection } from '../../src/derived/copy-projection.ts'
import type { Collection } from '../../src/model/collection.ts'
import { LapidaryError } from '../../src/model/errors.ts'
import { discardPoison, listPoison } from '../../src/stream/poison.ts'
import { replayPoison } from '../../src/stream/replay-poison.ts'
import { createRunner } from '../../src/stream/runner.ts'
import { tableThrough } from './fault-run.ts'
import { countsOf, recount } from './recount.ts'
import { reviewEntry, reviewKey, reviewProjections, reviews } from './reviews.ts'
import { openTestTable, type TestTable } from './test-table.ts'

type Entry = Record<string, AttributeValue>

const good = reviewEntry({ id: 'x', productId: 'p', language: 'en', rating: 4, text: '0' })
const missing: Entry = (({ rating: _, ...rest }) => rest)(good)
const wrong: Entry = { ...good, rating: { S: 'five' } }
const outside: Entry = { ...good, rating: { N: '6' } }
const listed: Entry = { ...good, productId: { L: [{ S: 'p' }] } }

async function put({ client, tableName }: TestTable, id: string, entry: Entry): Promise<void> {
  await client.send(new PutItemCommand({ TableName: tableName, Item: { ...entry, ...reviewKey(id) } }))
}

async function counts({ client, tableName }: TestTable) {
  const { found, expected, poison } = await recount(client, tableName)
  return { found, expected, kept: poison.length }
}

test('sets aside what it can not count, with the reason, and counts everything around it', async () => {
  await using setting = await openTestTable()
  await put(setting, 'a', good)
  for (const [i, entry] of [missing, wrong, outside, listed].entries()) await put(setting, `bad${i}`, entry)
  await put(setting, 'b', { ...good, rating: { N: '5' } })
  await setting.drain(setting.runner())
  const { found, expected, kept } = await counts(setting)
  expect(found).toEqual(expected)
  expect(found).toMatchObject({ '~counts#REVIEW#p ~': { count_4: 1, count_5: 1, count_total: 2 } })
  expect(kept).toBe(4)
  const records = await listPoison(setting.table)
  expect(records.map(({ change, reason }) => [change.key.PK, reason])).toEqual([
    ['REVIEW#bad0', expect.stringContaining('rating is missing')],
    ['REVIEW#bad1', expect.stringContaining('must be one of 1, 2, 3, 4, 5, not "five"')],
    ['REVIEW#bad2', expect.stringContaining('not 6')],
    ['REVIEW#bad3', expect.stringContaining('productId')],
  ])
})

test('tells of what it set aside also when the answer to that was lost', async () => {
  await using setting = await openTestTable()
  await put(setting, 'bad', missing)
  let lost = false
  const client = intercepted<DynamoDBClient>(setting.client, async (command, send) => {
    const answer = await send(command)
    if (lost || !(command instanceof TransactWriteItemsCommand)) return answer
    lost = true
    throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
  })
  const told: string[] = []
  const table = tableThrough(client, setting.tableName, () => 0)
  const onPoison = ({ key }: { readonly key: { readonly PK: string } }): void => void told.push(key.PK)
  await setting.drain(createRunner({ table, projections: reviewProjections(), onPoison }))
  expect({ lost, told }).toEqual({ lost: true, told: ['REVIEW#bad'] })
  expect(await listPoison(setting.table)).toHaveLength(1)
})

test('counts are those of the readable items at every step of an item that breaks and heals', async () => {
  await using setting = await openTestTable()
  const runner = setting.runner()
  for (const entry of [good, missing, wrong, { ...good, rating: { N: '5' } }, outside, good]) {
    await put(setting, 'x', entry)
    await setting.drain(runner)
    const { found, expected } = await counts(setting)
    expect(found).toEqual(expected)
  }
  await setting.client.send(new DeleteItemCommand({ TableName: setting.tableName, Key: reviewKey('x') }))
  await setting.drain(runner)
  expect((await counts(setting)).found).toEqual({})
})

test('a replay applies each record once when the projection was mended, and tells which are still refused', async () => {
  await using setting = await openTestTable()
  await put(setting, 'a', outside)
  await put(setting, 'b', outside)
  await put(setting, 'b', { ...good, photo: { B: new Uint8Array([1, 2, 255]) } })
  await put(setting, 'c', missing)
  await setting.drain(setting.runner())
  expect((await counts(setting)).kept).toBe(4)

  const six: Collection = {
    ...reviews,
    facets: { language: oneOf(), rating: anyOf([1, 2, 3, 4, 5, 6]) },
  }
  const mended = setting.runner(six)
  const replay = await replayPoison(mended)
  expect(replay.applied).toBe(3)
  expect(replay.refused).toMatchObject([{ change: { key: { PK: 'REVIEW#c' } } }])
  expect(replay.refused[0]?.reason).toContain('rating is missing')
  expect((await counts(setting)).found).toMatchObject({
    '~counts#REVIEW#p ~': { count_4: 1, count_6: 1, count_total: 2 },
    '~counts#REVIEW#p en': { count_4: 1, count_6: 1, count_total: 2 },
  })
  expect(await replayPoison(mended)).toMatchObject({ applied: 0, refused: [{}] })
  await discardPoison(setting.table, replay.refused)
  expect(await listPoison(setting.table)).toEqual([])
})

test('a replay that is killed or loses its answer at any write point still applies each record once', async () => {
  const six: Collection = { ...reviews, facets: { language: oneOf(), rating: anyOf([1, 2, 3, 4, 5, 6]) } }
  for (let killAt = 1; killAt <= 5; killAt++) {
    await using setting = await openTestTable()
    for (const id of ['a', 'b']) await put(setting, id, outside)
    await setting.drain(setting.runner())
    const kit = createFaultKit({ seed: killAt, killAt, rates: { dropped: 0.5, conflicted: 0.3 } })
    const table = tableThrough(kit.dynamodb(setting.client), setting.tableName, () => 0)
    const runner = createRunner({ table, projections: reviewProjections(six) })
    for (let tries = 0; tries < 40 && (await listPoison(setting.table)).length > 0; tries++) {
      await replayPoison(runner).catch((error: unknown) => {
        if (!(error instanceof Killed || error instanceof LapidaryError || 'code' in (error as object))) throw error
        kit.revive()
      })
    }
    const { found } = await counts(setting)
    expect(found, `killed at ${killAt}`).toMatchObject({ '~counts#REVIEW#p ~': { count_6: 2, count_total: 2 } })
  }
})

test('of a record whose image is too large to keep, the key is kept, and that a rebuild is needed', async () => {
  await using setting = await openTestTable()
  await put(setting, 'giant', { ...missing, text: { S: '字'.repeat(125_000) } })
  await put(setting, 'after', good)
  await setting.drain(setting.runner())
  const { found, expected } = await counts(setting)
  expect(found).toEqual(expected)
  const [record] = await listPoison(setting.table)
  expect(record).toMatchObject({ tooLarge: true, change: { key: { PK: 'REVIEW#giant' }, after: undefined } })
  const { refused } = await replayPoison(setting.runner())
  expect(refused[0]?.reason).toContain('rebuild')
})

test('what DynamoDB refuses is set aside image by image: the item that left is counted down', async () => {
  await using setting = await openTestTable()
  const refusesGiants = intercepted<DynamoDBClient>(setting.client, async (command, send) => {
    const isGiant = JSON.stringify((command as { readonly input: unknown }).input).includes('"~counts#REVIEW#giant"')
    if (!isGiant || !(command instanceof TransactWriteItemsCommand)) return send(command)
    throw Object.assign(new Error('One or more parameter values were invalid'), { name: 'ValidationException' })
  })
  const table = tableThrough(refusesGiants, setting.tableName, () => 0)
  const runner = createRunner({ table, projections: reviewProjections() })
  await put(setting, 'x', good)
  await put(setting, 'y', good)
  await put(setting, 'x', { ...good, productId: { S: 'giant' } })
  await put(setting, 'z', good)
  await setting.drain(runner)
  expect(countsOf((await counts(setting)).found)).toEqual({
    '~counts#REVIEW#p ~': { count_4: 2, count_total: 2 },
    '~counts#REVIEW#p en': { count_4: 2, count_total: 2 },
  })
  expect(await listPoison(setting.table)).toMatchObject([{ uncounted: ['after'], refusedBy: [] }])
})

test('a copy that refuses a change for good blocks neither the counts nor what follows', async () => {
  await using setting = await openTestTable()
  const copied: string[] = []
  const copy: CopyProjection = {
    name: 'copy',
    concerns: ({ key }) => key.PK.startsWith('REVIEW#'),
    async apply(changes) {
      for (const { key } of changes) {
        if (key.PK === 'REVIEW#bad') throw new LapidaryError('unprocessable', 'no place for it')
        copied.push(key.PK)
      }
    },
  }
  const runner = createRunner({
    table: setting.table,
    projections: reviewProjections(),
    copies: [copy],
  })
  for (const id of ['a', 'bad', 'b']) await put(setting, id, good)
  await setting.drain(runner)
  const { found, expected } = await counts(setting)
  expect(found).toEqual(expected)
  expect(new Set(copied)).toEqual(new Set(['REVIEW#a', 'REVIEW#b']))
  expect(await listPoison(setting.table)).toMatchObject([{ refusedBy: ['copy'], uncounted: [] }])
})
