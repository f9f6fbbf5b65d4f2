import type { ByteString } from './byte-string.ts'
import type { DiskChange } from './change.ts'

/** The changes of a list in the logs since its file was written. */
export interface ReplayedList {
  /** Whether the list in the file was dropped before these changes. */
  isDropped: boolean
  /** The last score of each changed member; NaN where it was removed. */
  readonly scores: Map<ByteString, number>
}

/** Gathers the changes of logs list by list: to put them in place together takes a fraction of the time that one by one takes. */
export class Replay {
  readonly lists: Map<ByteString, ReplayedList> = new Map()

  add(change: DiskChange): void {
    const list = this.#listOf(change.list)
    if (change.type === 'drop') {
      list.isDropped = true
      list.scores.clear()
    } else list.scores.set(change.member, change.type === 'set' ? change.score : Number.NaN)
  }

  #listOf(name: ByteString): ReplayedList {
    let list = this.lists.get(name)
    if (list === undefined) {
      list = { isDropped: false, scores: new Map() }
      this.lists.set(name, list)
    }
    return list
  }
}
