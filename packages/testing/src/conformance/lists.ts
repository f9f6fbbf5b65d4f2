import assert from 'node:assert/strict'
import { type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import { type Item, indexes, LapidaryError, type Layout, type Page, type QueryInput } from 'lapidary'
import { seededRandom } from 'lapidary/internal'
import { type CollectionCase, collectionCase, type IndexCases } from '../arbitraries/collections.ts'
import { itemsOf, queryOf } from '../arbitraries/items.ts'
import { createFaultKit } from '../faults/fault-kit.ts'
import { beforeQueries, intercepted } from '../faults/intercept.ts'
import { canHold, type ListConformanceOptions } from './options.ts'
import { withSetting } from './setting.ts'
import { assertPage, assertWalk, collectAll, collectWithin, ids, readCasePage } from './walk.ts'
import { assertStableUnderWrites, moveBetweenRounds, type WriteCase, writeCases, writtenBy } from './writes.ts'

/** The most items that a page can be told of. */
const MOST_WRITTEN = 10

interface Case {
  readonly made: CollectionCase
  readonly items: readonly Item[]
  readonly queries: readonly QueryInput[]
  readonly writes: readonly WriteCase[]
  readonly seed: number
}

/**
 * Tests that pages are those of the naive filter, sort and slice, over made-up collections, items and queries, in both directions, with faults
 * and with writes between pages. Every layout and every engine has to pass.
 *
 * @example
 * ```ts
 * import { describe, it } from 'vitest'
 *
 * const client = () => new DynamoDBClient({ endpoint: 'http://127.0.0.1:8000' })
 * describeListConformance({ name: 'DynamoDB Local', describe, it, client })
 * ```
 */
export function describeListConformance(options: ListConformanceOptions): void {
  const { name, describe, it, runs = 20, timeout = 60_000, layout = indexes() } = options
  const property = (title: string, cost: number, test: (made: Case, client: DynamoDBClient) => Promise<void>): void =>
    it(title, () => check(options, Math.max(1, Math.round(runs * cost)), timeout, test), timeout)

  describe(`lists on ${name}`, () => {
    property('each page is the oracle’s, forwards and backwards, and so are pages of one item', 1, (made, client) =>
      withSetting(client, made.made, made.items, layout, async ({ things, oracle }) => {
        for (const query of made.queries) {
          await assertWalk(things, oracle, query)
          await assertWalk(things, oracle, { ...query, limit: 1 })
        }
      }),
    )

    property(
      'with writes between pages, what was there throughout comes exactly once, nothing twice',
      1,
      (made, client) =>
        withSetting(client, made.made, made.items, layout, async ({ things, oracle }) => {
          await assertStableUnderWrites(things, oracle, made.queries[0] as QueryInput, made.writes)
        }),
    )

    property('an item that moves between lists while a page is read comes at most once in it', 1, (made, client) =>
      withSetting(client, made.made, made.items, layout, async (setting) => {
        await moveBetweenRounds(setting, client, made.queries[0] as QueryInput, made.writes, seededRandom(made.seed))
      }),
    )

    const outlives = (made: Case, client: DynamoDBClient, other: Layout, otherIndexes: IndexCases): Promise<void> =>
      withSetting(client, made.made, made.items, layout, async (before) => {
        await withSetting(
          client,
          made.made,
          made.items,
          other,
          async (after) => {
            for (const query of made.queries) {
              const first = await assertPage(before.things, before.oracle, query)
              const { next } = first.cursors
              if (next === null) continue
              await assertPage(after.things, after.oracle, query, next)
              const rest = await collectAll(after.things, query, next)
              assert.deepEqual(ids([...first.items, ...rest]), ids(after.oracle.matching(query)))
            }
          },
          otherIndexes,
        )
      })

    property('a page that is told what was written shows it, however late its lists are', 1, (made, client) =>
      withSetting(client, made.made, made.items, layout, (behind) =>
        withSetting(client, made.made, made.items, layout, async (setting) => {
          const written = await writtenBy(setting, made.writes.slice(0, MOST_WRITTEN))
          const late = setting.through(
            intercepted<DynamoDBClient>(client, (command, send) =>
              send(
                command instanceof QueryCommand
                  ? new QueryCommand({ ...command.input, TableName: behind.tableName })
                  : command,
              ),
            ),
          )
          const things: typeof late = { ...late, list: (query) => late.list({ ...query, written }) }
          for (const query of made.queries) {
            await assertWalk(things, setting.oracle, query)
            await assertWalk(things, setting.oracle, { ...query, limit: 1 })
            const short = await collectWithin(things, query, written.length + 0.5)
            assert.deepEqual(ids(short), ids(setting.oracle.matching(query)))
          }
        }),
      ),
    )

    property('a cursor outlives a change of layout', 0.5, (made, client) =>
      outlives(made, client, indexes(), wholeScopeIndexes(made.made)),
    )

    if (layout.capabilities.declaredIndexes) {
      property('a cursor outlives a change of the declared indexes', 0.5, (made, client) =>
        outlives(made, client, layout, made.made.otherIndexes),
      )
    }

    property('a page that a budget stops says so, and its cursor goes on without a gap', 1, (made, client) =>
      withSetting(client, made.made, made.items, layout, async ({ things, oracle }) => {
        for (const query of made.queries) {
          for (const maxCapacity of [0.5, 1, 3]) {
            const found = await collectWithin(things, query, maxCapacity)
            assert.deepEqual(ids(found), ids(oracle.matching(query)))
          }
        }
      }),
    )

    property('throttles and short pages change no answer', 1, (made, client) =>
      withSetting(client, made.made, made.items, layout, async ({ through, oracle }) => {
        const faults = createFaultKit({ seed: made.seed, rates: { throttled: 0.2, short: 0.6 } })
        const things = through(faults.dynamodb(client))
        for (const query of made.queries) await assertWalk(things, oracle, query)
      }),
    )

    property('an aborted read gives what is certain, or says that it read nothing', 1, (made, client) =>
      withSetting(client, made.made, made.items, layout, async ({ things, through, oracle }) => {
        const random = seededRandom(made.seed)
        const query = made.queries[0] as QueryInput
        const controller = new AbortController()
        const abortAt = 1 + Math.floor(random() * 4)
        const abortInTime = (count: number): void => {
          if (count >= abortAt) controller.abort()
        }
        const faults = createFaultKit({ seed: made.seed, rates: { short: 0.8 } })
        const aborting = through(beforeQueries(faults.dynamodb(client), abortInTime))
        let page: Page<Item>
        try {
          page = await readCasePage(aborting, query, { signal: controller.signal })
        } catch (error) {
          assert.ok(error instanceof LapidaryError && error.code === 'aborted', String(error))
          return
        }
        const stopped = page.plan.limits.includes('aborted')
        assert.ok(
          stopped ||
            controller.signal.aborted === false ||
            page.cursors.next === null ||
            page.items.length === query.limit,
        )
        const rest = page.cursors.next === null ? [] : await collectAll(things, query, page.cursors.next)
        assert.deepEqual(ids([...page.items, ...rest]), ids(oracle.matching(query)))
      }),
    )
  })
}

/** Gives each order one index, of whole scopes. */
function wholeScopeIndexes({ rank }: CollectionCase): IndexCases {
  return rank === undefined ? { all: {} } : { all: {}, allByRank: { order: 'rank' } }
}

async function check(
  { client, layout = indexes(), accepts = () => true, seed, shrinks = true }: ListConformanceOptions,
  numRuns: number,
  timeout: number,
  test: (made: Case, client: DynamoDBClient) => Promise<void>,
): Promise<void> {
  const cases = collectionCase()
    .filter((made) => canHold(layout, made) && accepts(made))
    .chain((made) =>
      fc.record({
        made: fc.constant(made),
        items: itemsOf(made),
        queries: fc.array(queryOf(made), { minLength: 2, maxLength: 3 }),
        writes: writeCases(made),
        seed: fc.nat(),
      }),
    )
  const opened = client()
  try {
    await fc.assert(
      fc.asyncProperty(cases, (made) => test(made, opened)),
      // Shrinking stops in time to report what it has, and a run that has no time for its cases fails.
      {
        numRuns,
        interruptAfterTimeLimit: timeout * 0.8,
        markInterruptAsFailure: true,
        endOnFailure: !shrinks,
        ...(seed === undefined ? {} : { seed }),
      },
    )
  } finally {
    opened.destroy()
  }
}
