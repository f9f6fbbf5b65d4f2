import { LONGEST_PARTITION_KEY, LONGEST_SORT_KEY } from '../layouts/indexes/longest-key.ts'
import type { Entry } from '../model/entry.ts'
import { LapidaryError, shown } from '../model/errors.ts'
import { byteLength } from '../model/key-text.ts'
import { type Amounts, sumOf } from './amount.ts'
import type { ProjectionBase } from './projection-base.ts'
import { type TargetKey, targetId } from './target-key.ts'

/** What one image of an item adds to one derived item. */
export interface Contribution {
  readonly target: TargetKey
  readonly amounts: Amounts
}

/**
 * Derived data that are sums. A derived item is a sum of amounts, told as an entry: the runner adds what a change adds, a recount adds what all
 * items add, and a correction is the difference of the two.
 *
 * @example
 * ```ts run
 * import type { SumProjection } from 'lapidary'
 *
 * // How many comments each author wrote.
 * const authors: SumProjection = {
 *   name: 'authors',
 *   collection: 'COMMENT',
 *   dated: false,
 *   isItem: ({ PK, SK }) => PK.startsWith('COMMENT#') && SK === '~',
 *   contributions: ({ author }) => [{ target: { PK: `~authors#COMMENT#${author?.S}`, SK: '~' }, amounts: { count: 1 } }],
 *   owns: ({ PK }) => PK.startsWith('~authors#COMMENT#'),
 *   entryOf: (_, { count = 0 }) => (count === 0 ? undefined : { count: { N: String(count) } }),
 *   amountsOf: ({ count }) => ({ count: Number(count?.N ?? 0) }),
 * }
 * ```
 */
export interface SumProjection extends ProjectionBase {
  /** Whether its items say when the last change was made that is in them, as `asOf`. */
  readonly dated: boolean
  /**
   * What an image of an item adds. It depends on nothing but the image, so that the same image takes away what it added.
   *
   * @throws Anything, for an image that can't be read.
   */
  contributions(image: Entry): readonly Contribution[]
  /** Whether a key is that of a derived item of this projection, also of one that is not declared any more. */
  owns(key: TargetKey): boolean
  /** The partition that holds all derived items of a scope, where there is one: a verify of a few scopes reads it. */
  partitionOf?(scope: string): string
  /**
   * The item that holds amounts, without its key; undefined for none. No amounts, no item. Amounts that no set of items
   * adds up to (a count below 0, for what was never counted) have to be held too, until they are made up for.
   */
  entryOf(target: TargetKey, amounts: Amounts): Entry | undefined
  /** The amounts that an item holds: the inverse of {@link entryOf}. Of an item that was spoilt, what can be read of it. */
  amountsOf(entry: Entry): Amounts
}

/**
 * What an image adds to derived items that can be: DynamoDB has limits to a key (Service quotas).
 *
 * @throws Anything, for an image that can't be counted.
 */
export function contributionsOf(projection: SumProjection, image: Entry): readonly Contribution[] {
  const contributions = projection.contributions(image)
  const unfit = contributions.find(
    ({ target: { PK, SK } }) => byteLength(PK) > LONGEST_PARTITION_KEY || byteLength(SK) > LONGEST_SORT_KEY,
  )
  if (unfit === undefined) return contributions
  throw new LapidaryError(
    'unprocessable',
    `${projection.name} can't be written under a key that long: ${shown(unfit.target.PK)}, ${shown(unfit.target.SK)}`,
  )
}

/** What a change, or several, add to one derived item. */
export interface Addition extends Contribution {
  readonly projection: SumProjection
  /** When the last of the changes was made, in milliseconds since 1970. */
  readonly at: number
}

/** Adds up by target; amounts that cancel out are left out, and targets of which none is left. */
export function netAdditions(additions: Iterable<Addition>): readonly Addition[] {
  const sums = new Map<string, Addition>()
  for (const addition of additions) {
    const id = targetId(addition.target)
    const sum = sums.get(id)
    const at = Math.max(addition.at, sum?.at ?? addition.at)
    sums.set(id, { ...addition, at, amounts: sumOf(sum?.amounts ?? {}, addition.amounts) })
  }
  return [...sums.values()].filter(({ amounts }) => Object.keys(amounts).length > 0)
}
