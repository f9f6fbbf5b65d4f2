import { readFileSync } from 'node:fs'
import { BatchWriteItemCommand } from '@aws-sdk/client-dynamodb'
import type { LambdaStreamRecord, StreamEvent } from 'lapidary'
import { createFaultKit, seededRandom } from 'lapidary-testing'
import { expect, test } from 'vitest'
import { streamFilterPatterns } from '../../src/database/filter-patterns.ts'
import { createStreamHandler } from '../../src/stream/lambda.ts'
import { createRunner } from '../../src/stream/runner.ts'
import { countsOf, recount } from './recount.ts'
import { type Review, reviewEntry, reviewProjections, reviews } from './reviews.ts'
import { openTestTable, type TestTable, tableThrough } from './test-table.ts'

function recorded(name: string): StreamEvent {
  return JSON.parse(readFileSync(new URL(`./events/${name}.recorded.json`, import.meta.url), 'utf8')) as StreamEvent
}

const windowed = recorded('window')
const COUNTED = {
  '~counts#REVIEW#42 ~': { count_5: 1, count_total: 1 },
  '~counts#REVIEW#42 de': { count_5: 1, count_total: 1 },
  '~leaders#REVIEW#42 five-star': { board: '~leaders/REVIEW/five-star', count: 1, product: '42' },
  '~leaders#REVIEW#42 five-star#de': { board: '~leaders#de/REVIEW/five-star', count: 1, product: '42' },
}

async function found({ client, tableName }: TestTable): Promise<unknown> {
  return countsOf((await recount(client, tableName)).found)
}

test('counts a recorded event once, however often it is delivered; a TTL removal is a removal', async () => {
  await using setting = await openTestTable()
  const handler = createStreamHandler({ runner: setting.runner() })
  for (let delivery = 1; delivery <= 3; delivery++) {
    expect(await handler(windowed)).toEqual({ batchItemFailures: [], state: {} })
    expect(await found(setting)).toEqual(COUNTED)
  }
})

test('keeps the state of a window, and has nothing to do when the window ends', async () => {
  await using setting = await openTestTable()
  const handler = createStreamHandler({ runner: setting.runner() })
  expect(await handler(recorded('final'))).toEqual({ batchItemFailures: [], state: { kept: 1 } })
})

test('refuses an event that names no shard, and says which setting makes it do so', async () => {
  await using setting = await openTestTable()
  const handler = createStreamHandler({ runner: setting.runner() })
  const { shardId: _, ...plain } = windowed
  for (const unnamed of [plain, { ...plain, shardId: '' }]) {
    await expect(handler(unnamed)).rejects.toMatchObject({
      code: 'table_mismatch',
      message: expect.stringContaining('TumblingWindowInSeconds'),
    })
  }
  expect(await found(setting)).toEqual({})
})

test('refuses a stream without both images: a change would count as a new item', async () => {
  await using setting = await openTestTable()
  const handler = createStreamHandler({ runner: setting.runner() })
  const Records = windowed.Records.map((record) => ({
    ...record,
    dynamodb: { ...record.dynamodb, StreamViewType: 'NEW_IMAGE' },
  }))
  await expect(handler({ ...windowed, Records })).rejects.toMatchObject({ code: 'table_mismatch' })
})

test('reports the first record beyond the checkpoint when a batch fails, and only the rest is counted then', async () => {
  await using setting = await openTestTable()
  const { Records } = windowed
  const whole = createStreamHandler({ runner: setting.runner() })
  await whole({ ...windowed, Records: Records.slice(0, 2) })
  const broken = { send: () => Promise.reject(Object.assign(new Error('down'), { code: 'ECONNREFUSED' })) }
  const errors: unknown[] = []
  const dead = createStreamHandler({
    runner: createRunner({
      table: tableThrough(broken as never, setting.tableName, () => 0),
      projections: reviewProjections(),
    }),
    onError: (error) => errors.push(error),
  })
  expect(await dead(windowed)).toEqual({
    batchItemFailures: [{ itemIdentifier: '4421584500000000017450439091' }],
    state: {},
  })
  expect(errors).toHaveLength(1)

  const kit = createFaultKit({ seed: 1, rates: { conflicted: 1 } })
  const refused = createStreamHandler({
    runner: createRunner({
      table: tableThrough(kit.dynamodb(setting.client), setting.tableName, () => 0),
      projections: reviewProjections(),
    }),
  })
  expect(await refused(windowed)).toEqual({
    batchItemFailures: [{ itemIdentifier: '4421584500000000017450439093' }],
    state: {},
  })
  await whole({ ...windowed, Records: Records.slice(2) })
  expect(await found(setting)).toEqual(COUNTED)
})

test('is exact when Lambda repeats batches, cuts them anew and delivers after partial failures', async () => {
  for (let seed = 1; seed <= 12; seed++) {
    await using setting = await openTestTable()
    const random = seededRandom(seed)
    const { records, last } = history(random)
    for (let i = 0; i < last.length; i += 25) {
      const requests = last.slice(i, i + 25).map((review) => ({ PutRequest: { Item: reviewEntry(review) } }))
      await setting.client.send(new BatchWriteItemCommand({ RequestItems: { [setting.tableName]: requests } }))
    }
    const kit = createFaultKit({ seed, rates: { dropped: 0.3, conflicted: 0.5, throttled: 0.2, killed: 0.05 } })
    const handler = createStreamHandler({
      runner: createRunner({
        table: tableThrough(kit.dynamodb(setting.client), setting.tableName, random),
        projections: reviewProjections(),
      }),
    })
    // As an event source mapping does it: on from the first failure, on success behind the batch, sometimes over again.
    for (let at = 0; at < records.length; ) {
      const batch = records.slice(at, at + 1 + Math.floor(random() * 12))
      const { batchItemFailures } = await handler({ ...windowed, Records: batch })
      kit.revive()
      if (random() < 0.2) continue
      const failed = batchItemFailures[0]?.itemIdentifier
      const next = batch.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === failed)
      at += failed === undefined ? batch.length : next
    }
    const { found, expected } = await recount(setting.client, setting.tableName)
    expect(found, `seed ${seed}`).toEqual(expected)
  }
})

test('only items of the collections invoke the handler: not what it writes itself', () => {
  expect(streamFilterPatterns([reviews])).toEqual([
    '{"dynamodb":{"Keys":{"PK":{"S":[{"prefix":"REVIEW#"}]},"SK":{"S":["~"]}}}}',
  ])
})

/** Records of random changes in the shape of Lambda's, and the reviews that are left after them. */
function history(random: () => number): { records: LambdaStreamRecord[]; last: Review[] } {
  const current = new Map<string, Review>()
  const records = Array.from({ length: 60 }, (_, i): LambdaStreamRecord => {
    const id = `r${Math.floor(random() * 8)}`
    const before = current.get(id)
    const made = { id, productId: `p${Math.floor(random() * 2)}`, language: 'en', text: String(i) }
    const after = before && random() < 0.3 ? undefined : { ...made, rating: 1 + Math.floor(random() * 5) }
    if (after === undefined) current.delete(id)
    else current.set(id, after)
    const Keys = { PK: { S: `REVIEW#${id}` }, SK: { S: '~' } }
    return {
      eventName: before === undefined ? 'INSERT' : after === undefined ? 'REMOVE' : 'MODIFY',
      dynamodb: {
        ApproximateCreationDateTime: 1_760_000_000 + i,
        Keys,
        ...(before === undefined ? {} : { OldImage: reviewEntry(before) }),
        ...(after === undefined ? {} : { NewImage: reviewEntry(after) }),
        SequenceNumber: String(99_999_999_999_999_999_990n + BigInt(i)),
        StreamViewType: 'NEW_AND_OLD_IMAGES',
      },
    }
  })
  return { records, last: [...current.values()] }
}
