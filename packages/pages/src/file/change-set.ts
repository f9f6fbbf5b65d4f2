import type { ByteString } from './byte-string.ts'
import { ChangedList } from './changed-list.ts'
import { CountedTree, type TreeOrder } from './counted-tree.ts'
import { compareBytes, type DiskList, EMPTY_LIST } from './disk-list.ts'
import { END_OF_HASHES, type Hashed, type HashPiece, pieceByHash } from './hash-order.ts'
import { type HashKey, keyedHash } from './keyed-hash.ts'
import type { ReplayedList } from './replay.ts'

const BY_HASH: TreeOrder<Hashed> = {
  key: ({ hash }) => hash,
  compareTied: (a, b) => compareBytes(a.text, b.text),
  weight: () => 1,
  base: () => 0,
}

/** The lists that a log has changed, on top of what is below. */
export class ChangeSet {
  readonly lists: Map<ByteString, ChangedList> = new Map()
  readonly #names = new CountedTree<Hashed>(BY_HASH)
  readonly #key: HashKey
  #below: (name: ByteString) => DiskList

  constructor(key: HashKey, below: (name: ByteString) => DiskList) {
    this.#key = key
    this.#below = below
  }

  list(name: ByteString): DiskList {
    return this.lists.get(name) ?? this.#below(name)
  }

  /** A list to be changed. */
  changed(name: ByteString): ChangedList {
    const known = this.lists.get(name)
    if (known !== undefined) return known
    const list = new ChangedList(this.#key, () => this.#below(name))
    this.#put(name, list)
    return list
  }

  /** Puts changes of logs in place of a list that has none yet. */
  replay(name: ByteString, changes: ReplayedList): void {
    const list = new ChangedList(this.#key, changes.isDropped ? () => EMPTY_LIST : () => this.#below(name))
    list.replay(changes.scores)
    this.#put(name, list)
  }

  /** Hides the list below; returns a function that takes that back. */
  drop(name: ByteString): () => void {
    const before = this.lists.get(name)
    this.#put(name, new ChangedList(this.#key, () => EMPTY_LIST))
    return () => {
      if (before === undefined) {
        this.lists.delete(name)
        this.#names.delete(this.#hashed(name))
      } else {
        // The list below may be of another base by now.
        before.rebase()
        this.lists.set(name, before)
      }
    }
  }

  /** Puts the same changes on top of something else that has equal lists. */
  rebase(below: (name: ByteString) => DiskList): void {
    this.#below = below
    for (const list of this.lists.values()) list.rebase()
  }

  /** A piece of the changed names in the order of their hashes. */
  names(from: number, limit: number): HashPiece {
    if (from >= END_OF_HASHES) return { texts: [], end: END_OF_HASHES }
    const start = this.#names.weightBefore({ hash: from, text: '' })
    return pieceByHash(start, this.#names.weight, limit, (index) => {
      const { leaf, index: at } = this.#names.seek(index)
      return (leaf.items[at] ?? leaf.next?.items[0]) as Hashed
    })
  }

  #put(name: ByteString, list: ChangedList): void {
    if (!this.lists.has(name)) this.#names.insert(this.#hashed(name))
    this.lists.set(name, list)
  }

  #hashed(name: ByteString): Hashed {
    return { hash: keyedHash(this.#key, name), text: name }
  }
}
