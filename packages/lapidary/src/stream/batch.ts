import { type Change, compareSequenceNumbers } from '../derived/change.ts'
import { targetId } from '../derived/target-key.ts'
import type { DescribedChange } from './described-change.ts'

/** One shard being processed by one owner. */
export interface Lane {
  readonly shardId: string
  /** Who holds the lease; undefined where the platform itself runs one lane for each shard (Lambda). */
  readonly owner: string | undefined
  /** The last sequence number whose derived data is written. */
  readonly sequenceNumber: string | undefined
  /** The revision of the register of derived data by which it is counted; undefined before it is taken up, and where there is none. */
  readonly register?: number | undefined
}

/** Changes of a lane that are to be counted. */
export interface Batch {
  readonly lane: Lane
  readonly changes: readonly DescribedChange[]
}

/** DynamoDB's cap on the items of a transaction. */
const MOST_ITEMS = 100

/**
 * As much of the batches as goes into one transaction: a checkpoint for each lane, each target once, each dead letter.
 * The first change always goes in, and a chunk has at least one.
 */
export function chunksOf(batches: readonly Batch[]): { readonly chunks: readonly Batch[]; readonly writes: number } {
  const targets = new Set<string>()
  let writes = 0
  const chunks = batches.map(({ lane, changes }): Batch => {
    let length = 0
    for (const described of changes) {
      const ids = new Set(described.additions.map(({ target }) => targetId(target)))
      const more =
        [...ids].filter((id) => !targets.has(id)).length +
        (described.problem === undefined ? 0 : 1) +
        (length === 0 ? 1 : 0)
      if (writes > 0 && writes + more > MOST_ITEMS) break
      writes += more
      length += 1
      for (const id of ids) targets.add(id)
    }
    return { lane, changes: changes.slice(0, length) }
  })
  return { chunks: chunks.filter(({ changes }) => changes.length > 0), writes }
}

/** Each change once, in order of sequence: a batch may be put together from several reads. */
export function inOrder(changes: readonly Change[]): readonly Change[] {
  const sorted = [...changes].sort((a, b) => compareSequenceNumbers(a.sequenceNumber, b.sequenceNumber))
  return sorted.filter(({ sequenceNumber }, i) => sequenceNumber !== sorted[i - 1]?.sequenceNumber)
}
