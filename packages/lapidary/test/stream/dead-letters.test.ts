import {
  type AttributeValue,
  DeleteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb'
import { intercepted } from 'lapidary-testing'
import { expect, test } from 'vitest'
import type { CopyProjection } from '../../src/derived/copy-projection.ts'
import { LapidaryError } from '../../src/model/errors.ts'
import { type DeadLetter, deadLetterWrite, forgetDeadLetter, listDeadLetters } from '../../src/stream/dead-letters.ts'
import { createRunner } from '../../src/stream/runner.ts'
import { listShards } from '../../src/stream/shards.ts'
import { countsPartition } from '../derived-keys.ts'
import { countsOf, recount } from './recount.ts'
import { reviewEntry, reviewKey, reviewProjections, reviews } from './reviews.ts'
import { openTestTable, type TestTable, tableThrough } from './test-table.ts'

type Entry = Record<string, AttributeValue>

const good = reviewEntry({ id: 'x', productId: 'p', language: 'en', rating: 4, text: '0' })
const missing: Entry = (({ rating: _, ...rest }) => rest)(good)
const nowhere: Entry = (({ productId: _, ...rest }) => rest)(good)
const wrong: Entry = { ...good, rating: { S: 'five' } }
const outside: Entry = { ...good, rating: { N: '6' } }
const listed: Entry = { ...good, productId: { L: [{ S: 'p' }] } }

async function put({ client, tableName }: TestTable, id: string, entry: Entry): Promise<void> {
  await client.send(new PutItemCommand({ TableName: tableName, Item: { ...entry, ...reviewKey(id) } }))
}

async function counts({ client, tableName }: TestTable) {
  const { found, expected, deadLetters } = await recount(client, tableName)
  return { found, expected, kept: deadLetters.length }
}

test('leaves a dead letter for what it can not count, with the reason, and counts everything around it', async () => {
  await using setting = await openTestTable()
  await put(setting, 'a', good)
  for (const [i, entry] of [nowhere, missing, wrong, outside, listed].entries()) await put(setting, `bad${i}`, entry)
  await put(setting, 'b', { ...good, rating: { N: '5' } })
  await setting.drain(setting.runner())
  const { found, expected, kept } = await counts(setting)
  expect(found).toEqual(expected)
  expect(found).toMatchObject({ '~counts#REVIEW#p ~': { count_4: 1, count_5: 1, count_total: 5 } })
  expect(kept).toBe(2)
  const letters = await listDeadLetters(setting.table)
  expect(letters.map(({ key, reason }) => [key.PK, reason])).toEqual([
    ['REVIEW#bad0', expect.stringContaining('productId is missing')],
    ['REVIEW#bad4', expect.stringContaining('productId is ')],
  ])
  const [shard] = await listShards(setting.streams, setting.arn)
  expect(letters[0]).toMatchObject({ shardId: shard?.shardId, sequenceNumber: expect.stringMatching(/^[1-9]\d*$/) })
  expect(letters[0]?.at).toBeGreaterThan(0)
})

test('tells of a dead letter also when the answer to that was lost', async () => {
  await using setting = await openTestTable()
  await put(setting, 'bad', nowhere)
  let lost = false
  const client = intercepted<DynamoDBClient>(setting.client, async (command, send) => {
    const answer = await send(command)
    if (lost || !(command instanceof TransactWriteItemsCommand)) return answer
    lost = true
    throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
  })
  const told: string[] = []
  const table = tableThrough(client, setting.tableName, () => 0)
  const onDeadLetter = ({ key }: DeadLetter): void => void told.push(key.PK)
  await setting.drain(createRunner({ table, projections: reviewProjections(), onDeadLetter }))
  expect({ lost, told }).toEqual({ lost: true, told: ['REVIEW#bad'] })
  expect(await listDeadLetters(setting.table)).toHaveLength(1)
})

test('counts are those of the readable items at every step of an item that breaks and heals', async () => {
  await using setting = await openTestTable()
  const runner = setting.runner()
  for (const entry of [good, missing, nowhere, wrong, { ...good, rating: { N: '5' } }, outside, good]) {
    await put(setting, 'x', entry)
    await setting.drain(runner)
    const { found, expected } = await counts(setting)
    expect(found).toEqual(expected)
  }
  await setting.client.send(new DeleteItemCommand({ TableName: setting.tableName, Key: reviewKey('x') }))
  await setting.drain(runner)
  expect((await counts(setting)).found).toEqual({})
})

test('what DynamoDB refuses is left out image by image: the item that left is counted down', async () => {
  await using setting = await openTestTable()
  const refusesGiants = intercepted<DynamoDBClient>(setting.client, async (command, send) => {
    const isGiant = JSON.stringify((command as { readonly input: unknown }).input).includes(
      countsPartition(reviews, 'giant'),
    )
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
  expect(await listDeadLetters(setting.table)).toMatchObject([
    { key: { PK: 'REVIEW#x', SK: '~' }, reason: expect.stringContaining('invalid'), refusedBy: [] },
  ])
})

test('a copy that refuses a change for good blocks neither the counts nor what follows', async () => {
  await using setting = await openTestTable()
  const copied: string[] = []
  const copy: CopyProjection = {
    name: 'copy',
    collection: 'REVIEW',
    isItem: ({ PK }) => PK.startsWith('REVIEW#'),
    async apply(changes) {
      for (const { key } of changes) {
        if (key.PK === 'REVIEW#bad') throw new LapidaryError('unprocessable', 'no place for it')
        copied.push(key.PK)
      }
    },
  }
  const runner = createRunner({
    table: setting.table,
    projections: [...reviewProjections(), copy],
  })
  for (const id of ['a', 'bad', 'b']) await put(setting, id, good)
  await setting.drain(runner)
  const { found, expected } = await counts(setting)
  expect(found).toEqual(expected)
  expect(new Set(copied)).toEqual(new Set(['REVIEW#a', 'REVIEW#b']))
  expect(await listDeadLetters(setting.table)).toMatchObject([{ refusedBy: ['copy'], reason: 'no place for it' }])
})

test('a dead letter is kept and listed as it was, its reason cut, in the order of its shard', async () => {
  await using setting = await openTestTable()
  const { table, client } = setting
  const letter = (sequenceNumber: string): DeadLetter => ({
    ...{ key: { PK: 'REVIEW#a', SK: '~' }, shardId: 'shard#1', sequenceNumber, at: 7, reason: 'r'.repeat(2_000) },
    refusedBy: ['cache'],
  })
  const [nine, ten] = [letter('9'), letter('10')]
  await client.send(
    new TransactWriteItemsCommand({ TransactItems: [ten, nine].map((each) => deadLetterWrite(table, each)) }),
  )
  const cut = { reason: 'r'.repeat(1_000) }
  expect(await listDeadLetters(table)).toEqual([
    { ...nine, ...cut },
    { ...ten, ...cut },
  ])
  await forgetDeadLetter(table, nine)
  expect(await listDeadLetters(table)).toEqual([{ ...ten, ...cut }])
})
