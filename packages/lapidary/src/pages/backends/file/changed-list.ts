import type { ByteString } from './byte-string.ts'
import { CountedTree, type TreeLeaf, type TreeOrder } from './counted-tree.ts'
import {
  compareBytes,
  compareEntries,
  type DiskEntry,
  type DiskList,
  type MemberSink,
  type RankedEntry,
} from './disk-list.ts'
import { type Hashed, type HashPiece, hashOrder, joined, takeByHash } from './hash-order.ts'
import type { HashKey } from './keyed-hash.ts'

/** A change on top of a list: an entry that was added, or one of that list that was removed. */
export interface OverlaidChange extends DiskEntry {
  readonly isAdded: boolean
  /** How many entries of the list below come before it. */
  readonly below: number
  /** The score that the member has in the list below. */
  readonly original: number | undefined
}

/** A change that is in no tree for the moment, and gets another place. */
type Moved = { -readonly [key in keyof OverlaidChange]: OverlaidChange[key] }

const ORDER: TreeOrder<OverlaidChange> = {
  key: ({ score }) => score,
  // Zero has two doubles, of which one may be removed and the other one added.
  compareTied: (a, b) => compareBytes(a.member, b.member) || Number(b.isAdded) - Number(a.isAdded),
  weight: ({ isAdded }) => (isAdded ? 1 : -1),
  base: ({ below }) => below,
}

/**
 * A list with changes on top of it. What is below never changes; of it, only what was removed is known here, by rank. So memory is that of
 * the changes. They are in one tree whose weights tell by how much the ranks below have moved.
 */
export class ChangedList implements DiskList {
  readonly #source: () => DiskList
  #below: DiskList | undefined
  readonly #changes = new CountedTree<OverlaidChange>(ORDER)
  /** What a member has got, or undefined when it was removed from the list below. */
  readonly #members = new Map<ByteString, OverlaidChange | undefined>()
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
    return this.below.count + this.#changes.weight
  }

  get isUnchanged(): boolean {
    return this.#changes.size === 0
  }

  at(rank: number): DiskEntry {
    const [entry] = this.slice(rank, 1)
    if (entry === undefined) throw new RangeError(`a list of ${this.count} has no entry at rank ${rank}`)
    return entry
  }

  slice(start: number, count: number): DiskEntry[] {
    const entries: DiskEntry[] = []
    this.#walk(
      start,
      count,
      (change) => void entries.push(plain(change)),
      (rank, length) => {
        for (const entry of this.below.slice(rank, length)) entries.push(entry)
      },
    )
    return entries
  }

  copyMembers(start: number, count: number, into: MemberSink): void {
    this.#walk(
      start,
      count,
      ({ member }) => into.takeText(member),
      (rank, length) => this.below.copyMembers(rank, length, into),
    )
  }

  /** Shows a range in order: what was added, and runs of the list below by their ranks there. */
  #walk(
    start: number,
    count: number,
    showAdded: (change: OverlaidChange) => void,
    showBelow: (rank: number, count: number) => void,
  ): void {
    if (count <= 0) return
    const place = this.#changes.seek(start)
    let left = count
    let rank = start - place.weight
    let { index } = place
    for (let leaf: TreeLeaf<OverlaidChange> | undefined = place.leaf; leaf !== undefined; leaf = leaf.next, index = 0) {
      const { items, bases, weights } = leaf
      for (; index < items.length; index++) {
        const below = bases[index] as number
        if (below > rank) {
          const run = Math.min(below - rank, left)
          showBelow(rank, run)
          left -= run
          rank = below
        }
        if (left === 0) return
        if (weights[index] === -1) rank++
        else {
          showAdded(items[index] as OverlaidChange)
          if (--left === 0) return
        }
      }
    }
    showBelow(rank, left)
  }

  rank(score: number, member: ByteString): number {
    const known = this.#members.get(member)
    const below = known?.score === score ? known.below : this.below.rank(score, member)
    return this.rankOver(below, { score, member })
  }

  /** How many entries come before a place that has so many of the list below before it, or would have. */
  rankOver(below: number, { score, member }: DiskEntry): number {
    return below + this.#changes.weightBefore({ score, member, isAdded: true, below, original: undefined })
  }

  score(member: ByteString): number | undefined {
    const known = this.#members.get(member)
    return known === undefined && !this.#members.has(member) ? this.below.score(member) : known?.score
  }

  find(member: ByteString): RankedEntry | undefined {
    const known = this.#members.get(member)
    if (known !== undefined) return { rank: known.below + this.#changes.weightBefore(known), score: known.score }
    const found = this.#members.has(member) ? undefined : this.below.find(member)
    return found && { rank: this.rankOver(found.rank, { score: found.score, member }), score: found.score }
  }

  /** Gives a member a score, or takes it away: undefined. `before` is what it has now. */
  change(member: ByteString, before: number | undefined, score: number | undefined): void {
    this.#byHash = undefined
    const known = this.#members.get(member)
    // What was never changed is as it is below.
    const original = known === undefined ? this.#originalOf(member, before) : known.original
    if (known !== undefined) this.#changes.delete(known)
    else if (before !== undefined) this.#changes.insert(this.#removal(member, before))
    if (score === undefined) {
      if (original === undefined) this.#members.delete(member)
      else this.#members.set(member, undefined)
      return
    }
    // The same double: zero has two.
    if (original !== undefined && Object.is(original, score)) {
      this.#changes.delete(this.#removal(member, score))
      this.#members.delete(member)
      return
    }
    const added: Moved = known ?? { score, member, isAdded: true, below: 0, original }
    added.score = score
    this.#changes.insert(added, (low, high) => {
      added.below = this.below.rank(score, member, low, high)
    })
    if (known === undefined) this.#members.set(member, added)
  }

  #removal(member: ByteString, score: number): OverlaidChange {
    return { score, member, isAdded: false, below: this.below.find(member)?.rank ?? 0, original: score }
  }

  /** The score in the list below of a member that was not added here. */
  #originalOf(member: ByteString, before: number | undefined): number | undefined {
    return this.#members.has(member) ? this.below.score(member) : before
  }

  members(key: HashKey, from: number, limit: number): HashPiece {
    this.#byHash ??= hashOrder(key, this.#members.keys())
    return joined([takeByHash(this.#byHash, from, limit), this.below.members(key, from, limit)])
  }

  /** What was added and removed, in order. */
  changes(): Iterable<OverlaidChange> {
    return this.#changes
  }

  /** What is not as it must be. */
  problems(): readonly string[] {
    const problems: string[] = []
    let last: OverlaidChange | undefined
    let [added, removed] = [0, 0]
    for (const change of this.#changes) {
      const { score, member, below, isAdded, original } = change
      if (last !== undefined && compareEntries(last, change) >= Number(last.isAdded && !isAdded)) {
        problems.push('changes are out of order')
      }
      if (this.#changes.weightBefore(change) !== added - removed) problems.push('changes have wrong weights')
      last = change
      if (below !== this.below.rank(score, member)) problems.push('a change is misplaced')
      if (original !== this.below.score(member)) problems.push('a change has another original')
      if (isAdded) {
        added++
        if (this.#members.get(member) !== change) problems.push('an added entry is not among the members')
      } else {
        removed++
        if (original !== score) problems.push('a removed entry is not in the list below')
        if (!this.#members.has(member)) problems.push('a removed entry is not among the members')
      }
    }
    const known = [...this.#members.values()]
    const gone = known.filter((one) => one === undefined || one.original !== undefined).length
    if (known.filter((one) => one !== undefined).length !== added || gone !== removed) {
      problems.push('the counts of changes are wrong')
    }
    return problems
  }
}

const plain = ({ score, member }: DiskEntry): DiskEntry => ({ score, member })
