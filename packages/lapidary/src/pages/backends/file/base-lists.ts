import type { BaseFile } from './base-file.ts'
import { BaseList } from './base-list.ts'
import type { ByteString } from './byte-string.ts'
import { type DiskList, EMPTY_LIST } from './disk-list.ts'

/** Lists whose place is kept, so that the next look at one is without the directory. */
const KEPT_LISTS = 10_000

/** The lists of a base file, by name. */
export class BaseLists {
  readonly #base: BaseFile
  readonly #kept = new Map<ByteString, DiskList>()

  constructor(base: BaseFile) {
    this.#base = base
  }

  /** An empty one when there is none. */
  list(name: ByteString): DiskList {
    const kept = this.#kept.get(name)
    if (kept !== undefined) return kept
    const index = this.#base.find(name)
    const entry = index < this.#base.header.lists ? this.#base.directoryEntry(index) : undefined
    const list = entry?.name === name ? new BaseList(this.#base, entry.start, entry.count) : EMPTY_LIST
    if (this.#kept.size >= KEPT_LISTS) this.#kept.clear()
    this.#kept.set(name, list)
    return list
  }
}
