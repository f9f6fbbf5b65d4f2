import type { Change } from '../derived/change.ts'
import { isItemKey } from '../model/stored-item.ts'
import { createShardReader } from '../stream/shard-reader.ts'
import { listShards, streamArn } from '../stream/shards.ts'
import type { DuplicatesInspection } from './duplicates-inspection.ts'
import type { DerivedData, MaintenanceOptions, Verification } from './maintenance-options.ts'
import { type SampledCollection, type SampledScope, sampledScope, scopeOf } from './sample-scopes.ts'
import { withDuplicates } from './verify-duplicates.ts'
import { verifyScopes } from './verify-scopes.ts'

/** AWS may give a short read, or an empty one, before there is more; what is missed is found by the next check. */
const SHORT_READS = 2

/** What is verified of a table's recent changes. */
export interface RecentlyChanged {
  readonly collections: readonly SampledCollection[]
  readonly duplicates: readonly DuplicatesInspection[]
}

/**
 * As `verify`, of what changed since a time: the derived data of the scopes of which an item changed, and the duplicates of the
 * items that did. The stream remembers a day.
 *
 * @param since In milliseconds since 1970.
 */
export async function verifySince(
  derived: DerivedData,
  { collections, duplicates }: RecentlyChanged,
  options: MaintenanceOptions,
  since: number,
): Promise<Verification> {
  const scopes = new Map<string, SampledScope>()
  for await (const change of recentChanges(derived, since, options.signal)) {
    for (const each of duplicates) each.suspect(change.key)
    for (const collection of collections) {
      const { name } = collection.context.collection
      if (!isItemKey(collection.context.collection, change.key)) continue
      for (const image of [change.before, change.after]) {
        const scope = image && scopeOf(collection, image)
        if (scope !== undefined) scopes.set(`${name}#${scope}`, sampledScope(collection, scope))
      }
    }
  }
  const found = await verifyScopes(derived, options, async () => [...scopes.values()])
  return withDuplicates(derived, options, found, duplicates)
}

/** Changes of the stream since a time, those of a shard in their order. It can't be asked from a time on, so all of it is read. */
async function* recentChanges(
  { table, streams }: DerivedData,
  since: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Change> {
  const arn = await streamArn(table)
  for (const shard of await listShards(streams, arn)) {
    const reader = createShardReader({ streams, arn, shard }, undefined)
    for (let short = 0; short < SHORT_READS; ) {
      signal?.throwIfAborted()
      const { changes, full, end } = await reader.next()
      for (const change of changes) if (change.at >= since) yield change
      if (end) break
      short = full ? 0 : short + 1
    }
  }
}
