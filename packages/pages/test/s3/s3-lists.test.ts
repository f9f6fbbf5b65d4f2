import { setTimeout as sleep } from 'node:timers/promises'
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import fc from 'fast-check'
import type { ListChange, ListEntry, RankQuestion, SortedLists } from 'lapidary'
import { type S3ListsOptions, s3Lists } from 'lapidary-pages/s3'
import { chosenSeed, memoryLists, seededRandom } from 'lapidary-testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PATIENCE } from '../../../../test/engines/patience.ts'
import { s3Client, startS3, type TestS3 } from '../../../../test/engines/s3.ts'
import { expectWeekOfMarks } from '../../../lapidary/test/pages/week-of-marks.ts'

const seed = chosenSeed(process.env.FC_SEED)
const BUCKET = 'lists'
let server: TestS3
let client: S3Client
let opened = 0
beforeAll(async () => {
  server = await startS3()
  client = await s3Client(server, BUCKET)
})
afterAll(async () => {
  client.destroy()
  await server[Symbol.asyncDispose]()
})

/** A process of its own on the lists of a name. */
function open(name: string, options: Partial<S3ListsOptions> = {}): SortedLists {
  const store = s3Lists({ client, bucket: BUCKET, refreshMs: 0, ...options })
  return store.open({ namespace: name, table: { tableName: 'comments' } as never, clock: Date.now })
}

const newName = (): string => `T${opened++}`

interface Sent {
  readonly constructor: { readonly name: string }
  readonly input?: { readonly Body?: unknown; readonly Key?: string }
}

/** A client that counts its requests, and does what it is told before and after each; some it sends twice. */
function watched(
  meanwhile: {
    before?: (name: string, key: string) => unknown
    after?: (name: string) => void
    twice?: () => boolean
  } = {},
) {
  const counts = new Map<string, number>()
  const send = async (command: Sent): Promise<unknown> => {
    const { name } = command.constructor
    counts.set(name, (counts.get(name) ?? 0) + 1)
    await meanwhile.before?.(name, command.input?.Key ?? '')
    if (command.input?.Body instanceof Buffer && meanwhile.twice?.()) await client.send(command as never)
    const answer = await client.send(command as never)
    meanwhile.after?.(name)
    return answer
  }
  return { client: { send: send as S3Client['send'] }, counts }
}

const CELLS = ['en#5', 'en#4', 'de#1'] as const
const ALL: RankQuestion = {
  ...{ groups: ['42'], includes: () => true, lower: undefined, upper: undefined },
  ...{ ascending: true, offset: 0 },
}

function entry(i: number): ListEntry {
  return { group: '42', cell: CELLS[i % 3] as string, place: { score: (i * 7_919) % 5_000, member: `comment-${i}` } }
}

function change(number: number, op: 'add' | 'remove' = 'add', of = entry(number)): ListChange {
  return { sequenceNumber: String(100_000 + number), steps: [{ op, ...of }] }
}

async function expectSame(lists: SortedLists, truth: SortedLists, question: RankQuestion): Promise<void> {
  const [{ total, place }, expected] = await Promise.all([lists.select(question), truth.select(question)])
  expect({ total, place }).toEqual({ total: expected.total, place: expected.place })
}

test('finds any rank of many entries with some reads, cold and warm, with changes on top', async () => {
  const name = newName()
  const [writer, truth] = [open(name, { commitBytes: 300_000 }), memoryLists()]
  const entries = Array.from({ length: 9_000 }, (_, i) => entry(i))
  for (const lists of [writer, truth]) {
    const filling = await lists.fill()
    for (let i = 0; i < entries.length; i += 3_000) await filling.add(entries.slice(i, i + 3_000))
    await filling.finish()
  }
  await writer.close()
  const random = seededRandom(seed)
  const changes = Array.from({ length: 300 }, (_, i) => {
    const of = Math.floor(random() * 9_000)
    return i % 2 === 0 ? change(20_000 + i) : { ...change(20_000 + i, 'remove', entry(of)) }
  })
  for (const lists of [writer, truth]) await lists.apply('shard', changes)
  await writer.close()
  await fc.assert(
    fc.asyncProperty(
      fc.nat({ max: 9_400 }),
      fc.boolean(),
      fc.subarray([...CELLS], { minLength: 1 }),
      fc.option(fc.integer({ min: -1, max: 5_001 }), { nil: undefined }),
      async (offset, ascending, cells, score) => {
        const bound = score === undefined ? undefined : { score, member: '' }
        const { client: counting, counts } = watched()
        const cold = open(name, { client: counting })
        const includes = (cell: string): boolean => cells.includes(cell as never)
        const question = { ...ALL, offset, ascending, includes, lower: bound }
        await expectSame(cold, truth, question)
        // The manifest, fences, the base file's beginning, logs, the directory, and for each list a chunk or two.
        const asked = counts.get('GetObjectCommand') ?? 0
        expect(asked).toBeLessThan(20)
        expect((await cold.select(question)).rounds).toBe(1)
        expect(counts.get('GetObjectCommand')).toBe(asked + 1)
        await expectSame(cold, truth, { ...question, lower: undefined, upper: bound, ascending: !ascending })
      },
    ),
    { numRuns: 25, seed },
  )
}, 300_000)

test('two processes that write and merge at once lose nothing of each other', async () => {
  const name = newName()
  const [truth, ...writers] = [memoryLists(), open(name, { commitBytes: 2_000 }), open(name, { commitBytes: 3_000 })]
  await Promise.all(writers.map((lists) => lists.create()))
  await truth.create()
  await Promise.all(
    writers.map(async (lists, shard) => {
      for (let i = shard; i < 120; i += 6) {
        const part = [change(i), change(i + 2), change(i + 4, i % 4 === 0 ? 'add' : 'remove', entry(i))]
        await lists.apply(`shard-${shard}`, part)
        await lists.apply(`shard-${shard}`, part.slice(0, 1))
        await truth.apply(`shard-${shard}`, part)
      }
    }),
  )
  for (const lists of writers) await lists.close()
  const reader = open(name)
  for (let offset = 0; offset < 125; offset += 9) {
    for (const lists of [...writers, reader]) await expectSame(lists, truth, { ...ALL, offset })
  }
  await reader.validate('42')
  // Objects that were merged or written anew are removed.
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: BUCKET, Prefix: prefixOf(name) }))
  const manifest = await manifestOf(name)
  expect(Contents.length).toBe(3 + manifest.logs.length)
}, 300_000)

describe('a log that is carried over the merge of another process', () => {
  test.each(['the one that wrote it', 'the one that merged', 'a third one'])('is extended by %s', async (by) => {
    const name = newName()
    const truth = memoryLists()
    const other = open(name, { commitBytes: 1e9 })
    const meanwhile = {
      isDone: false,
      async before(request: string, key: string) {
        if (this.isDone || request !== 'PutObjectCommand' || !key.includes('/base-')) return
        this.isDone = true
        const removed = [3, 30, 300, 591].map((i) => change(5_000 + i, 'remove', entry(i)))
        await make(other, 'shard-1', [...removed, change(6_001), change(6_002), change(6_003, 'remove', entry(6_002))])
      },
    }
    const make = async (lists: SortedLists, shard: string, changes: readonly ListChange[]): Promise<void> => {
      for (const each of [lists, truth]) await each.apply(shard, changes)
    }
    for (const lists of [open(name), truth]) {
      const filling = await lists.fill()
      await filling.add(Array.from({ length: 600 }, (_, i) => entry(i)))
      await filling.finish()
    }
    const merging = open(name, {
      commitBytes: 1,
      client: watched({ before: (request, key) => meanwhile.before(request, key) }).client,
    })
    const added = (from: number): ListChange[] => Array.from({ length: 150 }, (_, i) => change(from + i))
    await make(merging, 'shard-0', added(1_000))
    await merging.close()
    const expectAll = async (reader: SortedLists): Promise<void> => {
      const { total } = await truth.select(ALL)
      for (let offset = 0; offset <= total; offset++) await expectSame(reader, truth, { ...ALL, offset })
      await reader.validate('42')
    }
    const cold = (): SortedLists => open(name, { refreshMs: 1e9 })
    expect(await manifestOf(name)).toMatchObject({ logs: [{}], sealed: 0, generation: 3 })
    await expectAll(cold())
    const warm = open(name, { refreshMs: 200 })
    await warm.select(ALL)

    const extending = { 'the one that wrote it': other, 'the one that merged': merging }[by] ?? open(name)
    await make(extending, 'shard-1', [change(7_001)])
    await extending.close()
    expect(await manifestOf(name)).toMatchObject({ logs: [{}], sealed: 0, generation: 3 })
    await expectAll(cold())
    await sleep(200)
    await expectAll(warm)

    await make(open(name, { commitBytes: 1e9 }), 'shard-2', [change(7_002), change(7_003, 'remove', entry(9))])
    const last = open(name, { commitBytes: 1 })
    await make(last, 'shard-0', added(8_000))
    await last.close()
    expect(await manifestOf(name)).toMatchObject({ logs: [], generation: 4 })
    await expectAll(cold())
  })
})

test('a merge removes what a process put that ended before its manifest; one that was only asleep loses nothing by it', async () => {
  const name = newName()
  const truth = memoryLists()
  let wake = (): void => {}
  const woken = new Promise<void>((resolve) => {
    wake = resolve
  })
  /** A process that sends so many manifests, and then sleeps before the next. */
  const sleeping = (manifests: number, commitBytes: number): SortedLists => {
    const isNext = (request: string, key: string): boolean =>
      request === 'PutObjectCommand' && key.endsWith('/manifest.json') && manifests-- <= 0
    const { client: own } = watched({ before: (...sent) => (isNext(...sent) ? woken : undefined) })
    return open(name, { commitBytes, client: own })
  }
  for (const lists of [open(name), truth]) await lists.create()
  const make = async (lists: SortedLists, shard: string, part: readonly ListChange[]): Promise<void> => {
    await truth.apply(shard, part)
    await lists.apply(shard, part)
  }
  // It merges after its first log, and seals that with a second manifest.
  const merging = sleeping(2, 1)
  await make(merging, 'shard-0', [change(1), change(2)])
  await expect.poll(() => unnamedIn(name), PATIENCE).toHaveLength(2)
  const writing = sleeping(0, 1e9)
  const written = make(writing, 'shard-1', [change(3), change(4)])
  await expect.poll(() => unnamedIn(name), PATIENCE).toHaveLength(3)
  await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: `${prefixOf(name)}notes.txt`, Body: 'not ours' }))

  const next = open(name, { commitBytes: 1 })
  await make(next, 'shard-2', [change(5)])
  await next.close()
  expect(await unnamedIn(name)).toEqual(['notes.txt'])

  wake()
  await written
  for (const lists of [merging, writing]) await lists.close()
  const reader = open(name)
  for (let offset = 0; offset <= 5; offset++) await expectSame(reader, truth, { ...ALL, offset })
  expect(await unnamedIn(name)).toEqual(['notes.txt'])
}, 300_000)

test('a merge removes nothing that another process writes as soon as the merged base is in place', async () => {
  const name = newName()
  const [truth, other] = [memoryLists(), open(name)]
  for (const lists of [other, truth]) await lists.create()
  const make = async (lists: SortedLists, shard: string, part: readonly ListChange[]): Promise<void> => {
    await truth.apply(shard, part)
    await lists.apply(shard, part)
  }
  // The manifest with its log, the one that seals it, and the one that names the merged base.
  let manifests = 3
  const before = async (request: string, key: string): Promise<void> => {
    if (manifests === 0) {
      manifests -= 1
      await make(other, 'shard-1', [change(3), change(4)])
    }
    if (request === 'PutObjectCommand' && key.endsWith('/manifest.json')) manifests -= 1
  }
  const merging = open(name, { commitBytes: 1, client: watched({ before }).client })
  await make(merging, 'shard-0', [change(1), change(2)])
  await merging.close()
  expect(await manifestOf(name)).toMatchObject({ logs: [{}], sealed: 0 })
  const reader = open(name)
  for (let offset = 0; offset <= 4; offset++) await expectSame(reader, truth, { ...ALL, offset })
  expect(await unnamedIn(name)).toEqual([])
}, 300_000)

test('a write that fails, or is done although it seems to have failed, is made once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('before', 'after', 'twice', 'twice', undefined, undefined, undefined), {
        minLength: 1,
        maxLength: 30,
      }),
      async (faults) => {
        const name = newName()
        let requests = 0
        let isFaulty = false
        const fail = (when: 'before' | 'after') => () => {
          if (when === 'before') requests++
          if (isFaulty && faults[requests % faults.length] === when) throw new Error('the connection was lost')
        }
        const { client: faulty } = watched({
          before: fail('before'),
          after: fail('after'),
          // As a client does that hears nothing of its first try.
          twice: () => faults[requests % faults.length] === 'twice',
        })
        const lists = open(name, { client: faulty, commitBytes: 1_500 })
        const truth = memoryLists()
        for (const each of [lists, truth]) await each.create()
        for (let i = 0; i < 24; i += 3) {
          const part = [change(i), change(i + 1), change(i + 2, 'remove', entry(i))]
          isFaulty = true
          for (let tries = 0; ; tries++) {
            isFaulty = tries < 5
            try {
              await lists.apply('shard', part)
              break
            } catch (error) {
              expect(error).toMatchObject({ code: 'unavailable' })
            }
          }
          isFaulty = false
          await truth.apply('shard', part)
          for (const offset of [0, 3, i]) await expectSame(lists, truth, { ...ALL, offset })
        }
        await lists.close()
        await lists.validate('42')
      },
    ),
    { numRuns: 6, seed },
  )
}, 300_000)

describe('a damaged object', () => {
  test.each(['manifest', 'base', 'log', 'fences'])(
    '%s answers nothing until the lists are filled anew',
    async (kind) => {
      const name = newName()
      const writer = open(name)
      const filling = await writer.fill()
      await filling.add([entry(1)])
      await filling.finish()
      await writer.apply('shard', [change(2)])
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: BUCKET, Prefix: prefixOf(name) }))
      const key = Contents.map(({ Key = '' }) => Key).find((each) => each.includes(`/${kind}`)) ?? ''
      const { Body } = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key: key }))
      const bytes = Buffer.from((await Body?.transformToByteArray()) ?? [])
      await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: key, Body: bytes.fill(0x20, 0, 2) }))
      const reader = open(name)
      await expect(reader.select(ALL)).rejects.toMatchObject({ code: 'page_index_damaged' })
      await expect(reader.apply('shard', [change(3)])).rejects.toMatchObject({ code: 'page_index_damaged' })
      expect(await reader.state()).toBe('absent')
      await reader.fill().then((again) => again.finish())
      expect(await reader.select(ALL)).toMatchObject({ total: 0 })
      expect(await reader.state()).toBe('ready')
    },
  )
})

test('an S3 that is gone is unavailable, and lists that never were are absent', async () => {
  const missing = open(newName())
  expect(await missing.state()).toBe('absent')
  await missing.apply('shard', [change(1)])
  expect(await missing.select(ALL)).toMatchObject({ total: 0, place: undefined })
  const other = await startS3()
  const gone = await s3Client(other, BUCKET)
  const lists = open('T', { client: gone })
  await lists.create()
  await other.kill()
  for (const asked of [lists.select(ALL), lists.state(), lists.apply('shard', [change(1)])]) {
    await expect(asked).rejects.toMatchObject({ code: 'unavailable' })
  }
  gone.destroy()
  const nowhere = open('T', { bucket: 'no-such-bucket' })
  await expect(nowhere.create()).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('bucket'),
  })
})

test('the mark of a shard that was still for a week is gone', () => expectWeekOfMarks(open(newName())))

/** Objects that are there, and the manifest does not name. */
async function unnamedIn(name: string): Promise<readonly string[]> {
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: BUCKET, Prefix: prefixOf(name) }))
  const manifest = JSON.stringify(await manifestOf(name))
  const keys = Contents.map(({ Key = '' }) => Key.slice(prefixOf(name).length))
  return keys.filter((key) => key !== 'manifest.json' && !manifest.includes(key))
}

function prefixOf(name: string): string {
  return `lapidary/${encodeURIComponent(`comments/${name}`)}/`
}

async function manifestOf(name: string): Promise<{ readonly logs: readonly unknown[] }> {
  const { Body } = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key: `${prefixOf(name)}manifest.json` }))
  return JSON.parse((await Body?.transformToString()) ?? '')
}
