import type { BaseFile, DirectoryEntry } from '../file/base-file.ts'
import { BaseList } from '../file/base-list.ts'
import { BLOCK_BYTES } from '../file/block.ts'
import type { ByteString } from '../file/byte-string.ts'
import { ChangedList } from '../file/changed-list.ts'
import { compareEntries, type DiskEntry, type DiskList, type RankedEntry } from '../file/disk-list.ts'
import { scoreWithin } from '../file/placed-entry.ts'
import { CHUNK_BYTES } from './ranged-file.ts'

/** The first entry of a chunk of a base file, and where it is in the whole file's order. */
export interface Fence extends DiskEntry {
  readonly index: number
}

/** A log tells this of the base file, which need not be asked then: whether it has an entry, and how many of the list come before. */
export interface Hint {
  readonly rank: number
  readonly isThere: boolean
}

/** The fences of a base file that is on a disk. */
export function fencesOf(base: BaseFile): readonly Fence[] {
  const { sections, header } = base
  const { perBlock, firstBlock } = sections.order
  const perChunk = (CHUNK_BYTES / BLOCK_BYTES) * perBlock
  const all = new BaseList(base, { start: 0, count: header.entries })
  const fences: Fence[] = []
  // The first chunk has the header's block too.
  for (let index = perChunk - firstBlock * perBlock; index < header.entries; index += perChunk) {
    fences.push({ index, ...all.at(index) })
  }
  return fences
}

/** A list in a base file of which only fences are here: what they leave open is read. */
export class FencedList extends BaseList {
  /** Ascending, with ranks in this list. */
  readonly fences: readonly Fence[]
  readonly #hints: ReadonlyMap<ByteString, Hint>

  constructor(base: BaseFile, entry: DirectoryEntry, fences: readonly Fence[], hints: ReadonlyMap<ByteString, Hint>) {
    super(base, entry)
    const { start, count } = entry
    const first = firstFrom(fences, (fence) => fence.index >= start)
    const end = firstFrom(fences, (fence) => fence.index >= start + count)
    this.fences = fences.slice(first, end).map((fence) => ({ ...fence, index: fence.index - start }))
    this.#hints = hints
  }

  override rank(score: number, member: ByteString): number {
    const hint = this.#hints.get(member)
    if (hint !== undefined && score === (scoreWithin(member) ?? 0)) return hint.rank
    let [low, high] = this.bounds({ score, member })
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if (compareEntries(this.at(middle), { score, member }) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Members tell their score themselves; in lists where they do not it is zero. */
  override score(member: ByteString): number | undefined {
    const score = scoreWithin(member) ?? 0
    const { isThere } = this.hint(score, member)
    return isThere ? score : undefined
  }

  override find(member: ByteString): RankedEntry | undefined {
    const score = this.score(member)
    return score === undefined ? undefined : { rank: this.rank(score, member), score }
  }

  override findAll(members: readonly ByteString[]): readonly (RankedEntry | undefined)[] {
    return members.map((member) => this.find(member))
  }

  hint(score: number, member: ByteString): Hint {
    const known = this.#hints.get(member)
    if (known !== undefined) return known
    const rank = this.rank(score, member)
    return { rank, isThere: rank < this.count && this.at(rank).member === member }
  }

  /** Between which ranks a place is, as far as fences tell. */
  bounds(place: DiskEntry): [low: number, high: number] {
    const next = firstFrom(this.fences, (fence) => compareEntries(fence, place) >= 0)
    const before = this.fences[next - 1]
    return [before === undefined ? 0 : before.index + 1, this.fences[next]?.index ?? this.count]
  }
}

/** Between which ranks a place is in a list, without a read. */
export function boundsIn(list: DiskList, place: DiskEntry): [low: number, high: number] {
  if (list instanceof FencedList) return list.bounds(place)
  if (list instanceof ChangedList) {
    const [low, high] = boundsIn(list.below, place)
    return [list.rankOver(low, place), list.rankOver(high, place)]
  }
  const rank = list.rank(place.score, place.member)
  return [rank, rank]
}

/** The fences of a list, which changes on top of it leave where they are. */
export function fencesIn(list: DiskList): readonly Fence[] {
  if (list instanceof ChangedList) return fencesIn(list.below)
  return list instanceof FencedList ? list.fences : []
}

export function firstFrom<T>(items: readonly T[], isFarEnough: (item: T) => boolean): number {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (isFarEnough(items[middle] as T)) high = middle
    else low = middle + 1
  }
  return low
}
