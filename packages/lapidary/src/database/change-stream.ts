import type { Freshness } from '../derived/freshness.ts'
import { shown, unprocessable } from '../model/errors.ts'
import { knownOptions, type OptionNames } from '../model/known-options.ts'
import type { FollowedTable } from '../stream/checkpoint.ts'
import type { DeadLetter } from '../stream/dead-letters.ts'
import type { StreamEvent, StreamEventResponse, StreamHandlerOptions } from '../stream/lambda.ts'
import type { Poller, PollerStatus } from '../stream/poller.ts'
import type { PollerOptions } from '../stream/polling.ts'
import type { Runner, RunnerOptions } from '../stream/runner.ts'
import { type Database, paceOf, streamsOf } from './database.ts'
import { streamFilterPatterns } from './filter-patterns.ts'
import type { KeepOptions } from './keeper.ts'
import type { StreamReport } from './stream-report.ts'

/** How a process follows the change stream. */
export interface StartOptions
  extends Pick<PollerOptions, 'idleMs' | 'quietMs' | 'gatherMs' | 'leaseMs' | 'discoverMs' | 'onError'>,
    Pick<RunnerOptions, 'onDeadLetter'>,
    KeepOptions {}

/** Which derived data a handler keeps. */
export interface HandlerPart {
  /**
   * `table`: what is in the table; `apart`: stores that may be away while the table is there. Both when not given: then a store that is
   * away holds up the batches after the one that it missed, and the counts with them.
   */
  readonly only?: 'table' | 'apart'
}

const START_NAMES: OptionNames<StartOptions> = {
  ...{ idleMs: true, quietMs: true, gatherMs: true, leaseMs: true, discoverMs: true },
  ...{ onError: true, onDeadLetter: true },
  ...{ fill: true, heal: true, onGap: true, capacity: true },
}
const CATCH_UP_NAMES: OptionNames<StartOptions & { readonly signal?: AbortSignal }> = { ...START_NAMES, signal: true }
const HANDLER_NAMES: OptionNames<
  Pick<StreamHandlerOptions, 'onError'> & Pick<RunnerOptions, 'onDeadLetter'> & HandlerPart
> = { onError: true, onDeadLetter: true, only: true }

/** The change stream of the table, always of all its collections: one checkpoint stands for all. */
export interface ChangeStream {
  /**
   * Keeps derived data up to date in this process, sharing the shards with other processes that do. A store outside the table that is away
   * holds up nothing but itself.
   *
   * @example
   * ```ts run
   * await using poller = await lapidary.stream.start()
   * ```
   */
  start(options?: StartOptions): Promise<Poller>
  /**
   * Counts what is waiting, to the end of every shard, and ends: on a schedule, every few hours beside `handler()`, it tells a day without a
   * change from one that was lost. On a schedule alone it keeps derived data that may be late. Errors: `unavailable`, `table_mismatch`.
   *
   * @param options With a `signal` that ends it before, with the signal's reason.
   * @example
   * ```ts
   * export const everyFewHours = () => lapidary.stream.catchUp()
   * ```
   */
  catchUp(options?: StartOptions & { readonly signal?: AbortSignal }): Promise<void>
  /**
   * A Lambda handler that keeps derived data up to date: all of it, or with `only` what is in the table or what follows apart. The event source mapping needs `TumblingWindowInSeconds`,
   * `FunctionResponseTypes: [ReportBatchItemFailures]` and `ParallelizationFactor: 1`; see docs/change-stream.md.
   *
   * @example
   * ```ts
   * export const handler = lapidary.stream.handler()
   * ```
   */
  handler(
    options?: Pick<StreamHandlerOptions, 'onError'> & Pick<RunnerOptions, 'onDeadLetter'> & HandlerPart,
  ): (event: StreamEvent) => Promise<StreamEventResponse>
  /**
   * Patterns for `FilterCriteria` of the event source mapping, one for each collection: only its items invoke the handler.
   *
   * @example
   * ```ts run
   * const Filters = lapidary.stream.filterPatterns().map((Pattern) => ({ Pattern }))
   * ```
   */
  filterPatterns(): readonly string[]
  /**
   * How far the stream is counted, by this and other processes.
   *
   * @example
   * ```ts run
   * const { pending, shards } = await lapidary.stream.report()
   * ```
   */
  report(): Promise<StreamReport>
  /**
   * Changes of which something could not be counted or copied: `repair` makes them good.
   *
   * @example
   * ```ts run
   * for (const { key, reason } of await lapidary.stream.deadLetters.list()) console.warn(key.PK, reason)
   * ```
   */
  readonly deadLetters: DeadLetters
}

/** The dead letters of a table: changes of which something can't be counted or copied, each with its reason. */
export interface DeadLetters {
  list(): Promise<readonly DeadLetter[]>
  /** How many there are; reads one page of them. */
  count(): Promise<number>
}

export function changeStreamOf(database: Database): ChangeStream {
  const { table, stream, projections, freshness, apartFreshness, contexts, clock, now, renaming } = database
  const runner = async (of: Omit<RunnerOptions, 'table'>): Promise<Runner> =>
    (await import('../stream/runner.ts')).createRunner({ table, ...of })
  /** A poller for what is counted, and one for each store apart. */
  async function startEach({ onDeadLetter, ...polling }: StartOptions): Promise<[Following, ...Following[]]> {
    const [{ startPoller }, { apartOf, countedOf }] = await Promise.all([
      import('../stream/poller.ts'),
      import('../stream/followers.ts'),
    ])
    const streams = await streamsOf(database)
    const follow = async (of: Omit<RunnerOptions, 'table'>, told: Freshness): Promise<Following> => {
      const poller = startPoller({
        ...{ ...paceOf(stream), clock, ...polling, streams },
        runner: await runner(onDeadLetter === undefined ? of : { ...of, onDeadLetter }),
        // Elsewhere a stream that gives nothing has told of nothing.
        ...(stream.immediate === true ? { freshness: told } : {}),
      })
      return { poller, table: { ...table, follower: of.follower } }
    }
    const counting = await follow({ projections: countedOf(projections), shapes: database.shapes }, freshness)
    return [counting, ...(await Promise.all(apartOf(projections).map((store) => follow(store, apartFreshness))))]
  }

  return Object.freeze<ChangeStream>({
    async start(options = {}) {
      knownOptions('stream.start', options, START_NAMES)
      const [[{ poller }, ...apart], { startKeeper }] = await Promise.all([startEach(options), import('./keeper.ts')])
      const onError = (error: unknown): void => options.onError?.(error, undefined)
      const keeper = startKeeper({ ...options, database, poller, idleMs: paceOf(stream).idleMs, onError })
      return together(
        poller,
        apart.map((each) => each.poller),
        keeper,
      )
    },
    async catchUp(given = {}) {
      const { signal, fill, heal, capacity, ...options } = knownOptions('stream.catchUp', given, CATCH_UP_NAMES)
      const { catchUp } = await import('../stream/heartbeat.ts')
      const streams = await streamsOf(database)
      const ends = (await startEach(options)).map(async ({ poller, table }) => {
        await using _ended = poller
        await catchUp({ table, streams, poller, clock, now, signal })
      })
      // A store that is away ends nothing of the others.
      for (const end of await Promise.allSettled(ends)) if (end.status === 'rejected') throw end.reason
      const { keepOnce } = await import('./keeper.ts')
      await keepOnce(database, { fill, heal, capacity, signal, idleMs: paceOf(stream).idleMs })
    },
    handler(options = {}) {
      const { only, onError, onDeadLetter } = knownOptions('stream.handler', options, HANDLER_NAMES)
      if (only !== undefined && only !== 'table' && only !== 'apart') {
        throw unprocessable('stream.handler was refused', [
          { path: 'only', message: `must be table or apart, not ${shown(only)}` },
        ])
      }
      let made: Promise<(event: StreamEvent) => Promise<StreamEventResponse>> | undefined
      return async (event) => {
        made ??= (async () => {
          const { createStreamHandler, inTurn } = await import('../stream/lambda.ts')
          const { apartOf, countedOf } = await import('../stream/followers.ts')
          const streams = await streamsOf(database)
          const parts = [
            ...(only === 'apart' ? [] : [{ projections: countedOf(projections), shapes: database.shapes }]),
            ...(only === 'table' ? [] : apartOf(projections)),
          ]
          const handlers = parts.map(async (part) =>
            createStreamHandler({
              runner: await runner(onDeadLetter === undefined ? part : { ...part, onDeadLetter }),
              ...{ streams, clock },
              ...(onError === undefined ? {} : { onError }),
            }),
          )
          return inTurn(await Promise.all(handlers))
        })()
        // An import that failed may work for the next event.
        made.catch(() => {
          made = undefined
        })
        return (await made)(renaming?.renamed(event) ?? event)
      }
    },
    filterPatterns: () =>
      streamFilterPatterns(
        contexts.map(({ collection }) => collection),
        renaming,
      ),
    async report() {
      const { readStreamReport } = await import('./read-stream-report.ts')
      return readStreamReport(database, await streamsOf(database))
    },
    deadLetters: Object.freeze<DeadLetters>({
      list: async () => (await import('../stream/dead-letters.ts')).listDeadLetters(table),
      count: async () => (await import('../stream/dead-letters.ts')).countDeadLetters(table),
    }),
  })
}

/** A poller, and the table with whose checkpoints it follows. */
interface Following {
  readonly poller: Poller
  readonly table: FollowedTable
}

/** A poller that counts and those of stores apart, as one, with what is done beside counting. */
function together(poller: Poller, apart: readonly Poller[], keeper: AsyncDisposable): Poller {
  const close = async (): Promise<void> => {
    await keeper[Symbol.asyncDispose]()
    await Promise.all([poller, ...apart].map((each) => each.close()))
  }
  const status = (): PollerStatus => ({
    ...poller.status(),
    ...(apart.length === 0 ? {} : { apart: slowestOf(apart.map((each) => each.status())) }),
  })
  return { status, close, [Symbol.asyncDispose]: close }
}

function slowestOf(all: readonly PollerStatus[]): PollerStatus {
  const lags = all.map(({ lagMs }) => lagMs)
  const times = all.map(({ caughtUpAt }) => caughtUpAt)
  return {
    lagMs: lags.includes(null) ? null : Math.max(...lags.map(Number)),
    caughtUpAt: times.includes(undefined) ? undefined : Math.min(...times.map(Number)),
    backlogReads: all.reduce((sum, { backlogReads }) => sum + backlogReads, 0),
    shards: all.flatMap(({ shards }) => shards),
    others: all.flatMap(({ others }) => others),
  }
}
