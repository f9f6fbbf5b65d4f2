import { compareBytes } from '../../../model/key-text.ts'
import type { TableClient } from '../../../table/table-client.ts'
import { comparePlaces, type Place, placeText } from '../../place.ts'
import type { RankQuestion } from '../../sorted-lists.ts'
import { TOMBSTONES } from './edit.ts'
import { FIRST, keptCells } from './nodes.ts'
import type { Packed } from './packing.ts'
import { fenceAfter, readLeaves, type TreeReading, type Upper } from './read-tree.ts'

/** A tree whose upper part is read. */
export interface OpenTree {
  readonly group: string
  readonly partition: string
  readonly upper: Upper
}

/** A tree as one question looks into it: the entries of the lists that it asks for, by branches, whose leaves are read once. */
export class SearchedTree {
  /** Wanted entries of each branch. */
  readonly counts: readonly number[]
  readonly all: number
  readonly #table: TableClient
  readonly #tree: OpenTree
  readonly #reading: TreeReading
  readonly #wanted: ReadonlySet<number>
  readonly #leaves = new Map<number, Promise<readonly Packed[]>>()
  #rcu: number

  constructor(table: TableClient, tree: OpenTree, includes: RankQuestion['includes'], reading: TreeReading) {
    this.#table = table
    this.#tree = tree
    this.#reading = reading
    this.#rcu = tree.upper.rcu
    const cells = keptCells(tree.upper.names)
    this.#wanted = new Set(cells.flatMap((cell, i) => (cell !== TOMBSTONES && includes(cell) ? [i] : [])))
    this.counts = this.branches.map(({ counts }) =>
      [...counts].reduce((sum, [cell, count]) => sum + (this.#wanted.has(cell) ? count : 0), 0),
    )
    this.all = sumOf(this.counts)
  }

  get branches(): Upper['branches'] {
    return this.#tree.upper.branches
  }

  /** RCU that it took up to now. */
  get rcu(): number {
    return this.#rcu
  }

  readonly isWanted = ({ cell }: Packed): boolean => this.#wanted.has(cell)

  isRead(branch: number): boolean {
    return this.#leaves.has(branch)
  }

  /** The entries of a branch, of all lists. */
  entriesOf(branch: number): Promise<readonly Packed[]> {
    const known = this.#leaves.get(branch)
    if (known !== undefined) return known
    const { partition } = this.#tree
    const from = this.branches[branch]?.fence ?? FIRST
    const read = readLeaves(this.#table, partition, from, fenceAfter(this.branches, branch), this.#reading).then(
      ({ leaves, rcu }) => {
        this.#rcu += rcu
        return leaves.flatMap(({ entries }) => entries)
      },
    )
    this.#leaves.set(branch, read)
    return read
  }

  /** How many wanted entries are before a place. */
  async rankOf(cut: Place): Promise<number> {
    const i = this.branches.findLastIndex(({ fence }) => compareBytes(fence, placeText(cut)) <= 0)
    if (i < 0) return 0
    const entries = await this.entriesOf(i)
    const own = entries.filter((each) => this.isWanted(each) && comparePlaces(each.place, cut) < 0)
    return sumOf(this.counts.slice(0, i)) + own.length
  }
}

export function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0)
}
