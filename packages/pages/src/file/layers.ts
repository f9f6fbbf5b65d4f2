import type { BaseFile } from './base-file.ts'
import { BaseLists } from './base-lists.ts'
import type { ByteString } from './byte-string.ts'
import type { DiskChange } from './change.ts'
import { ChangeSet } from './change-set.ts'
import type { DiskList, DiskListsView } from './disk-list.ts'
import { type HashPiece, joined } from './hash-order.ts'
import type { Replay } from './replay.ts'

/** A base file with the changes of its logs on top: those that a commit is merging into the next base, and those since. */
export class Layers {
  #base: BaseFile
  #merging: ChangeSet | undefined
  #live: ChangeSet
  #listCount: number
  #changes = 0

  /** @param lists Those of the base file, where they are read in another way. */
  constructor(base: BaseFile, lists: DiskListsView = new BaseLists(base)) {
    this.#base = base
    this.#live = new ChangeSet(base.header.hashKey, (name) => lists.list(name))
    this.#listCount = base.header.lists
  }

  get base(): BaseFile {
    return this.#base
  }

  /** Changes that are in no log that is written to. */
  get merging(): ChangeSet | undefined {
    return this.#merging
  }

  get live(): ChangeSet {
    return this.#live
  }

  /** How often anything has changed. */
  get changes(): number {
    return this.#changes
  }

  /** Lists with at least one entry. */
  get listCount(): number {
    return this.#listCount
  }

  list(name: ByteString): DiskList {
    return this.#live.list(name)
  }

  /** Makes the changes of logs, on top of none. */
  replay({ lists }: Replay): void {
    for (const [name, changes] of lists) {
      const before = this.#live.list(name).count
      this.#live.replay(name, changes)
      this.#listCount += Number(this.#live.list(name).count > 0) - Number(before > 0)
      this.#changes++
    }
  }

  /** Makes a change; gives what takes it back, or undefined when all was so before. */
  apply(change: DiskChange): (() => void) | undefined {
    const { list: name } = change
    this.#changes++
    const list = this.#live.list(name)
    if (change.type === 'drop') {
      if (list.count === 0) return undefined
      const back = this.#live.drop(name)
      this.#listCount--
      return () => {
        this.#listCount++
        back()
      }
    }
    const before = list.score(change.member)
    const score = change.type === 'set' ? change.score : undefined
    if (before === score) return undefined
    this.#change(name, change.member, before, score)
    return () => this.#change(name, change.member, score, before)
  }

  #change(name: ByteString, member: ByteString, before: number | undefined, score: number | undefined): void {
    const list = this.#live.changed(name)
    list.change(member, before, score)
    if (before === undefined && list.count === 1) this.#listCount++
    if (score === undefined && list.count === 0) this.#listCount--
  }

  /** From here on changes are kept apart from those so far, which are to be merged. */
  freeze(): void {
    const { hashKey } = this.#base.header
    const merging = this.#live
    this.#merging = merging
    this.#live = new ChangeSet(hashKey, (name) => merging.list(name))
  }

  /** Goes on with a base file that has what was merged; gives the one before. */
  swap(base: BaseFile): BaseFile {
    const before = this.#base
    this.#base = base
    this.#merging = undefined
    const lists = new BaseLists(base)
    this.#live.rebase((name) => lists.list(name))
    return before
  }

  /** A piece of the names of lists with entries, in the order of their hashes. */
  names(from: number, limit: number): HashPiece {
    const sets = this.#merging === undefined ? [this.#live] : [this.#live, this.#merging]
    const { texts, end } = joined([...sets, this.#base].map((source) => source.names(from, limit)))
    return { texts: texts.filter(({ text }) => this.list(text).count > 0), end }
  }
}
