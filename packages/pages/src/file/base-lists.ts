import type { BaseFile, DirectoryEntry } from './base-file.ts'
import { BaseList } from './base-list.ts'
import type { ByteString } from './byte-string.ts'
import { type DiskList, EMPTY_LIST } from './disk-list.ts'

/** Lists whose place is kept, so that the next look at one is without the directory. */
const KEPT_LISTS = 10_000

/** The lists of a base file, by name. */
export class BaseLists {
  readonly #base: BaseFile
  readonly #make: (entry: DirectoryEntry) => DiskList
  readonly #kept = new Map<ByteString, DiskList>()

  /** @param make Makes a list of an entry of the directory, where it is read in another way than from blocks at hand. */
  constructor(base: BaseFile, make: (entry: DirectoryEntry) => DiskList = (entry) => new BaseList(base, entry)) {
    this.#base = base
    this.#make = make
  }

  /** An empty one when there is none. */
  list(name: ByteString): DiskList {
    const kept = this.#kept.get(name)
    if (kept !== undefined) return kept
    const found = this.#base.find(name)
    const list = found.count === 0 ? EMPTY_LIST : this.#make(found)
    if (this.#kept.size >= KEPT_LISTS) this.#kept.clear()
    this.#kept.set(name, list)
    return list
  }
}
