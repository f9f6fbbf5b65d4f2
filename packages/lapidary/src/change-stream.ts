import { DynamoDBStreamsClient, type DynamoDBStreamsClientConfig } from '@aws-sdk/client-dynamodb-streams'
import type { Change } from './derived/change.ts'
import { collectionProjections } from './derived/collection-projections.ts'
import type { Freshness } from './derived/freshness.ts'
import type { Projection } from './derived/projection.ts'
import { isItemKey } from './model/stored-item.ts'
import type { CollectionContext } from './operations/context.ts'
import { countsAreComplete } from './stream/completeness.ts'
import { type Poller, type PollerOptions, startPoller } from './stream/poller.ts'
import { createRunner, type Runner, type RunnerOptions } from './stream/runner.ts'

/** A client of one collection, of which only the context is needed here. */
interface WithContext {
  readonly context: CollectionContext
}

/** The projections of collections: their counts and leaderboards. */
export function projectionsOf(clients: readonly WithContext[]): readonly Projection[] {
  return clients.flatMap(({ context: { collection, codec, layout } }) =>
    collectionProjections(collection, codec, layout),
  )
}

/** A runner that keeps the derived data of collections of one table, for a poller or the Lambda handler. */
export function runnerFor(clients: readonly WithContext[], options: Pick<RunnerOptions, 'onPoison'> = {}): Runner {
  const [first] = clients
  if (first === undefined) throw new TypeError('runnerFor needs at least one collection')
  return createRunner({ table: first.context.table, projections: projectionsOf(clients), ...options })
}

export interface ChangeStreamOptions extends Omit<PollerOptions, 'streams' | 'runner' | 'audit' | 'onChanges'> {
  /** Client options of DynamoDB Streams: the same endpoint, region and credentials as the table's client. */
  readonly clientConfig: DynamoDBStreamsClientConfig
  readonly freshness?: Freshness
  readonly onPoison?: NonNullable<RunnerOptions['onPoison']>
}

/**
 * Keeps the derived data of collections up to date from the table's change stream, in this process.
 *
 * @example
 * ```ts
 * await using poller = startChangeStream([lapidary.comments], { clientConfig: { region: 'eu-central-1' } })
 * ```
 */
export function startChangeStream(clients: readonly WithContext[], options: ChangeStreamOptions): Poller {
  const { clientConfig, onPoison, ...polling } = options
  const streams = new DynamoDBStreamsClient(clientConfig)
  const runner = runnerFor(clients, {
    onPoison(change, reason) {
      options.freshness?.trust(false)
      onPoison?.(change, reason)
    },
  })
  const poller = startPoller({
    ...polling,
    streams,
    runner,
    audit: (shardIds) => countsAreComplete(runner.table, shardIds),
    onChanges(changes, startedAt) {
      for (const { context } of clients) noteScopes(context, changes, startedAt)
    },
  })
  const close = async (): Promise<void> => {
    await poller.close()
    streams.destroy()
  }
  return { ...poller, close, [Symbol.asyncDispose]: close }
}

/**
 * Lets nobody take the counts of a scope for the truth whose items have changed, whoever has changed them, until the read
 * that told of it is counted.
 */
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
