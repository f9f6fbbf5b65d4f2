import type { ByteString } from './byte-string.ts'
import type { DiskChange } from './change.ts'

/** What logs have changed in a list since its file was written. */
export interface ReplayedList {
  /** Whether the list in the file was dropped, before the changes here. */
  isDropped: boolean
  /** Members that were changed, a later change of one behind an earlier one. */
  members: ByteString[]
  /** The score that each has got; NaN where it was removed. */
  scores: number[]
}

/** The changes of logs, list by list: they are put in place together, which takes a fraction of the time that they take one by one. */
export class Replay {
  readonly lists: Map<ByteString, ReplayedList> = new Map()
  #name: ByteString | undefined
  #list: ReplayedList | undefined

  add(change: DiskChange): void {
    const list = this.#listOf(change.list)
    if (change.type === 'drop') {
      list.isDropped = true
      list.members = []
      list.scores = []
    } else {
      list.members.push(change.member)
      list.scores.push(change.type === 'set' ? change.score : Number.NaN)
    }
  }

  #listOf(name: ByteString): ReplayedList {
    // A log has changes of one list one behind the other, as a rule.
    if (this.#list !== undefined && name === this.#name) return this.#list
    let list = this.lists.get(name)
    if (list === undefined) {
      list = { isDropped: false, members: [], scores: [] }
      this.lists.set(name, list)
    }
    this.#name = name
    this.#list = list
    return list
  }
}
