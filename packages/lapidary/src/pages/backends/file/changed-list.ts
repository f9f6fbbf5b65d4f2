import type { ByteString } from './byte-string.ts'
import { CountedTree } from './counted-tree.ts'
import { compareEntries, type DiskEntry, type DiskList } from './disk-list.ts'
import { type Hashed, type HashPiece, hashOrder, joined, takeByHash } from './hash-order.ts'
import type { HashKey } from './keyed-hash.ts'

/** An entry on top of a list, with how many of that list's entries come before it. */
export interface AddedEntry extends DiskEntry {
  readonly below: number
}

/**
 * A list with changes on top of it. What is below never changes; of it, only what was removed is known here, by rank. So memory is that of
 * the changes, and every rank is a sum of three: entries below, less those removed, with those added.
 */
export class ChangedList implements DiskList {
  readonly #source: () => DiskList
  #below: DiskList | undefined
  readonly #added = new CountedTree<AddedEntry>(compareEntries)
  /** Ranks in the list below. */
  readonly #removed = new CountedTree<number>((a, b) => a - b)
  /** The score that a member has got, or undefined when it was removed from the list below. */
  readonly #members = new Map<ByteString, number | undefined>()
  /** The members above in the order of their hashes, until the next change. */
  #byHash: readonly Hashed[] | undefined

  /** @param source Gives the list below: an empty one when what was there before was dropped. */
  constructor(source: () => DiskList) {
    this.#source = source
  }

  get below(): DiskList {
    this.#below ??= this.#source()
    return this.#below
  }

  /** Asks for the list below anew at its next use; its entries must be equal. */
  rebase(): void {
    this.#below = undefined
  }

  get count(): number {
    return this.below.count - this.#removed.size + this.#added.size
  }

  get isUnchanged(): boolean {
    return this.#added.size === 0 && this.#removed.size === 0
  }

  at(rank: number): DiskEntry {
    const index = this.#firstAddedFrom(rank)
    const added = index < this.#added.size ? this.#added.at(index) : undefined
    if (added !== undefined && this.#rankOf(added, index) === rank) return plain(added)
    return this.below.at(this.#rankOfRemaining(rank - index))
  }

  slice(start: number, count: number): DiskEntry[] {
    const entries: DiskEntry[] = []
    const index = this.#firstAddedFrom(start)
    const added = this.#added.slice(index, count)
    let next = 0
    let rank = this.#rankOfRemaining(start - index)
    while (entries.length < count) {
      const below = this.below.slice(rank, count - entries.length)
      if (below.length === 0) break
      const passed = this.#removed.rank(rank)
      const removed = new Set(this.#removed.slice(passed, this.#removed.rank(rank + below.length) - passed))
      for (const entry of below) {
        for (let one = added[next]; one !== undefined && one.below <= rank; one = added[++next])
          entries.push(plain(one))
        if (!removed.has(rank)) entries.push(entry)
        rank++
      }
    }
    for (let one = added[next]; one !== undefined && entries.length < count; one = added[++next])
      entries.push(plain(one))
    // Where added entries came in between, there are more than were asked for.
    return entries.length > count ? entries.slice(0, count) : entries
  }

  rank(score: number, member: ByteString): number {
    const below = this.below.rank(score, member)
    return below - this.#removed.rank(below) + this.#added.rank({ score, member, below })
  }

  score(member: ByteString): number | undefined {
    const score = this.#members.get(member)
    return score === undefined && !this.#members.has(member) ? this.below.score(member) : score
  }

  /** Gives a member a score, or takes it away: undefined. `before` is what it has now. */
  change(member: ByteString, before: number | undefined, score: number | undefined): void {
    this.#byHash = undefined
    // What was never changed is as it is below.
    const original = this.#members.has(member) ? this.below.score(member) : before
    if (before !== undefined) this.#take(member, before, original)
    if (score !== undefined) this.#put(member, score, original)
  }

  #take(member: ByteString, score: number, original: number | undefined): void {
    const below = this.below.rank(score, member)
    if (this.#members.has(member)) this.#added.delete({ score, member, below })
    else this.#removed.insert(below)
    if (original === undefined) this.#members.delete(member)
    else this.#members.set(member, undefined)
  }

  #put(member: ByteString, score: number, original: number | undefined): void {
    const below = this.below.rank(score, member)
    // The same double: zero has two.
    if (original !== undefined && Object.is(original, score)) {
      this.#removed.delete(below)
      this.#members.delete(member)
      return
    }
    this.#added.insert({ score, member, below })
    this.#members.set(member, score)
  }

  members(key: HashKey, from: number, limit: number): HashPiece {
    this.#byHash ??= hashOrder(key, this.#members.keys())
    return joined([takeByHash(this.#byHash, from, limit), this.below.members(key, from, limit)])
  }

  /** Added entries in order. */
  added(): Iterable<AddedEntry> {
    return this.#added
  }

  /** Removed ranks of the list below, in order. */
  removed(): Iterable<number> {
    return this.#removed
  }

  /** What is not as it must be. */
  problems(): readonly string[] {
    const problems: string[] = []
    let before: AddedEntry | undefined
    for (const entry of this.#added) {
      if (before !== undefined && compareEntries(before, entry) >= 0) problems.push('added entries are out of order')
      if (entry.below !== this.below.rank(entry.score, entry.member)) problems.push('an added entry is misplaced')
      if (this.#members.get(entry.member) !== entry.score) problems.push('an added entry is not among the members')
      before = entry
    }
    let gone = 0
    for (const rank of this.#removed) {
      if (rank >= this.below.count) problems.push(`rank ${rank} was removed of ${this.below.count}`)
      else if (!this.#members.has(this.below.at(rank).member)) problems.push('a removed entry is not among the members')
      gone++
    }
    const known = [...this.#members.values()].filter((score) => score !== undefined).length
    if (known !== this.#added.size || gone !== this.#removed.size) problems.push('the counts of changes are wrong')
    return problems
  }

  #rankOf({ below }: AddedEntry, index: number): number {
    return below - this.#removed.rank(below) + index
  }

  /** The first added entry whose own rank is this or a later one: those before it are before `rank`. */
  #firstAddedFrom(rank: number): number {
    if (this.below.count === 0) return rank
    return this.#added.search((entry, index) => this.#rankOf(entry, index) >= rank)
  }

  /** The rank in the list below of the entry that has so many before it, when the removed ones are not counted. */
  #rankOfRemaining(remaining: number): number {
    let low = 0
    let high = this.#removed.size
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#removed.at(middle) - middle <= remaining) low = middle + 1
      else high = middle
    }
    return remaining + low
  }
}

const plain = ({ score, member }: AddedEntry): DiskEntry => ({ score, member })
