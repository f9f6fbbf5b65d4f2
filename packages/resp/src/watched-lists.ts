import type { DiskChange } from 'lapidary-pages/file'

/** The lists that one client watches: its next EXEC does nothing when any of them was changed. */
export interface Watch {
  readonly lists: Set<string>
  /** The bytes of the names. */
  bytes: number
  isTouched: boolean
}

/** The watched lists, with the clients that watch them. */
export class WatchedLists {
  readonly #watches = new Map<string, Set<Watch>>()
  #clients = 0

  /** The number of watched lists. */
  get size(): number {
    return this.#watches.size
  }

  /** The number of clients that watch any. */
  get clients(): number {
    return this.#clients
  }

  add(watch: Watch, list: string): void {
    if (watch.lists.has(list)) return
    if (watch.lists.size === 0) this.#clients++
    watch.lists.add(list)
    watch.bytes += list.length
    const watches = this.#watches.get(list)
    if (watches === undefined) this.#watches.set(list, new Set([watch]))
    else watches.add(watch)
  }

  /** Forgets what a client watches. */
  remove(watch: Watch): void {
    if (watch.lists.size > 0) this.#clients--
    for (const list of watch.lists) {
      const watches = this.#watches.get(list)
      watches?.delete(watch)
      if (watches?.size === 0) this.#watches.delete(list)
    }
    watch.lists.clear()
  }

  /** Marks the watches of lists that were changed. */
  notice(changes: readonly DiskChange[]): void {
    let last: string | undefined
    for (const { list } of changes) {
      if (list === last) continue
      last = list
      for (const watch of this.#watches.get(list) ?? []) watch.isTouched = true
    }
  }
}
