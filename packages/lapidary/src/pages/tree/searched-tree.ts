import { LapidaryError } from '../../model/errors.ts'
import { compareBytes } from '../../model/key-text.ts'
import { comparePlaces, type Place, placeText } from '../place.ts'
import type { RankQuestion } from '../sorted-lists.ts'
import {
  type Branch,
  branchFrom,
  type Counts,
  countsOf,
  LEAVES,
  type Leaf,
  leafFrom,
  rowBelow,
  TOMBSTONES,
  TOP,
} from './node.ts'
import type { NodeStore, Reading, TopRow, TreeName } from './node-store.ts'
import type { Packed } from './packing.ts'

/** A tree whose top row is read. */
export interface OpenTree {
  readonly tree: TreeName
  readonly top: TopRow
}

/** A node as one question sees it: how many entries it has of the lists that are asked for. */
export interface SearchedNode {
  readonly of: SearchedTree
  /** The branch; undefined of a leaf. */
  readonly branch: Branch | undefined
  /** The entries of a leaf, of all lists. */
  readonly entries: readonly Packed[]
  readonly fence: string
  /** The fence of the node after it; undefined for the last one. */
  readonly next: string | undefined
  readonly wanted: number
  /** The leaves of the branch that a leaf is in. */
  readonly beside: readonly Leaf[]
}

/** A tree as one question looks into it. The nodes below a branch are read once. */
export class SearchedTree {
  readonly cells: readonly string[]
  readonly nodes: readonly SearchedNode[]
  readonly #store: NodeStore
  readonly #tree: TreeName
  readonly #reading: Reading
  readonly #wanted: ReadonlySet<number>
  readonly #below = new Map<Branch, Promise<readonly SearchedNode[]>>()
  #rcu: number

  constructor(store: NodeStore, { tree, top }: OpenTree, includes: RankQuestion['includes'], reading: Reading) {
    this.#store = store
    this.#tree = tree
    this.#reading = reading
    this.#rcu = top.rcu
    if (top.names.full !== undefined) throw new LapidaryError('unprocessable', top.names.full)
    this.cells = top.names.cells
    this.#wanted = new Set(this.cells.flatMap((cell, i) => (cell !== TOMBSTONES && includes(cell) ? [i] : [])))
    const branches = top.nodes.map((stored) => branchFrom(TOP, stored))
    this.nodes = branches.map((branch, i) => this.#ofBranch(branch, branches[i + 1]?.fence))
  }

  /** RCU that it took up to now. */
  get rcu(): number {
    return this.#rcu
  }

  readonly isWanted = ({ cell }: Packed): boolean => this.#wanted.has(cell)

  isRead({ branch }: SearchedNode): boolean {
    return branch === undefined || this.#below.has(branch)
  }

  /** Gives the nodes below a branch; a leaf itself. */
  async below(node: SearchedNode): Promise<readonly SearchedNode[]> {
    const { branch } = node
    if (branch === undefined) return [node]
    const read = this.#below.get(branch) ?? this.#readBelow(branch, node.next)
    this.#below.set(branch, read)
    return read
  }

  async #readBelow(branch: Branch, next: string | undefined): Promise<readonly SearchedNode[]> {
    const row = rowBelow(branch)
    const { nodes, rcu } = await this.#store.range(this.#tree, { row, from: branch.fence, to: next }, this.#reading)
    this.#rcu += rcu
    const after = (i: number): string | undefined => nodes[i + 1]?.fence ?? next
    if (row > LEAVES) return nodes.map((stored, i) => this.#ofBranch(branchFrom(row, stored), after(i)))
    const beside = nodes.map(leafFrom)
    return beside.map(({ fence, entries }, i) => {
      const wanted = this.#sum(countsOf(entries))
      return { of: this, branch: undefined, entries, fence, next: after(i), wanted, beside }
    })
  }

  /** How many wanted entries are before a place, and how many reads that took, one after the other. */
  async rankOf(cut: Place): Promise<{ readonly rank: number; readonly rounds: number }> {
    let [rank, rounds] = [0, 0]
    for (let nodes = this.nodes; ; ) {
      const i = nodes.findLastIndex(({ fence }) => compareBytes(fence, placeText(cut)) <= 0)
      const node = nodes[i]
      if (node === undefined) return { rank, rounds }
      rank += sumOf(nodes.slice(0, i).map(({ wanted }) => wanted))
      if (node.branch === undefined) {
        const own = node.entries.filter((each) => this.isWanted(each) && comparePlaces(each.place, cut) < 0)
        return { rank: rank + own.length, rounds }
      }
      nodes = await this.below(node)
      rounds += 1
    }
  }

  #ofBranch(branch: Branch, next: string | undefined): SearchedNode {
    const wanted = this.#sum(branch.counts)
    return { of: this, branch, entries: [], fence: branch.fence, next, wanted, beside: [] }
  }

  #sum(counts: Counts): number {
    let sum = 0
    for (const [cell, count] of counts) if (this.#wanted.has(cell)) sum += count
    return sum
  }
}

export function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0)
}
