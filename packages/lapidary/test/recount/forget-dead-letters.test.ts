import { isDeepStrictEqual } from 'node:util'
import {
  DeleteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb'
import { type CopyProjection, LapidaryError } from 'lapidary'
import { createFaultKit, intercepted } from 'lapidary-testing'
import { expect, test } from 'vitest'
import type { Change } from '../../src/derived/change.ts'
import { keyEntry } from '../../src/derived/guarded-write.ts'
import type { TargetKey } from '../../src/derived/target-key.ts'
import type { Entry } from '../../src/model/entry.ts'
import type { DerivedData } from '../../src/recount/maintenance-options.ts'
import { repair } from '../../src/recount/mend.ts'
import { DEAD_LETTER_PARTITION, listDeadLetters } from '../../src/stream/dead-letters.ts'
import { createRunner } from '../../src/stream/runner.ts'
import { recount } from '../stream/recount.ts'
import { reviewEntry, reviewKey, reviewProjections } from '../stream/reviews.ts'
import { openTestTable, type TestTable, tableThrough } from '../stream/test-table.ts'

const OPTIONS = { idleMs: 10, poll: false }

const review = (id: string, rating = 4): Entry => reviewEntry({ id, productId: 'p', language: 'en', rating, text: '0' })

async function put({ client, tableName }: TestTable, entry: Entry): Promise<void> {
  await client.send(new PutItemCommand({ TableName: tableName, Item: entry }))
}

/** Reviews of which a runner of another program could read none with an id that begins with `odd`. */
async function withDeadLetters(setting: TestTable, ...ids: readonly string[]): Promise<void> {
  for (const id of ids) await put(setting, review(id))
  const projections = reviewProjections().map((projection) => ({
    ...projection,
    contributions(image: Entry) {
      if (image.id?.S?.startsWith('odd') === true) throw new TypeError('odd')
      return projection.contributions(image)
    },
  }))
  await setting.drain(createRunner({ table: setting.table, projections }))
}

function derivedOf({ table, streams }: TestTable, copies: readonly CopyProjection[] = []): DerivedData {
  const time = { clock: Date.now, now: () => performance.now() }
  return { table, streams, projections: [...reviewProjections(), ...copies], ...time }
}

const letters = async ({ table }: TestTable): Promise<string[]> =>
  (await listDeadLetters(table)).map(({ key }) => key.PK.slice('REVIEW#'.length))

async function isRight({ client, tableName }: TestTable): Promise<boolean> {
  const { found, expected } = await recount(client, tableName)
  return isDeepStrictEqual(found, expected)
}

test('a repair counts what dead letters left out and forgets them; one that comes meanwhile stays', async () => {
  await using setting = await openTestTable()
  await withDeadLetters(setting, 'a', 'odd1', 'odd2')
  expect(await letters(setting)).toEqual(['odd1', 'odd2'])
  const late = { ...keyEntry({ PK: DEAD_LETTER_PARTITION, SK: `s#${'1'.padStart(40, '0')}` }), item: { M: {} } }
  const client = intercepted<DynamoDBClient>(setting.client, async (command, send) => {
    // The first that mends; the fence alone is moved when a repair begins.
    const isMending = command instanceof TransactWriteItemsCommand && (command.input.TransactItems?.length ?? 0) > 1
    if (isMending) await put(setting, late)
    return send(command)
  })
  const table = tableThrough(client, setting.tableName, () => 0)
  const mending = await repair({ ...derivedOf(setting), table }, OPTIONS)
  expect(mending).toMatchObject({ deadLettersForgotten: 2, deadLetters: 1 })
  const { found, expected } = await recount(setting.client, setting.tableName)
  expect(found).toEqual(expected)
  expect(await listDeadLetters(setting.table)).toMatchObject([{ shardId: 's', sequenceNumber: '1' }])
})

/** Whether it was killed before it was done. */
async function diesAt(killAt: number): Promise<boolean> {
  await using setting = await openTestTable()
  await withDeadLetters(setting, 'a', 'odd1', 'odd2')
  const kit = createFaultKit({ seed: killAt, killAt })
  const table = tableThrough(kit.dynamodb(setting.client), setting.tableName, () => 0)
  await repair({ ...derivedOf(setting), table }, OPTIONS).catch(() => undefined)
  if (!kit.isKilled) return false
  if ((await letters(setting)).length < 2) expect(await isRight(setting), `killed at ${killAt}`).toBe(true)
  // The lease of the dead one is over.
  await repair({ ...derivedOf(setting), clock: () => Date.now() + 60_000 }, OPTIONS)
  expect(await letters(setting)).toEqual([])
  expect(await isRight(setting)).toBe(true)
  return true
}

test('a repair that is killed at any write forgets no dead letter before what it left out is counted', async () => {
  let deaths = 0
  // Most of each is waiting.
  // Before these it writes probes, and has mended nothing.
  for (let from = 17, done = false; !done; from += 12) {
    const died = await Promise.all(Array.from({ length: 12 }, (_, i) => diesAt(from + i)))
    deaths += died.filter(Boolean).length
    done = died.includes(false)
  }
  expect(deaths).toBeGreaterThan(4)
})

/** A copy of texts that refuses items with an id that begins with `odd`, until it is mended. */
function copyOf() {
  const copy = {
    name: 'copy',
    held: new Map<string, string | undefined>(),
    mended: false,
    collection: 'REVIEW',
    isItem: ({ PK }: TargetKey) => PK.startsWith('REVIEW#'),
    async apply(changes: readonly Change[]) {
      for (const { key, after } of changes) {
        if (!copy.mended && key.PK.startsWith('REVIEW#odd')) throw new LapidaryError('unprocessable', 'no place for it')
        if (after === undefined) copy.held.delete(key.PK)
        else copy.held.set(key.PK, after.rating?.N)
      }
    },
  }
  return copy
}

test('a copy gets of what it refused the item as it is now, and the dead letter stays while it refuses', async () => {
  await using setting = await openTestTable()
  const copy = copyOf()
  for (const id of ['a', 'odd1', 'odd2']) await put(setting, review(id))
  await setting.drain(createRunner({ table: setting.table, projections: [...reviewProjections(), copy] }))
  expect(await letters(setting)).toEqual(['odd1', 'odd2'])
  expect(await repair(derivedOf(setting, [copy]), OPTIONS)).toMatchObject({ deadLettersForgotten: 0, deadLetters: 2 })
  copy.mended = true
  // What the copy was told of before is not true any more.
  copy.held.set('REVIEW#odd2', '1')
  await put(setting, review('odd1', 2))
  await setting.client.send(new DeleteItemCommand({ TableName: setting.tableName, Key: reviewKey('odd2') }))
  expect(await repair(derivedOf(setting, [copy]), OPTIONS)).toMatchObject({ deadLettersForgotten: 2, deadLetters: 0 })
  expect([...copy.held].filter(([key]) => key.includes('odd'))).toEqual([['REVIEW#odd1', '2']])
})

test('what a copy got by the runner while a repair copied is not replaced by what was before', async () => {
  await using setting = await openTestTable()
  const copy = copyOf()
  await put(setting, review('odd1', 1))
  await setting.drain(createRunner({ table: setting.table, projections: [...reviewProjections(), copy] }))
  copy.mended = true
  let isFirst = true
  const racing: CopyProjection = {
    ...copy,
    async apply(changes) {
      if (isFirst) {
        isFirst = false
        await put(setting, review('odd1', 5))
        copy.held.set('REVIEW#odd1', '5')
      }
      await copy.apply(changes)
    },
  }
  await repair(derivedOf(setting, [racing]), OPTIONS)
  expect(copy.held.get('REVIEW#odd1')).toBe('5')
  expect(await letters(setting)).toEqual([])
})
