import type { Change } from '../derived/change.ts'
import { KeyTable } from '../derived/key-table.ts'
import { type TargetKey, targetId } from '../derived/target-key.ts'
import type { Entry } from '../model/entry.ts'
import { type ItemProblem, MOST_EXAMPLES } from './maintenance-options.ts'
import { type Contribution, NOTHING, type Tally } from './tally.ts'

/** What one change of the log does to the counts. */
export interface Step {
  readonly sequenceNumber: string
  /** When the change was made, in milliseconds since 1970. */
  readonly at: number
  readonly before: Contribution
  readonly after: Contribution
}

/** In the key table: the item is in the log, and what the scan sees of it does not matter. */
const LOGGED = Number.MAX_SAFE_INTEGER

/**
 * The counts as they were at a place in the log, from a scan at no particular time and the log from before it. An item with
 * no change in the log was the same all the while, so the scan saw what it is. Of an item with one, the log itself tells what
 * it was at the start: the image before its first change. From there on every change is a step from one image to the next.
 */
export class Truth {
  readonly tally: Tally
  readonly #keys = new KeyTable()
  /** Some of the items that can't be counted. */
  readonly uncountableItems: ItemProblem[] = []
  /** Items that the scan saw. */
  items = 0

  constructor(tally: Tally) {
    this.tally = tally
  }

  /** Takes in what the scan saw of an item. The same item again is the same. */
  scanned(key: TargetKey, entry: Entry): void {
    const contribution = this.tally.contributionOf(key, entry)
    if (contribution === NOTHING) return
    if (this.tally.isUncountable(contribution) && this.uncountableItems.length < MOST_EXAMPLES)
      this.uncountableItems.push({ key, reason: this.tally.problemOf(key, entry) })
    this.items++
    const id = targetId(key)
    const known = this.#keys.get(id)
    if (known === LOGGED) return
    if (known > 0) this.tally.add(known - 1, -1)
    this.#keys.set(id, contribution + 1)
    this.tally.add(contribution, 1)
  }

  /**
   * Takes in a change of the log, each once and those of an item in their order. It counts from when its step is taken.
   *
   * @returns undefined for a change that counts nowhere.
   */
  logged({ key, before, after, sequenceNumber, at }: Change): Step | undefined {
    const was = this.tally.contributionOf(key, before)
    const is = this.tally.contributionOf(key, after)
    if (was === NOTHING && is === NOTHING) return undefined
    const id = targetId(key)
    const known = this.#keys.get(id)
    if (known !== LOGGED) {
      if (known > 0) this.tally.add(known - 1, -1)
      this.tally.add(was, 1)
      this.#keys.set(id, LOGGED)
    }
    if (this.tally.isSame(was, is)) return undefined
    return { sequenceNumber, at, before: was, after: is }
  }

  /** Goes on by one change, which the runner has counted: what was seen of its targets may be from before or after. */
  take({ before, after }: Step): void {
    this.tally.touch(before)
    this.tally.touch(after)
    this.tally.add(before, -1)
    this.tally.add(after, 1)
  }
}
