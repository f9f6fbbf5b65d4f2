import { LapidaryError } from 'lapidary'
import type { ByteString } from './byte-string.ts'
import type { DiskEntry, DiskListsView, MemberSink, RankedEntry } from './disk-list.ts'
import { END_OF_HASHES, type HashPiece } from './hash-order.ts'
import type { Layers } from './layers.ts'
import { type Validation, validateLayers } from './validate.ts'

/** A piece of a walk over names or members. */
export interface ListPiece {
  readonly items: readonly ByteString[]
  /** Asks for the next piece; undefined at the end. */
  readonly next: number | undefined
}

/** How a store is, in figures. */
export interface ListsStatus {
  /** Lists with at least one entry. */
  readonly lists: number
  /** The number of the base file. */
  readonly generation: number
  /** Entries and bytes of the base file. */
  readonly baseEntries: number
  readonly baseBytes: number
  /** Bytes of changes since then, which are also in memory. */
  readonly logBytes: number
}

/** Sorted lists on disk as they can be read: every read has the base file and the changes since then. */
export interface DiskListsReader {
  /** For several reads that belong together; good until the event loop has its next turn, or a change is made here. */
  view(): DiskListsView
  /** Entries of a list; 0 when it does not exist. */
  count(list: ByteString): number
  /** The entry with so many before it; undefined when there are fewer. */
  at(list: ByteString, rank: number): DiskEntry | undefined
  /** Entries from one rank to below another, as far as they exist. */
  slice(list: ByteString, start: number, end: number): readonly DiskEntry[]
  /** The members of the same entries, each handed over at once: quicker where no entries are needed. */
  copyMembers(list: ByteString, start: number, end: number, into: MemberSink): void
  /** How many entries come before a place in a list, whether or not an entry is there. */
  rank(list: ByteString, score: number, member?: ByteString): number
  /** The score of a member; undefined when the list does not have it. */
  score(list: ByteString, member: ByteString): number | undefined
  /** The rank and the score of a member; undefined when the list does not have it. */
  find(list: ByteString, member: ByteString): RankedEntry | undefined
  /** About so many names, from the beginning or from where the piece before ended: each that exists throughout, once or more. */
  lists(limit: number, from?: number): ListPiece
  /** About so many members of one list, likewise. */
  members(list: ByteString, limit: number, from?: number): ListPiece
  /** Reads everything, and tells what is not as it must be. */
  validate(): Promise<Validation>
  status(): ListsStatus
}

/** Reads what some layers have. */
export class LayersReader implements DiskListsReader {
  readonly #current: () => Layers
  readonly #logBytes: () => number

  /** @param current Gives the layers of the moment; throws when the store is closed. */
  constructor(current: () => Layers, logBytes: () => number) {
    this.#current = current
    this.#logBytes = logBytes
  }

  view(): DiskListsView {
    return this.#current()
  }

  count(list: ByteString): number {
    return this.#current().list(list).count
  }

  at(list: ByteString, rank: number): DiskEntry | undefined {
    const found = this.#current().list(list)
    return Number.isInteger(rank) && rank >= 0 && rank < found.count ? found.at(rank) : undefined
  }

  slice(list: ByteString, start: number, end: number): readonly DiskEntry[] {
    const found = this.#current().list(list)
    const first = Math.max(0, start)
    const length = Math.min(end, found.count) - first
    return length > 0 ? found.slice(first, length) : []
  }

  copyMembers(list: ByteString, start: number, end: number, into: MemberSink): void {
    const found = this.#current().list(list)
    const first = Math.max(0, start)
    found.copyMembers(first, Math.max(0, Math.min(end, found.count) - first), into)
  }

  rank(list: ByteString, score: number, member: ByteString = ''): number {
    if (Number.isNaN(score)) throw new LapidaryError('unprocessable', 'a place in a list has a score that is no number')
    return this.#current().list(list).rank(score, member)
  }

  score(list: ByteString, member: ByteString): number | undefined {
    return this.#current().list(list).score(member)
  }

  find(list: ByteString, member: ByteString): RankedEntry | undefined {
    return this.#current().list(list).find(member)
  }

  lists(limit: number, from = 0): ListPiece {
    return listPiece(this.#current().names(from, limit))
  }

  members(list: ByteString, limit: number, from = 0): ListPiece {
    const layers = this.#current()
    const found = layers.list(list)
    const { texts, end } = found.members(layers.base.header.hashKey, from, limit)
    return listPiece({ texts: texts.filter(({ text }) => found.score(text) !== undefined), end })
  }

  validate(): Promise<Validation> {
    return validateLayers(this.#current())
  }

  status(): ListsStatus {
    const { base, listCount } = this.#current()
    return {
      lists: listCount,
      generation: base.header.generation,
      baseEntries: base.header.entries,
      baseBytes: base.sections.fileBytes,
      logBytes: this.#logBytes(),
    }
  }
}

/** A piece without the hashes. */
export function listPiece({ texts, end }: HashPiece): ListPiece {
  return { items: texts.map(({ text }) => text), next: end >= END_OF_HASHES ? undefined : end }
}
