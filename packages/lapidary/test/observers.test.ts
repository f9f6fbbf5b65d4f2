import { AsyncLocalStorage } from 'node:async_hooks'
import { createLapidary, type Figures, type Observer, type StreamEvent, type Work } from 'lapidary'
import { attach } from 'lapidary/attach'
import { importItems } from 'lapidary/transfer'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createSdkClient, dropTables, testEngines, uniqueTableName } from '../../../test/engines/index.ts'
import { PATIENCE } from '../../../test/engines/patience.ts'
import { type Comment, comment, comments } from './comments-fixture.ts'

/** A piece of work as it was observed, with those that it lay within, the outermost first. */
interface Seen {
  readonly work: Work
  readonly within: readonly Seen[]
  figures?: Figures
  error?: unknown
}

/** Notes all work, and what it lay within. */
function recording(): Observer & { readonly seen: Seen[] } {
  const current = new AsyncLocalStorage<readonly Seen[]>()
  const seen: Seen[] = []
  return {
    seen,
    async observe(work, run, figures) {
      const within = current.getStore() ?? []
      const noted: Seen = { work, within }
      seen.push(noted)
      try {
        const result = await current.run([...within, noted], run)
        noted.figures = figures(result)
        return result
      } catch (error) {
        noted.error = error
        throw error
      }
    },
  }
}

const [engine] = testEngines()
if (engine === undefined) throw new Error('there is no engine')
const client = createSdkClient(engine)
const observer = recording()
const options = {
  ...{ client, tableName: uniqueTableName(), collections: { comments }, cursorSecret: 'a secret of the tests' },
  stream: { immediate: true },
} as const
const observed = createLapidary({ ...options, observers: [observer] })
const plain = createLapidary(options)

const SCOPES = Array.from({ length: 12 }, (_, i) => `product-${i}`)

beforeAll(async () => {
  await plain.table.create()
  const items = SCOPES.flatMap((productId, i) =>
    Array.from({ length: 10 + 7 * i }, (_, j) =>
      comment({ id: `${productId}-${j}`, productId, rating: ((j % 5) + 1) as Comment['rating'] }),
    ),
  )
  await importItems(plain.comments, items)
})
afterAll(() => dropTables(client, [options.tableName]))

const kinds = ({ within, work }: Seen): string => [...within.map((each) => each.work), work].map(textOf).join(' > ')

function textOf(work: Work): string {
  return work.kind === 'operation' || work.kind === 'command' || work.kind === 'step'
    ? `${work.kind} ${work.name}`
    : work.kind
}

test('a page is an operation, with its plan, its rounds and the Queries of each', async () => {
  observer.seen.length = 0
  const page = await observed.comments.list({ scope: 'product-3', where: { rating: [4, 5] }, limit: 5 })
  const shapes = observer.seen.map(kinds)
  expect(shapes[0]).toBe('operation list')
  expect(shapes).toContain('operation list > plan')
  expect(shapes).toContain('operation list > round > step list > command Query')
  const [list] = observer.seen
  const { rcu, requests, itemsReturned } = page.plan.actual ?? {}
  expect(list?.work).toMatchObject({ collection: 'COMMENT', table: options.tableName })
  expect(list?.figures).toMatchObject({ plan: page.plan.text, readUnits: rcu, requests, itemsReturned })
  const plan = observer.seen.find(({ work }) => work.kind === 'plan')
  expect(plan?.figures?.lists).toMatch(/^(merge of )?\w+( filtered)?$/)
})

test('among operations that run at once, each command lies within its own', async () => {
  observer.seen.length = 0
  const asked = SCOPES.map((scope, i) => ({ scope, where: { rating: [1, 2, 5] }, limit: 5 + i }) as const)
  const pages = await Promise.all([
    ...asked.map((query) => observed.comments.list(query)),
    ...SCOPES.map((scope) => observed.comments.get(`${scope}-1`)),
  ])
  const lists = observer.seen.filter(({ work }) => work.kind === 'operation' && work.name === 'list')
  expect(lists).toHaveLength(SCOPES.length)
  for (const [i, list] of lists.entries()) {
    const page = pages[i] as Awaited<ReturnType<typeof observed.comments.list>>
    const own = observer.seen.filter(({ within }) => within[0] === list && within.at(-2)?.work.kind === 'round')
    expect(own).toHaveLength(page.plan.actual?.requests ?? -1)
    expect(sum(own)).toBeCloseTo(page.plan.actual?.rcu ?? -1)
  }
  const gets = observer.seen.filter(({ work }) => work.kind === 'command' && work.name === 'GetItem')
  const within = gets.map((each) => each.within[0]).filter((each) => each?.work.kind === 'operation')
  expect(new Set(within).size).toBe(SCOPES.length)
})

function sum(seen: readonly Seen[]): number {
  return seen.reduce((total, { figures }) => total + (figures?.readUnits ?? 0), 0)
}

test('answers, and what they take, are those of a database without observers', async () => {
  for (const scope of SCOPES) {
    const query = { scope, where: { rating: [2, 3] }, limit: 4 } as const
    const [first, second] = [await observed.comments.list(query), await plain.comments.list(query)]
    expect(first.items).toEqual(second.items)
    expect({ ...first.plan.actual, ms: 0 }).toEqual({ ...second.plan.actual, ms: 0 })
  }
})

test('each page of an iteration is an operation, and a page that a budget ends says so', async () => {
  observer.seen.length = 0
  const ids = []
  for await (const { id } of observed.comments.iterate({ scope: 'product-9', limit: 30 })) ids.push(id)
  expect(ids).toHaveLength(73)
  expect(observer.seen.filter(({ within }) => within.length === 0).map(kinds)).toEqual(
    Array.from({ length: 3 }, () => 'operation iterate'),
  )

  observer.seen.length = 0
  await observed.comments.list({ scope: 'product-9', limit: 60, maxCapacity: 1 })
  expect(observer.seen[0]?.figures?.stoppedBy).toBe('maxCapacity')
})

test('an error passes through the observers, the first of which is the outermost', async () => {
  const order: string[] = []
  const noting = (name: string): Observer => ({
    async observe(_, run) {
      order.push(`${name} begins`)
      return run().finally(() => order.push(`${name} ends`))
    },
  })
  const both = createLapidary({ ...options, observers: [noting('first'), noting('second')] })
  await expect(both.comments.list({ scope: '' })).rejects.toMatchObject({ code: 'unprocessable' })
  expect(order).toEqual(['first begins', 'second begins', 'second ends', 'first ends'])
})

test('a write is an operation with its units, and what is counted of it is a commit', async () => {
  observer.seen.length = 0
  const counting = createLapidary({ ...options, derived: { counts: true }, observers: [observer] })
  const poller = await counting.stream.start({ idleMs: 20, gatherMs: 20 })
  try {
    await counting.comments.create(comment({ id: 'written', productId: 'product-of-writes' }))
    const writes = observer.seen.filter(({ figures }) => (figures?.writeUnits ?? 0) > 0).map(kinds)
    expect(writes).toContain('operation create > command PutItem')
    const commit = await vi.waitFor(() => {
      const written = observer.seen.find(
        ({ work, figures }) => work.kind === 'commit' && figures?.outcome === 'written',
      )
      expect(written).toBeDefined()
      return written
    }, PATIENCE)
    expect(observer.seen.filter(({ within }) => within.includes(commit as Seen)).map(kinds)).toContain(
      'commit > command TransactWriteItems',
    )
  } finally {
    await poller.close()
  }
})

test('a batch that Lambda delivers tells how late it was counted', async () => {
  observer.seen.length = 0
  const at = Math.floor(Date.now() / 1000) - 30
  const handler = createLapidary({ ...options, derived: { counts: true }, observers: [observer] }).stream.handler()
  const event: StreamEvent = {
    shardId: 'shardId-of-no-stream',
    Records: [
      {
        eventName: 'INSERT',
        dynamodb: {
          ...{ SequenceNumber: '1', ApproximateCreationDateTime: at, StreamViewType: 'NEW_AND_OLD_IMAGES' },
          Keys: { PK: { S: 'OTHER#1' }, SK: { S: 'OTHER' } },
          NewImage: { PK: { S: 'OTHER#1' }, SK: { S: 'OTHER' } },
        },
      },
    ],
  }
  await handler(event)
  const [batch] = observer.seen
  expect(batch?.work).toMatchObject({ kind: 'batch', shardId: 'shardId-of-no-stream', records: 1 })
  expect(batch?.figures?.lagMs).toBeGreaterThanOrEqual(29_000)
  expect(batch?.figures?.lagMs).toBeLessThan(120_000)
})

test('an attached table is observed too', async () => {
  const seen = recording()
  const attached = attach({
    ...{ client, tableName: options.tableName, collections: { comments: { collection: comments } } },
    ...{ cursorSecret: options.cursorSecret, observers: [seen] },
  })
  await attached.comments.list({ scope: 'product-1' }).catch(() => undefined)
  expect(seen.seen.map(kinds)).toContain('operation list')
})
