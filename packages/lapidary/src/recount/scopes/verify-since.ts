import type { Change } from '../../derived/change.ts'
import { isItemKey } from '../../model/stored-item.ts'
import { readsOf } from '../../stream/shard-reader.ts'
import { listShards, streamArn } from '../../stream/shards.ts'
import type { DerivedData, MaintenanceOptions, Verification } from '../maintenance-options.ts'
import { type SampledCollection, type SampledScope, sampledScope, scopeOf } from './sample-scopes.ts'
import { verifyScopes } from './verify-scopes.ts'

/**
 * As `verify`, of what changed since a time: the derived data of the scopes of which an item changed, and the copies of the
 * items that did, where these alone can be looked at. The stream remembers a day.
 *
 * @param since In milliseconds since 1970.
 */
export async function verifySince(
  derived: DerivedData,
  collections: readonly SampledCollection[],
  options: MaintenanceOptions,
  since: number,
): Promise<Verification> {
  return verifyScopes(derived, options, async ({ signal }) => {
    const scopes = new Map<string, SampledScope>()
    for await (const change of recentChanges(derived, since, signal)) {
      for (const each of derived.compared ?? []) each.suspect(change.key)
      for (const collection of collections) {
        const { name } = collection.context.collection
        if (!isItemKey(collection.context.collection, change.key)) continue
        for (const image of [change.before, change.after]) {
          const scope = image && scopeOf(collection, image)
          if (scope !== undefined) scopes.set(`${name}#${scope}`, sampledScope(collection, scope))
        }
      }
    }
    return [...scopes.values()]
  })
}

/**
 * Changes of the stream since a time, those of a shard in their order. It can't be asked from a time on, so all of it is read; what is
 * missed is found by the next check.
 */
async function* recentChanges(
  { table, streams }: DerivedData,
  since: number,
  signal: AbortSignal,
): AsyncGenerator<Change> {
  const arn = await streamArn(table)
  for (const shard of await listShards(streams, arn)) {
    for await (const { changes } of readsOf({ streams, arn, shard }, undefined)) {
      signal.throwIfAborted()
      for (const change of changes) if (change.at >= since) yield change
    }
  }
}
