import fc from 'fast-check'
import {
  type CollectionCase,
  collectionCase,
  collectionOf,
  createOracle,
  itemsOf,
  type Oracle,
  queryOf,
} from 'lapidary-testing'
import { describe, expect, test } from 'vitest'
import { type MemoryTable, type MemoryTableOptions, memoryTable } from '../../test/memory-table.ts'
import { boundBeyond, type CursorPoint } from '../cursor/cursor.ts'
import { indexes } from '../layouts/indexes/indexes.ts'
import type { Item } from '../model/collection.ts'
import { createEntryCodec } from '../model/entry.ts'
import { LapidaryError } from '../model/errors.ts'
import { parseQuery, type QueryInput } from '../model/query.ts'
import { seededRandom } from '../model/seeded-random.ts'
import { declaredEstimates } from '../planner/estimates.ts'
import { planQuery } from '../planner/plan-query.ts'
import { type ExecuteOptions, type Execution, execute } from './execute.ts'

interface Case {
  readonly made: CollectionCase
  readonly items: readonly Item[]
  readonly input: QueryInput
  readonly seed: number
}

const cases = collectionCase().chain((made) =>
  fc.record<Case>({ made: fc.constant(made), items: itemsOf(made, 20), input: queryOf(made), seed: fc.nat() }),
)

interface Setting extends MemoryTable {
  readonly oracle: Oracle<Item>
  page(point?: CursorPoint, options?: Partial<ExecuteOptions>): Promise<Execution>
  /** Where the page after one begins. */
  after(page: Execution): CursorPoint
  /** Where the page before one begins. */
  before(page: Execution): CursorPoint
  ids(page: Execution): unknown[]
}

function setting({ made, items, input }: Case, options: MemoryTableOptions = {}): Setting {
  const collection = collectionOf(made)
  const layout = indexes().of(collection)
  const codec = createEntryCodec(collection)
  const oracle = createOracle<Item>(collection)
  for (const item of items) oracle.put(item)
  const memory = memoryTable(
    layout,
    items.flatMap((item) => layout.entriesOf(item, codec.toEntry(item))),
    options,
  )
  const query = parseQuery(collection, input)
  const plan = planQuery(memory.lists, query, declaredEstimates(collection), { maxSources: made.maxSources })
  let time = 0
  return {
    ...memory,
    oracle,
    page: (point, given) => execute(plan, { ...memory, codec, now: () => time++, point, ...given }),
    after: ({ frontier }) => ({
      direction: 'forward',
      bound: boundBeyond(query, 'forward', frontier ?? expect.fail('nowhere to go on from')),
    }),
    before: ({ heads: [first] }) => ({
      direction: 'backward',
      bound: boundBeyond(query, 'backward', first?.position ?? expect.fail('nowhere to go back from')),
    }),
    ids: ({ heads }) => heads.map(({ entry }) => codec.toItem(entry).id),
  }
}

/** Cuts reads short at random. */
function cutting(seed: number): NonNullable<MemoryTableOptions['evaluated']> {
  const random = seededRandom(seed)
  return (limit) => (random() < 0.5 ? limit : Math.ceil(random() * limit))
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** The page is the oracle's, and what it says that it took is what the table answered. */
async function expectPage({ oracle, answers, page, ids }: Setting, input: QueryInput, point?: CursorPoint) {
  answers.length = 0
  const execution = await page(point)
  const expected = oracle.page(input, point)
  expect(ids(execution)).toEqual(expected.items.map(({ id }) => id))
  expect(execution).toMatchObject({ more: expected.more, stoppedBy: undefined })
  const { actual, sources } = execution
  expect(actual).toEqual({
    rcu: sum(answers.map(({ output }) => output.ConsumedCapacity?.CapacityUnits ?? 0)),
    requests: answers.length,
    rounds: actual.rounds,
    itemsRead: sum(answers.map(({ output }) => output.ScannedCount ?? 0)),
    itemsReturned: expected.items.length,
    itemsDiscarded: actual.itemsFilteredOut + actual.itemsReadAhead,
    itemsFilteredOut: actual.itemsRead - actual.itemsReturned - actual.itemsReadAhead,
    itemsReadAhead: sum(sources.map(({ ahead }) => ahead)),
    bytes: actual.bytes,
    ms: 1,
  })
  for (const field of ['rcu', 'requests', 'itemsRead', 'itemsReturned', 'bytes'] as const)
    expect(sum(sources.map((source) => source[field]))).toBeCloseTo(actual[field], 9)
  expect(actual.rounds).toBeLessThanOrEqual(actual.requests)
  expect(actual.rounds).toBeGreaterThanOrEqual(Math.min(1, actual.requests))
  return execution
}

describe('each page is the oracle’s', () => {
  const walk = async (made: Case, options: MemoryTableOptions): Promise<void> => {
    const table = setting(made, options)
    const pages = [await expectPage(table, made.input)]
    for (let last = pages[0] as Execution; last.more && pages.length < 12; pages.push(last))
      last = await expectPage(table, made.input, table.after(last))
    const [, ...later] = pages
    for (const one of later.filter(({ heads }) => heads.length > 0))
      await expectPage(table, made.input, table.before(one))
  }

  test('forwards and backwards', () => fc.assert(fc.asyncProperty(cases, (made) => walk(made, {}))))

  test('whatever DynamoDB cuts short', () =>
    fc.assert(fc.asyncProperty(cases, (made) => walk(made, { evaluated: cutting(made.seed) }))))

  test('where a list takes two conditions', () =>
    fc.assert(
      fc.asyncProperty(cases, (made) => {
        const { orderValues, rank } = made.made
        const values = made.input.by === 'rank' ? (rank?.values ?? []) : orderValues
        const order = values[made.seed % values.length] ?? 0
        return walk(made, { evaluated: cutting(made.seed), splitAt: { order, id: undefined, side: 'after' } })
      }),
    ))
})

/** What a walk forwards gives, with pages that may be stopped. */
async function collected(
  table: Setting,
  next: (point: CursorPoint | undefined) => Promise<Execution>,
): Promise<unknown[]> {
  const found: unknown[] = []
  let point: CursorPoint | undefined
  for (let pages = 0; pages < 500; pages++) {
    const page = await next(point)
    found.push(...table.ids(page))
    if (!page.more) return found
    point = table.after(page)
  }
  return expect.fail('the walk does not end')
}

const all = ({ oracle }: Setting, input: QueryInput): unknown[] => oracle.matching(input).map(({ id }) => id)

describe('a budget', () => {
  test('stops a page, which says so, and the next goes on without a gap', () =>
    fc.assert(
      fc.asyncProperty(cases, fc.constantFrom(0.5, 1, 2, 5), async (made, least) => {
        const table = setting(made, { evaluated: cutting(made.seed) })
        let maxCapacity = least
        const within = async (point: CursorPoint | undefined): Promise<Execution> => {
          try {
            const page = await table.page(point, { maxCapacity })
            if (page.stoppedBy !== undefined) expect(page).toMatchObject({ stoppedBy: 'maxCapacity', more: true })
            else expect(page.heads.length === table.oracle.page(made.input, point).items.length).toBe(true)
            return page
          } catch (error) {
            expect(error).toMatchObject({
              code: 'capacity_exhausted',
              message: expect.stringContaining(`${maxCapacity}`),
            })
            maxCapacity *= 2
            return within(point)
          }
        }
        expect(await collected(table, within)).toEqual(all(table, made.input))
      }),
    ))
})

describe('a cap', () => {
  /** Entries of at most the bytes that are declared, which with one of them for each list fit into a block. */
  const light = cases.map((made): Case => ({ ...made, made: { ...made.made, itemBytes: 3_000 } }))

  test('holds where entries weigh no more than is declared', () =>
    fc.assert(
      fc.asyncProperty(light, fc.constantFrom(0.5, 1, 2, 5, 16, 50), async (made, maxCapacity) => {
        const table = setting(made)
        try {
          const { actual, heads, stoppedBy } = await table.page(undefined, { maxCapacity })
          expect(actual.rcu).toBeLessThanOrEqual(maxCapacity)
          expect(stoppedBy === undefined || heads.length <= (made.input.limit ?? 20)).toBe(true)
        } catch (error) {
          expect(error).toMatchObject({
            code: 'capacity_exhausted',
            message: expect.stringMatching(/ maxCapacity|^maxCapacity/),
          })
          expect(table.answers).toEqual([])
        }
      }),
    ))

  test('that is enough changes no answer, and costs no more than the requests in which it finds out what entries weigh', () =>
    fc.assert(
      fc.asyncProperty(light, async (made) => {
        const free = await setting(made).page()
        const capped = setting(made)
        const page = await capped.page(undefined, { maxCapacity: 1_000 })
        expect(page.stoppedBy).toBeUndefined()
        expect(capped.ids(page)).toEqual(capped.oracle.page(made.input).items.map(({ id }) => id))
        // Each request is rounded up by itself.
        const more = Math.max(0, page.actual.requests - free.actual.requests)
        expect(page.actual.rcu).toBeLessThanOrEqual(free.actual.rcu + 0.5 * more)
      }),
    ))
})

describe('an abort', () => {
  test('before anything was asked reads nothing', () =>
    fc.assert(
      fc.asyncProperty(cases, async (made) => {
        const table = setting(made)
        const read = await table.page(undefined, { signal: AbortSignal.abort('at once') }).catch((error) => error)
        expect(table.answers).toEqual([])
        if (read instanceof LapidaryError)
          expect(read).toMatchObject({
            code: 'aborted',
            cause: 'at once',
            message: expect.stringContaining('before it read'),
          })
        else expect(read).toMatchObject({ heads: [], more: false, stoppedBy: undefined })
      }),
    ))

  test('gives what is certain, and the next page goes on without a gap', () =>
    fc.assert(
      fc.asyncProperty(cases, fc.nat(6), async (made, after) => {
        const controller = new AbortController()
        let queries = 0
        const table = setting(made, {
          evaluated: cutting(made.seed),
          before: () => {
            if (queries++ === after) controller.abort(new Error('enough'))
          },
        })
        const { signal } = controller
        let first = true
        const aborted = async (point: CursorPoint | undefined): Promise<Execution> => {
          if (!first) return table.page(point)
          first = false
          try {
            const page = await table.page(point, { signal })
            if (page.stoppedBy !== undefined) expect(page).toMatchObject({ stoppedBy: 'aborted', more: true })
            return page
          } catch (error) {
            expect(error).toBeInstanceOf(LapidaryError)
            expect(error).toMatchObject({ code: 'aborted', cause: new Error('enough') })
            return table.page(point)
          }
        }
        expect(await collected(table, aborted)).toEqual(all(table, made.input))
      }),
    ))
})

test('an error of the table is the caller’s', () =>
  fc.assert(
    fc.asyncProperty(cases, async (made) => {
      const table = setting(made, {
        before: () => {
          throw new Error('no such index')
        },
      })
      const page = await table.page(undefined, { signal: new AbortController().signal }).catch(String)
      if (page !== 'Error: no such index') expect(page).toMatchObject({ heads: [], actual: { requests: 0 } })
    }),
  ))
