import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Comment, comment, comments } from '../../test/comments-fixture.ts'
import { type MemoryTable, type MemoryTableOptions, memoryTable } from '../../test/memory-table.ts'
import { boundBeyond, type CursorPoint } from '../cursor/cursor.ts'
import { indexes } from '../layouts/indexes/indexes.ts'
import { createEntryCodec, entryBytes } from '../model/entry.ts'
import { parseQuery } from '../model/query.ts'
import { seededRandom } from '../model/seeded-random.ts'
import { exactSize } from '../planner/entry-size.ts'
import { declaredEstimates } from '../planner/estimates.ts'
import { type Plan, planSources, type SourceNode } from '../planner/plan.ts'
import { planQuery } from '../planner/plan-query.ts'
import { type ExecuteOptions, type Execution, execute } from './execute.ts'

const layout = indexes().of(comments)
const codec = createEntryCodec(comments)

type Rating = Comment['rating']

/** English comments, a rating each: the first is the newest. */
interface Case {
  readonly ratings: readonly Rating[]
  readonly asked: readonly Rating[]
  readonly limit: number
  readonly order: 'newest' | 'oldest'
  readonly textBytes: number
  readonly seed: number
}

const cases = fc.record<Case>({
  ratings: fc.array(fc.constantFrom<Rating>(1, 2, 3, 4), { minLength: 5, maxLength: 50, size: 'max' }),
  asked: fc.constantFrom<readonly Rating[]>([1, 2], [1, 2, 3], [2, 3, 4]),
  limit: fc.constantFrom(1, 3, 7, 12),
  order: fc.constantFrom('newest', 'oldest'),
  textBytes: fc.constantFrom(10, 900, 3_000),
  seed: fc.nat(),
})

interface Setting extends MemoryTable {
  readonly plan: Plan
  /** Numbers of the comments that are asked for, in the query's order. */
  readonly expected: readonly string[]
  page(point?: CursorPoint, options?: Partial<ExecuteOptions>, plan?: Plan): Promise<Execution>
  after(page: Execution): CursorPoint
}

function setting({ ratings, asked, limit, order, textBytes }: Case, options: MemoryTableOptions = {}): Setting {
  const items = ratings.map((rating, i) => {
    const createdAt = new Date(Date.UTC(2024, 0, 1) - i * 60_000).toISOString()
    return comment({ id: String(100 + i), createdAt, rating, text: 'x'.repeat(textBytes) })
  })
  const entries = items.flatMap((item) => layout.entriesOf({ ...item }, codec.toEntry({ ...item })))
  const memory = memoryTable(layout, entries, options)
  const query = parseQuery(comments, { scope: '42', where: { language: 'en', rating: asked }, limit, order })
  const size = exactSize(entryBytes(entries[0] ?? {}))
  // Only the lists of single ratings, so that there is always something to merge.
  const lists = {
    ...memory.lists,
    accessPaths: (...given: Parameters<typeof layout.accessPaths>) => ({
      paths: layout.accessPaths(...given).paths.filter(({ index }) => index === 'byLanguageAndRating'),
      refused: [],
    }),
  }
  const plan = planQuery(lists, query, { ...declaredEstimates(comments), size: () => size })
  const found = items.filter(({ rating }) => asked.includes(rating)).map(({ id }) => id)
  return {
    ...memory,
    plan,
    expected: order === 'newest' ? found : found.toReversed(),
    page: (point, given, run = plan) => execute(run, { ...memory, codec, now: () => 0, point, ...given }),
    after: ({ frontier }) => ({
      direction: 'forward',
      bound: boundBeyond(query, 'forward', frontier ?? expect.fail('nowhere to go on from')),
    }),
  }
}

const idsOf = ({ heads }: Execution): readonly string[] => heads.map(({ entry }) => entry.id?.S ?? '')

function cutting(seed: number): NonNullable<MemoryTableOptions['evaluated']> {
  const random = seededRandom(seed)
  return (limit) => (random() < 0.3 ? limit : Math.ceil(random() * limit))
}

/** A plan that reads so much of each list at first. */
function fetching(plan: Plan, sizes: readonly number[]): Plan {
  const sources = planSources(plan).map(({ source }, i): SourceNode => ({ ...source, fetch: sizes[i] ?? 1 }))
  if (plan.root.kind !== 'limit') return plan
  return { ...plan, root: { ...plan.root, input: { kind: 'merge', order: plan.query.order, inputs: sources } } }
}

/** Follows pages that may be stopped to the end. */
async function walk(table: Setting, read: (point: CursorPoint | undefined) => Promise<Execution>): Promise<void> {
  const found: string[] = []
  let point: CursorPoint | undefined
  for (let pages = 0; pages < 300; pages++) {
    const page = await read(point)
    found.push(...idsOf(page))
    expect(page.heads.length).toBeLessThanOrEqual(table.plan.query.limit)
    if (page.stoppedBy === undefined) expect(page.more).toBe(found.length < table.expected.length)
    if (!page.more) break
    if (page.stoppedBy === undefined) expect(page.heads).toHaveLength(table.plan.query.limit)
    point = table.after(page)
  }
  expect(found).toEqual(table.expected)
}

describe('pages of merged lists follow each other without a gap', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 3, maxLength: 3 })

  test('whatever is read at first, and whatever DynamoDB cuts short', () =>
    fc.assert(
      fc.asyncProperty(cases, sizes, fc.boolean(), async (made, first, tellsEnds) => {
        const table = setting(made, { evaluated: cutting(made.seed), tellsEnds })
        await walk(table, (point) => table.page(point, {}, fetching(table.plan, first)))
      }),
    ))

  test('where a cap stops them, which holds', () =>
    fc.assert(
      fc.asyncProperty(cases, sizes, fc.constantFrom(1.5, 2, 3.5, 8), async (made, first, maxCapacity) => {
        const table = setting(made, { evaluated: cutting(made.seed) })
        await walk(table, async (point) => {
          const page = await table.page(point, { maxCapacity }, fetching(table.plan, first))
          expect(page.actual.rcu).toBeLessThanOrEqual(maxCapacity)
          if (page.stoppedBy !== undefined) expect(page).toMatchObject({ stoppedBy: 'maxCapacity', more: true })
          return page
        })
      }),
    ))

  test('where an abort stops one of them', () =>
    fc.assert(
      fc.asyncProperty(cases, sizes, fc.nat(8), async (made, first, queries) => {
        let left = queries
        const controller = new AbortController()
        const before = (): void => {
          if (left-- === 0) controller.abort('enough')
        }
        const table = setting(made, { evaluated: cutting(made.seed), before })
        await walk(table, async (point) => {
          const { aborted } = controller.signal
          const options = aborted ? {} : { signal: controller.signal }
          const page = await table.page(point, options, fetching(table.plan, first)).catch((error) => {
            expect(error).toMatchObject({ code: 'aborted', cause: 'enough' })
            return table.page(point)
          })
          if (page.stoppedBy !== undefined) expect([aborted, page.stoppedBy]).toEqual([false, 'aborted'])
          return page
        })
      }),
    ))
})

describe('a page asks no more than it needs', () => {
  /** Comments rated in turn. */
  const inTurn = (limit: number, ratings: readonly Rating[] = [1, 2]): Case => ({
    ...{ ratings: Array.from({ length: 30 }, (_, i) => ratings[i % ratings.length] ?? 1), asked: ratings, limit },
    ...{ order: 'newest', textBytes: 10, seed: 0 },
  })
  const limits = ({ answers }: Setting): readonly (number | undefined)[] => answers.map(({ input }) => input.Limit)

  test('at first what the plan says', async () => {
    const table = setting(inTurn(4))
    await table.page(undefined, {}, fetching(table.plan, [6, 5]))
    expect(limits(table)).toEqual([6, 5])
  })

  test('nothing once it is full and an item waits that follows, though a list has run dry', async () => {
    const table = setting(inTurn(4))
    const { more, actual } = await table.page(undefined, {}, fetching(table.plan, [3, 2]))
    expect([more, actual.rounds, limits(table)]).toEqual([true, 1, [3, 2]])
  })

  test('one item of each list that has run dry, where it is full and nothing waits', async () => {
    const table = setting(inTurn(4))
    const { more, actual } = await table.page(undefined, {}, fetching(table.plan, [2, 2]))
    expect([more, actual.rounds]).toEqual([true, 2])
    expect(limits(table).slice(2).length).toBeGreaterThan(0)
  })

  test('what the page still lacks and one more, where DynamoDB cut the only list short', async () => {
    const table = setting({ ...inTurn(12), asked: [1] }, { evaluated: (limit) => Math.min(5, limit) })
    const [only] = planSources(table.plan)
    const { heads, more } = await table.page()
    expect(heads).toHaveLength(12)
    expect(more).toBe(true)
    expect(limits(table)).toEqual([only?.source.fetch, 8, 3])
  })

  test('nothing after an abort, also where the table answered in spite of it', async () => {
    const table = setting(inTurn(9), { evaluated: () => 2 })
    const controller = new AbortController()
    const send = (async (...given: Parameters<typeof table.table.send>) => {
      const answer = await table.table.send(...given)
      controller.abort()
      return answer
    }) as unknown as typeof table.table.send
    const { signal } = controller
    const page = await table.page(undefined, { signal, table: { ...table.table, send } })
    expect(page).toMatchObject({ stoppedBy: 'aborted', more: true, actual: { requests: 2, rounds: 1 } })
    // The first list may go on right after its second, which is the third of all.
    expect(idsOf(page)).toEqual(table.expected.slice(0, 3))
  })
})

describe('a cap', () => {
  const heavy: Case = {
    ...{ ratings: [1, 2, 3, 1, 2, 3, 1, 2, 3], asked: [1, 2, 3], limit: 9 },
    order: 'newest',
    textBytes: 3_500,
    seed: 0,
  }

  test('below what each list costs at least is refused before anything is read', async () => {
    const table = setting(heavy)
    await expect(table.page(undefined, { maxCapacity: 1.4 })).rejects.toMatchObject({
      code: 'capacity_exhausted',
      message: expect.stringContaining('maxCapacity 1.4 is less than'),
    })
    expect(table.answers).toEqual([])
  })

  test('is used up to its last half unit, and no more', async () => {
    for (const maxCapacity of [1.5, 2, 3, 3.5, 4.5]) {
      const table = setting(heavy)
      const { actual, stoppedBy } = await table.page(undefined, { maxCapacity })
      expect(actual.rcu).toBeLessThanOrEqual(maxCapacity)
      // Each of the nine fills a block of its own.
      if (maxCapacity < 4.5) expect([stoppedBy, actual.rcu > maxCapacity - 1.5]).toEqual(['maxCapacity', true])
    }
  })

  test('that fits the next round just so lets it begin', async () => {
    const table = setting({ ...heavy, ratings: [1, 2, 1, 2, 1, 2, 1, 2], asked: [1, 2], limit: 8 })
    const first = await table.page(undefined, {}, fetching(table.plan, [2, 2]))
    expect(first.actual.rounds).toBeGreaterThan(1)
    const capped = await table.page(undefined, { maxCapacity: first.actual.rcu }, fetching(table.plan, [2, 2]))
    expect(capped.stoppedBy).toBeUndefined()
    expect(idsOf(capped)).toEqual(table.expected)
  })
})

test('an error of the table is the caller’s, with a signal or without one', async () => {
  const failing = (): never => {
    throw new Error('no such index')
  }
  const table = setting(
    { ratings: [1, 2], asked: [1, 2], limit: 3, order: 'newest', textBytes: 1, seed: 0 },
    { before: failing },
  )
  await expect(table.page()).rejects.toThrow('no such index')
  await expect(table.page(undefined, { signal: new AbortController().signal })).rejects.toThrow('no such index')
})
