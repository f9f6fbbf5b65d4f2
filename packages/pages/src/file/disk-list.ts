import type { ByteString } from './byte-string.ts'
import type { DiskChange } from './change.ts'
import { END_OF_HASHES, type HashPiece } from './hash-order.ts'
import type { HashKey } from './keyed-hash.ts'

/** One entry of a list: entries are in the order of their scores, and of their members' bytes where scores are equal. */
export interface DiskEntry {
  readonly member: ByteString
  /** Any double but NaN. */
  readonly score: number
}

/** The place of a member in its list. */
export interface RankedEntry {
  /** How many entries come before it. */
  readonly rank: number
  readonly score: number
}

/** Takes the members of a range, one after the other. */
export interface MemberSink {
  takeText(member: ByteString): void
  /** The member is this part of some bytes, which may be others when this returns. */
  takeBytes(bytes: DataView, start: number, length: number): void
}

/** A list as it can be read: in a base file, or in a base file with changes on top. */
export interface DiskList {
  readonly count: number
  /** The entry with so many before it; `rank` is from 0 to below `count`. */
  at(rank: number): DiskEntry
  /** So many entries from a rank on, or as many as there are. */
  slice(start: number, count: number): DiskEntry[]
  /** The members of so many entries from a rank on, all of which there are, without an object for each. */
  copyMembers(start: number, count: number, into: MemberSink): void
  /** How many entries come before this place, whether or not an entry is there; `low` is at most that, and `high` at least, where given. */
  rank(score: number, member: ByteString, low?: number, high?: number): number
  /** The score of a member; undefined when it is not in the list. `hash` is the member's, where it is known already. */
  score(member: ByteString, hash?: number): number | undefined
  /** The rank and the score of a member; undefined when it is not in the list. */
  find(member: ByteString, hash?: number): RankedEntry | undefined
  /** As `find`, of many members, which come with their hashes: what is read is read from front to back. */
  findAll(members: readonly ByteString[], hashes: Uint32Array): readonly (RankedEntry | undefined)[]
  /** A piece of the members in the order of their hashes; those that were removed above may be among them. */
  members(key: HashKey, from: number, limit: number): HashPiece
}

/** Lists of one moment: what another process writes meanwhile is not in them. */
export interface DiskListsView {
  /** An empty one when there is none. */
  list(name: ByteString): DiskList
}

/** Lists that can be changed; a change shows at once. */
export interface ChangingLists extends DiskListsView {
  change(change: DiskChange): void
}

/** Below zero when `a` comes before `b`. */
export function compareEntries(a: DiskEntry, b: DiskEntry): number {
  if (a.score !== b.score) return a.score < b.score ? -1 : 1
  return compareBytes(a.member, b.member)
}

export function compareBytes(a: ByteString, b: ByteString): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** A list that does not exist. */
export const EMPTY_LIST: DiskList = {
  count: 0,
  at: (rank) => {
    throw new RangeError(`an empty list has no entry at rank ${rank}`)
  },
  slice: () => [],
  copyMembers: () => {},
  rank: () => 0,
  score: () => undefined,
  find: () => undefined,
  findAll: (members) => members.map(() => undefined),
  members: () => ({ texts: [], end: END_OF_HASHES }),
}
