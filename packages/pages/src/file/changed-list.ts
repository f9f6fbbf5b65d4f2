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
import { type HashKey, keyedHash } from './keyed-hash.ts'
import { MemberTable } from './member-table.ts'
import { orderOf } from './number-order.ts'

/** A change on top of a list: an entry that was added, or one of that list that was removed. */
export interface OverlaidChange extends DiskEntry {
  readonly isAdded: boolean
  /** How many entries of the list below come before it. */
  readonly below: number
  /** The score that the member has in the list below. */
  readonly original: number | undefined
}

/** A member of the list below that was removed. */
interface Gone {
  readonly member: ByteString
  readonly isAdded: false
  readonly original: number
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
 * A list with changes on top of it. The list below never changes; of its entries, only the removed ones are known here, by rank. So memory is
 * that of the changes. They are in one tree whose weights tell by how much the ranks below have moved.
 */
export class ChangedList implements DiskList {
  readonly #key: HashKey
  readonly #source: () => DiskList
  #below: DiskList | undefined
  readonly #changes = new CountedTree<OverlaidChange>(ORDER)
  /** Members with their new scores, and members that were removed from the list below. */
  readonly #members = new MemberTable<OverlaidChange | Gone>()
  /** The members above in the order of their hashes, until the next change. */
  #byHash: readonly Hashed[] | undefined

  /** @param source Gives the list below: an empty one when what was there before was dropped. */
  constructor(key: HashKey, source: () => DiskList) {
    this.#key = key
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
    const known = this.#knownOf(member)
    const below = known?.isAdded && known.score === score ? known.below : this.below.rank(score, member)
    return this.rankOver(below, { score, member })
  }

  /** How many entries come before a place that has so many of the list below before it, or would have. */
  rankOver(below: number, { score, member }: DiskEntry): number {
    return below + this.#changes.weightBefore({ score, member, isAdded: true, below, original: undefined })
  }

  score(member: ByteString, hash: number = keyedHash(this.#key, member)): number | undefined {
    const known = this.#members.get(member, hash)
    if (known === undefined) return this.below.score(member, hash)
    return known.isAdded ? known.score : undefined
  }

  find(member: ByteString, hash: number = keyedHash(this.#key, member)): RankedEntry | undefined {
    const known = this.#members.get(member, hash)
    if (known === undefined) {
      const found = this.below.find(member, hash)
      return found && { rank: this.rankOver(found.rank, { score: found.score, member }), score: found.score }
    }
    return known.isAdded ? { rank: known.below + this.#changes.weightBefore(known), score: known.score } : undefined
  }

  findAll(members: readonly ByteString[], hashes: Uint32Array): readonly (RankedEntry | undefined)[] {
    return members.map((member, i) => this.find(member, hashes[i]))
  }

  /** Gives a member a score, or takes it away: undefined. `before` is what it has now. */
  change(member: ByteString, before: number | undefined, score: number | undefined): void {
    this.#byHash = undefined
    const hash = keyedHash(this.#key, member)
    const known = this.#members.get(member, hash)
    const added = known?.isAdded ? known : undefined
    // A member that was never changed is as it is below.
    const original = known === undefined ? before : known.original
    if (added !== undefined) this.#changes.delete(added)
    else if (before !== undefined) this.#changes.insert(this.#removal(member, hash, before))
    if (score === undefined) {
      if (original === undefined) this.#members.delete(member, hash)
      else this.#members.set({ member, isAdded: false, original }, hash)
      return
    }
    // The same double: zero has two.
    if (original !== undefined && Object.is(original, score)) {
      this.#changes.delete(this.#removal(member, hash, score))
      this.#members.delete(member, hash)
      return
    }
    const changed: Moved = added ?? { score, member, isAdded: true, below: 0, original }
    changed.score = score
    this.#changes.insert(changed, (low, high) => {
      changed.below = this.below.rank(score, member, low, high)
    })
    if (added === undefined) this.#members.set(changed, hash)
  }

  /** Puts changes of logs on a list that has none yet, all at once: what is below is read from front to back. */
  replay(scores: ReadonlyMap<ByteString, number>): void {
    const members = Array.from(scores.keys())
    const hashes = Uint32Array.from(members, (member) => keyedHash(this.#key, member))
    const found = this.below.findAll(members, hashes)
    this.#members.reserve(members.length)
    const added: Moved[] = []
    const removed: OverlaidChange[] = []
    for (const [i, member] of members.entries()) {
      const score = scores.get(member) as number
      const hash = hashes[i] as number
      const original = found[i]?.score
      // The same double, or removed and not there.
      if (Object.is(original ?? Number.NaN, score)) continue
      if (original !== undefined) {
        removed.push({ score: original, member, isAdded: false, below: found[i]?.rank ?? 0, original })
        if (Number.isNaN(score)) this.#members.set({ member, isAdded: false, original }, hash)
      }
      if (Number.isNaN(score)) continue
      const change: Moved = { score, member, isAdded: true, below: 0, original }
      added.push(change)
      this.#members.set(change, hash)
    }
    // Quick where the log has them in order, as it has what is added by time.
    added.sort(compareEntries)
    let below = 0
    for (const change of added) {
      below = rankFrom(this.below, change, below)
      change.below = below
    }
    const order = orderOf(removed.map((change) => change.below))
    this.#changes.fill(
      merged(
        added,
        Array.from(order, (i) => removed[i] as OverlaidChange),
      ),
    )
  }

  #removal(member: ByteString, hash: number, score: number): OverlaidChange {
    const below = this.below.find(member, hash)?.rank ?? 0
    return { score, member, isAdded: false, below, original: score }
  }

  members(key: HashKey, from: number, limit: number): HashPiece {
    this.#byHash ??= hashOrder(
      key,
      Array.from(this.#members, ({ member }) => member),
    )
    return joined([takeByHash(this.#byHash, from, limit), this.below.members(key, from, limit)])
  }

  /** Yields the changes in order. */
  changes(): Iterable<OverlaidChange> {
    return this.#changes
  }

  #knownOf(member: ByteString): OverlaidChange | Gone | undefined {
    return this.#members.get(member, keyedHash(this.#key, member))
  }

  /** Names each invariant that does not hold. */
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
        if (this.#knownOf(member) !== change) problems.push('an added entry is not among the members')
      } else {
        removed++
        if (original !== score) problems.push('a removed entry is not in the list below')
        if (this.#knownOf(member) === undefined) problems.push('a removed entry is not among the members')
      }
    }
    const known = [...this.#members]
    const gone = known.filter(({ original }) => original !== undefined).length
    if (known.filter(({ isAdded }) => isAdded).length !== added || gone !== removed) {
      problems.push('the counts of changes are wrong')
    }
    return problems
  }
}

/** How many entries of a list come before this one, which are at least `low`: near it, as a rule. */
function rankFrom(list: DiskList, { score, member }: DiskEntry, low: number): number {
  for (let from = low, step = 1; ; step *= 2) {
    const to = Math.min(list.count, from + step)
    const rank = list.rank(score, member, from, to)
    if (rank < to || to === list.count) return rank
    from = to
  }
}

/** Merges added and removed entries, each in order, into one order. */
function merged(added: readonly OverlaidChange[], removed: readonly OverlaidChange[]): OverlaidChange[] {
  const changes: OverlaidChange[] = []
  let next = 0
  for (const change of added) {
    for (let gone = removed[next]; gone !== undefined && isBefore(gone, change); gone = removed[++next])
      changes.push(gone)
    changes.push(change)
  }
  for (; next < removed.length; next++) changes.push(removed[next] as OverlaidChange)
  return changes
}

const isBefore = (a: OverlaidChange, b: OverlaidChange): boolean =>
  a.score === b.score ? ORDER.compareTied(a, b) < 0 : a.score < b.score

const plain = ({ score, member }: DiskEntry): DiskEntry => ({ score, member })
