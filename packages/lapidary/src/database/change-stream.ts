import type { Change } from '../derived/change.ts'
import { isItemKey } from '../model/stored-item.ts'
import type { CollectionContext } from '../operations/context.ts'
import type { StreamEvent, StreamEventResponse, StreamHandlerOptions } from '../stream/lambda.ts'
import type { PoisonRecord } from '../stream/poison.ts'
import type { Poller, PollerOptions } from '../stream/poller.ts'
import type { PoisonReplay } from '../stream/replay-poison.ts'
import type { Runner, RunnerOptions } from '../stream/runner.ts'
import { type Database, idleMs, streamsOf } from './database.ts'
import { streamFilterPatterns } from './filter-patterns.ts'
import type { StreamReport } from './stream-report.ts'

/** How a process follows the change stream. */
export interface StartOptions
  extends Pick<PollerOptions, 'idleMs' | 'gatherMs' | 'leaseMs' | 'discoverMs' | 'onError'>,
    Pick<RunnerOptions, 'onPoison'> {}

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
    options?: Pick<StreamHandlerOptions, 'onError'> & Pick<RunnerOptions, 'onPoison'>,
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
   * Records that no projection could take in.
   *
   * @example
   * ```ts run
   * const { applied } = await lapidary.stream.setAside.replay()
   * ```
   */
  readonly setAside: SetAside
}

/** Records of the change stream that were set aside, since something in them can't be read. */
export interface SetAside {
  list(): Promise<readonly PoisonRecord[]>
  /** How many there are; reads one page of them. */
  count(): Promise<number>
  /** Counts each once, and forgets it. */
  replay(): Promise<PoisonReplay>
}

export function changeStreamOf(database: Database): ChangeStream {
  const { table, projections, copies, stream, freshness, contexts, clock } = database
  const runner = async (options: Pick<RunnerOptions, 'onPoison'> = {}): Promise<Runner> =>
    (await import('../stream/runner.ts')).createRunner({ table, projections, copies, ...options })
  return Object.freeze<ChangeStream>({
    async start({ onPoison, ...polling } = {}) {
      const [{ startPoller }, { countsAreComplete }] = await Promise.all([
        import('../stream/poller.ts'),
        import('../stream/completeness.ts'),
      ])
      return startPoller({
        idleMs: idleMs(stream),
        ...(stream.immediate === true ? { endReads: 1 } : {}),
        clock,
        ...polling,
        streams: await streamsOf(database),
        runner: await runner({
          onPoison(change, reason) {
            freshness.trust(false)
            onPoison?.(change, reason)
          },
        }),
        freshness,
        audit: (shardIds) => countsAreComplete(table, shardIds),
        onChanges(changes, startedAt) {
          for (const context of contexts) noteScopes(context, changes, startedAt)
        },
      })
    },
    handler({ onError, onPoison } = {}) {
      let made: Promise<(event: StreamEvent) => Promise<StreamEventResponse>> | undefined
      return async (event) => {
        made ??= (async () => {
          const { createStreamHandler } = await import('../stream/lambda.ts')
          const options = {
            runner: await runner(onPoison === undefined ? {} : { onPoison }),
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
    setAside: Object.freeze<SetAside>({
      list: async () => (await import('../stream/poison.ts')).listPoison(table),
      count: async () => (await import('../stream/poison.ts')).countPoison(table),
      replay: async () => (await import('../stream/replay-poison.ts')).replayPoison(await runner()),
    }),
  })
}

/** Notes the scopes whose items have changed: their counts are not the truth until the read that told of it is counted. */
function noteScopes(
  { collection, codec, statistics }: CollectionContext,
  changes: readonly Change[],
  startedAt: number,
): void {
  if (statistics === undefined) return
  for (const change of changes) {
    if (!isItemKey(collection, change.key)) continue
    for (const image of [change.before, change.after]) {
      const scope = image?.[codec.storedName(collection.scope.attribute)]?.S
      if (scope !== undefined) statistics.wrote(scope, startedAt - 1)
    }
  }
}
