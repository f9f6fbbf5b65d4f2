import type { Checkpoint } from './checkpoint.ts'

/** A shard, and the one that it took over from. */
export interface Linked {
  readonly shardId: string
  readonly parentShardId: string | undefined
}

/** What may be done with a shard, see {@link Lineage.standing}. */
export type Standing = 'ended' | 'waiting' | 'cut off' | 'readable'

/** What is known of how far a shard is counted, or read. */
export interface Known {
  /** It is at its end: those that follow it may begin. */
  readonly isEnded: boolean
  /** Nothing of it was counted, and no loss of it noted. */
  readonly isNew: boolean
  /** A Lambda has moved its checkpoint last. */
  readonly byLambda: boolean
}

/** What is known of a shard by its identifier; nothing of one that is not known. */
export type KnownOf = (shardId: string) => Known | undefined

/** What a checkpoint says of its shard. */
export function knownBy({ finished, sequenceNumber, gaps, byLambda }: Checkpoint): Known {
  return { isEnded: finished, isNew: sequenceNumber === undefined && gaps === 0, byLambda }
}

/** How the shards of a stream follow each other, as far as they are listed. Streams list them in no particular order. */
export class Lineage<S extends Linked> {
  /** As they were listed. */
  readonly shards: readonly S[]
  readonly #byId: ReadonlyMap<string, S>
  readonly #children = new Map<string, S[]>()

  constructor(shards: readonly S[]) {
    this.shards = shards
    this.#byId = new Map(shards.map((shard) => [shard.shardId, shard]))
    for (const shard of shards) {
      const { parentShardId } = shard
      if (parentShardId !== undefined) {
        this.#children.set(parentShardId, [...(this.#children.get(parentShardId) ?? []), shard])
      }
    }
  }

  /** Shards that follow no listed one. */
  get roots(): readonly S[] {
    return this.shards.filter((shard) => this.parentOf(shard) === undefined)
  }

  get parentsFirst(): readonly S[] {
    return this.roots.flatMap((root) => [root, ...this.after(root)])
  }

  /** Shards that others took over from, and that are not listed: the stream has forgotten them, or lists them late. */
  get missing(): readonly string[] {
    return [...this.#children.keys()].filter((parent) => !this.#byId.has(parent))
  }

  get(shardId: string): S | undefined {
    return this.#byId.get(shardId)
  }

  parentOf({ parentShardId }: Linked): S | undefined {
    return parentShardId === undefined ? undefined : this.#byId.get(parentShardId)
  }

  childrenOf({ shardId }: Linked): readonly S[] {
    return this.#children.get(shardId) ?? []
  }

  /** Whether others follow a shard, so that it is closed. */
  isFollowed(shardId: string): boolean {
    return this.#children.has(shardId)
  }

  /** A shard, with those before it. */
  upTo(shard: S): readonly S[] {
    const parent = this.parentOf(shard)
    return parent === undefined ? [shard] : [shard, ...this.upTo(parent)]
  }

  /** All that follow a shard, each before those that follow it. */
  after(shard: Linked): readonly S[] {
    return this.childrenOf(shard).flatMap((child) => [child, ...this.after(child)])
  }

  /**
   * What may be done with a shard, by what is known of it, of the one before it and of those behind it.
   *
   * @returns `ended` where nothing of it is left. `waiting` for the one before it, since the changes of an item come in their order, from
   * parent to child. `cut off` where the stream has forgotten that one, it was not counted to its end, and nothing tells of it yet.
   * `readable` otherwise.
   */
  standing(shard: Linked, knownOf: KnownOf): Standing {
    const { shardId, parentShardId } = shard
    if (knownOf(shardId)?.isEnded === true) return 'ended'
    if (parentShardId === undefined || knownOf(parentShardId)?.isEnded === true) return 'readable'
    if (this.#byId.has(parentShardId)) return 'waiting'
    return (knownOf(shardId)?.isNew ?? true) && !this.isPassed(shard, knownOf) ? 'cut off' : 'readable'
  }

  /**
   * Whether Lambda has counted something of a later shard of the same line: then this one was counted, to its end, whatever its
   * checkpoint says. Lambda goes on to the next shard without a word. (A repair may have ended a later one in which there was nothing.)
   */
  isPassed(shard: Linked, knownOf: KnownOf): boolean {
    return this.after(shard).some(({ shardId }) => knownOf(shardId)?.byLambda === true)
  }
}
