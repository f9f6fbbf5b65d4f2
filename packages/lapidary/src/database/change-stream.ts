import type { DeadLetter } from '../stream/dead-letters.ts'
import type { StreamEvent, StreamEventResponse, StreamHandlerOptions } from '../stream/lambda.ts'
import type { Poller, PollerOptions } from '../stream/poller.ts'
import type { Runner, RunnerOptions } from '../stream/runner.ts'
import { type Database, paceOf, streamsOf } from './database.ts'
import { streamFilterPatterns } from './filter-patterns.ts'
import type { StreamReport } from './stream-report.ts'

/** How a process follows the change stream. */
export interface StartOptions
  extends Pick<PollerOptions, 'idleMs' | 'quietMs' | 'gatherMs' | 'leaseMs' | 'discoverMs' | 'onError'>,
    Pick<RunnerOptions, 'onDeadLetter'> {}

/** The change stream of the table, always of all its collections: one checkpoint stands for all. */
export interface ChangeStream {
  /**
   * Keeps derived data up to date in this process, sharing the shards with other processes that do.
   *
   * @example
   * ```ts run
   * await using poller = await lapidary.stream.start()
   * ```
   */
  start(options?: StartOptions): Promise<Poller>
  /**
   * A Lambda handler that keeps derived data up to date. The event source mapping needs `TumblingWindowInSeconds`,
   * `FunctionResponseTypes: [ReportBatchItemFailures]` and `ParallelizationFactor: 1`; see docs/change-stream.md.
   *
   * @example
   * ```ts
   * export const handler = lapidary.stream.handler()
   * ```
   */
  handler(
    options?: Pick<StreamHandlerOptions, 'onError'> & Pick<RunnerOptions, 'onDeadLetter'>,
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
  const { table, projections, copies, stream, freshness, contexts, clock } = database
  const runner = async (options: Pick<RunnerOptions, 'onDeadLetter'> = {}): Promise<Runner> =>
    (await import('../stream/runner.ts')).createRunner({ table, projections, copies, ...options })
  return Object.freeze<ChangeStream>({
    async start({ onDeadLetter, ...polling } = {}) {
      const [{ startPoller }, { countDeadLetters }] = await Promise.all([
        import('../stream/poller.ts'),
        import('../stream/dead-letters.ts'),
      ])
      if ((await countDeadLetters(table)) > 0) freshness.doubt()
      return startPoller({
        ...paceOf(stream),
        clock,
        ...polling,
        streams: await streamsOf(database),
        runner: await runner({
          onDeadLetter(letter) {
            freshness.doubt()
            onDeadLetter?.(letter)
          },
        }),
        // Elsewhere a stream that gives nothing has told of nothing.
        ...(stream.immediate === true ? { freshness } : {}),
      })
    },
    handler({ onError, onDeadLetter } = {}) {
      let made: Promise<(event: StreamEvent) => Promise<StreamEventResponse>> | undefined
      return async (event) => {
        made ??= (async () => {
          const { createStreamHandler } = await import('../stream/lambda.ts')
          const options = {
            runner: await runner(onDeadLetter === undefined ? {} : { onDeadLetter }),
            streams: await streamsOf(database),
          }
          return createStreamHandler(onError === undefined ? options : { ...options, onError })
        })()
        // An import that failed may work for the next event.
        made.catch(() => {
          made = undefined
        })
        return (await made)(event)
      }
    },
    filterPatterns: () => streamFilterPatterns(contexts.map(({ collection }) => collection)),
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
