import type { LapidaryError } from 'lapidary'
import type { BaseFile, DirectoryEntry } from './base-file.ts'
import { damaged } from './block.ts'
import type { ByteString } from './byte-string.ts'
import type { DiskEntry, DiskList, MemberSink, RankedEntry } from './disk-list.ts'
import { type HashPiece, pieceByHash } from './hash-order.ts'
import { firstByHash } from './hash-search.ts'
import { type HashKey, keyedHash } from './keyed-hash.ts'
import { orderOf } from './number-order.ts'

/** A list in a base file. */
export class BaseList implements DiskList {
  readonly count: number
  readonly #base: BaseFile
  readonly #start: number
  /** The last member that was looked for: a change asks for it several times. */
  #asked: ByteString | undefined
  #found: RankedEntry | undefined

  constructor(base: BaseFile, { start, count }: Pick<DirectoryEntry, 'start' | 'count'>) {
    this.#base = base
    this.#start = start
    this.count = count
  }

  at(rank: number): DiskEntry {
    if (!(rank >= 0 && rank < this.count)) throw new RangeError(`a list of ${this.count} has no entry at rank ${rank}`)
    const offset = this.#base.orderOffset(this.#start + rank)
    const score = this.#base.cache.view.getFloat64(offset, true)
    return { score, member: this.#base.memberAt(offset) }
  }

  slice(start: number, count: number): DiskEntry[] {
    const entries: DiskEntry[] = []
    const end = Math.min(this.count, start + count)
    while (entries.length < end - start) {
      const rank = start + entries.length
      const run = Math.min(end - rank, this.#base.sections.order.runFrom(this.#start + rank))
      this.#base.readRun(this.#base.orderOffset(this.#start + rank), run, entries)
    }
    return entries
  }

  copyMembers(start: number, count: number, into: MemberSink): void {
    for (let left = count; left > 0; ) {
      const index = this.#start + start + count - left
      left -= this.#base.copyRun(index, Math.min(left, this.#base.sections.order.runFrom(index)), into)
    }
  }

  rank(score: number, member: ByteString, least = 0, most: number = this.count): number {
    // Most are added at the end.
    if (least >= most || this.#isBefore(most - 1, score, member)) return most
    let low = least
    let high = most - 1
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if (this.#isBefore(middle, score, member)) low = middle + 1
      else high = middle
    }
    return low
  }

  score(member: ByteString, hash?: number): number | undefined {
    return this.find(member, hash)?.score
  }

  find(member: ByteString, hash?: number): RankedEntry | undefined {
    if (member !== this.#asked) {
      this.#found = this.#find(member, hash ?? keyedHash(this.#base.header.hashKey, member))
      this.#asked = member
    }
    return this.#found
  }

  #find(member: ByteString, hash: number): RankedEntry | undefined {
    const { view } = this.#base.cache
    for (let i = this.#firstOf(hash); i < this.count; i++) {
      const index = this.#base.indexOffset(this.#start + i)
      if (view.getUint32(index, true) !== hash) return undefined
      const rank = view.getUint32(index + 4, true)
      if (rank >= this.count) throw damagedRank(this.#base, rank, this.count)
      const offset = this.#base.orderOffset(this.#start + rank)
      const score = view.getFloat64(offset, true)
      if (this.#base.compareMember(offset, member) === 0) return { rank, score }
    }
    return undefined
  }

  findAll(members: readonly ByteString[], hashes: Uint32Array): readonly (RankedEntry | undefined)[] {
    const { view } = this.#base.cache
    const ranks: number[] = []
    const owners: number[] = []
    const byHash = orderOf(hashes)
    for (let i = 0; i < byHash.length; i++) {
      const owner = byHash[i] as number
      const hash = hashes[owner] as number
      for (let at = this.#firstOf(hash); at < this.count; at++) {
        const found = this.indexAt(at)
        if (found.hash !== hash) break
        if (found.rank >= this.count) throw damagedRank(this.#base, found.rank, this.count)
        ranks.push(found.rank)
        owners.push(owner)
      }
    }
    const entries = members.map((): RankedEntry | undefined => undefined)
    const byRank = orderOf(ranks)
    for (let i = 0; i < byRank.length; i++) {
      const rank = ranks[byRank[i] as number] as number
      const owner = owners[byRank[i] as number] as number
      const offset = this.#base.orderOffset(this.#start + rank)
      const score = view.getFloat64(offset, true)
      if (this.#base.compareMember(offset, members[owner] as ByteString) === 0) entries[owner] = { rank, score }
    }
    return entries
  }

  members(_key: HashKey, from: number, limit: number): HashPiece {
    return pieceByHash(this.#firstOf(from), this.count, limit, (index) => {
      const { hash, rank } = this.indexAt(index)
      return { hash, text: this.at(rank).member }
    })
  }

  /** Returns the first place in the index that has this hash or a higher one. */
  #firstOf(hash: number): number {
    const { view } = this.#base.cache
    return firstByHash(hash, this.count, (index) => view.getUint32(this.#base.indexOffset(this.#start + index), true))
  }

  /** The record of the index with this place in the order of hashes. */
  indexAt(index: number): { readonly hash: number; readonly rank: number } {
    const offset = this.#base.indexOffset(this.#start + index)
    const { view } = this.#base.cache
    return { hash: view.getUint32(offset, true), rank: view.getUint32(offset + 4, true) }
  }

  #isBefore(rank: number, score: number, member: ByteString): boolean {
    const offset = this.#base.orderOffset(this.#start + rank)
    const own = this.#base.cache.view.getFloat64(offset, true)
    return own < score || (own === score && this.#base.compareMember(offset, member) < 0)
  }
}

function damagedRank({ name }: BaseFile, rank: number, count: number): LapidaryError {
  return damaged(name, `a rank is ${rank} in a list of ${count}`)
}
