import type { CopyProjection } from '../derived/copy-projection.ts'
import { copiesOf, type Projection } from '../derived/projection.ts'
import type { Entry } from '../model/entry.ts'
import { plainKeyOf } from '../model/stored-item.ts'
import { checkpointOf, clearGap, followedShard, noteMadeUpFor } from '../stream/checkpoint.ts'
import type { TableClient } from '../table/table-client.ts'

/** What a store apart has lost of a shard. */
interface StoreGap {
  readonly store: string
  readonly shardId: string
  /** How often that was noted. */
  readonly times: number
  /** Copies that were made since. */
  readonly madeUpFor: readonly string[]
}

/**
 * What stores apart have lost of the stream. It was gone before the scan that their copies are made by, so it is made up for by that; in a store of
 * several copies once all of them were made.
 */
export class StoreGaps {
  readonly #made: readonly CopyProjection[]
  readonly #declared: readonly CopyProjection[]
  readonly #stores: ReadonlySet<string>
  readonly #gaps: StoreGap[] = []

  /**
   * @param made The copies that are made.
   * @param declared All that there are.
   */
  constructor(made: readonly CopyProjection[], declared: readonly Projection[]) {
    this.#made = made
    this.#declared = copiesOf(declared)
    this.#stores = new Set(made.flatMap(({ apart }) => apart ?? []))
  }

  /** Told of what the scan sees. */
  see(entries: readonly Entry[]): void {
    for (const store of this.#stores) {
      for (const entry of entries) {
        const shardId = followedShard(plainKeyOf(entry).PK, store)
        const { gap, gaps: times } = checkpointOf(entry)
        if (shardId !== undefined && gap)
          this.#gaps.push({ store, shardId, times, madeUpFor: entry.madeUpFor?.SS ?? [] })
      }
    }
  }

  async clear(table: TableClient, now: number): Promise<void> {
    for (const { store, shardId, times, madeUpFor } of this.#gaps) {
      const followed = { ...table, follower: store }
      const [made, all] = [this.#made, this.#declared].map((copies) =>
        copies.filter(({ apart }) => apart === store).map(({ collection, name }) => `${collection}.${name}`),
      ) as [string[], string[]]
      const isWhole = all.every((name) => made.includes(name) || madeUpFor.includes(name))
      if (isWhole) await clearGap(followed, shardId, times, now)
      else await noteMadeUpFor(followed, shardId, times, made)
    }
  }
}
