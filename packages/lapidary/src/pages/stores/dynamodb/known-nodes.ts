import { compareBytes } from '../../../model/key-text.ts'
import { FIRST, type Names, type Row, type StoredNode, TOP } from '../../tree/node.ts'
import type { TopRow, TreeName } from '../../tree/node-store.ts'

/** Nodes that are kept in memory, of all trees together: some 8 MB. */
const MOST_NODES = 4_096
/** Commits of a tree that are made of what is read anew, after one was refused: another process writes the same tree, and a refusal is billed. */
const READ_AFTER_REFUSAL = 50

/** The fences that are known to fall into one node, or before all nodes. */
interface Span {
  readonly from: string
  readonly node: StoredNode | undefined
  /** The fence before which the span ends; undefined = at the end of the row. */
  readonly to: string | undefined
}

interface KnownTree {
  top: Pick<TopRow, 'names' | 'nodes'> | undefined
  /** By row, in ascending order. */
  readonly rows: Map<number, Span[]>
  /** Commits left that read all. */
  toRead: number
}

/**
 * Nodes as this process has read or written them last, so that the next change of the same tree need not read them. A commit writes every branch above a
 * leaf that changes, on the condition that each is as it is known: as long as they are, so is everything below them. What another process has
 * written meanwhile refuses the commit, and the tree is read anew.
 */
export class KnownNodes {
  /** The longest unused first. */
  readonly #trees = new Map<string, KnownTree>()
  readonly #isKept: (row: Row) => boolean
  #nodes = 0

  /** @param isKept Which rows are remembered, where not all of them are looked up to be changed. */
  constructor(isKept: (row: Row) => boolean = () => true) {
    this.#isKept = isKept
  }

  top(tree: TreeName): TopRow | undefined {
    const known = this.#of(tree)
    return known === undefined || known.toRead > 0 || known.top === undefined ? undefined : { ...known.top, rcu: 0 }
  }

  keepTop(tree: TreeName, { names, nodes }: TopRow): void {
    const known = this.#opened(tree)
    this.#nodes += nodes.length - (known.top?.nodes.length ?? 0)
    known.top = { names, nodes }
  }

  /** The node that a fence falls in; undefined where that is not known. */
  nearest(tree: TreeName, row: number, fence: string): { readonly node: StoredNode | undefined } | undefined {
    const known = this.#of(tree)
    return known === undefined || known.toRead > 0 ? undefined : spanOf(known.rows.get(row) ?? [], fence)
  }

  /** Whether a fence is behind all that is known of a row, as that of a new item is: then it is worth to know whether it is the end. */
  isBehind(tree: TreeName, row: number, { fence }: StoredNode): boolean {
    const last = this.#of(tree)?.rows.get(row)?.at(-1)
    return last !== undefined && compareBytes(fence, last.from) >= 0
  }

  /** @param to Up to where fences fall into the node; undefined = to the end of the row. */
  learn(tree: TreeName, row: number, node: StoredNode | undefined, to: string | undefined): void {
    const from = node?.fence ?? FIRST
    const spans = this.#rowOf(tree, row)
    const at = spans.findIndex((span) => span.from === from)
    const before = spans[at]
    const isLonger =
      before === undefined || (before.to !== undefined && (to === undefined || compareBytes(to, before.to) > 0))
    this.#replace(spans, at, { from, node, to: isLonger ? to : before.to })
  }

  /** Takes in a node that was written, or removed. */
  wrote(tree: TreeName, row: Row, fence: string, node: StoredNode | undefined): void {
    if (!this.#isKept(row)) return
    const known = this.#opened(tree)
    if (row === TOP) {
      if (known.top === undefined) return
      const others = known.top.nodes.filter((each) => each.fence !== fence)
      const nodes = node === undefined ? others : [...others, node].sort((a, b) => compareBytes(a.fence, b.fence))
      this.keepTop(tree, { ...known.top, nodes, rcu: 0 })
      return
    }
    const spans = this.#rowOf(tree, row)
    const over = spanOf(spans, fence)
    const at = over === undefined ? -1 : spans.indexOf(over)
    if (node === undefined) {
      if (over?.from !== fence) return
      const before = spans[at - 1]
      spans.splice(at, 1)
      this.#nodes -= 1
      if (before?.to === fence) spans[at - 1] = { ...before, to: over.to }
    } else if (over === undefined) this.#replace(spans, -1, { from: fence, node, to: after(fence) })
    else if (over.from === fence) spans[at] = { ...over, node }
    else {
      spans[at] = { ...over, to: fence }
      this.#replace(spans, -1, { from: fence, node, to: over.to })
    }
  }

  wroteNames(tree: TreeName, names: Names): void {
    const known = this.#opened(tree)
    if (known.top !== undefined) known.top = { ...known.top, names }
  }

  made(trees: readonly TreeName[]): void {
    for (const tree of trees) {
      const known = this.#of(tree)
      if (known !== undefined) known.toRead = Math.max(0, known.toRead - 1)
    }
    for (const [id, known] of this.#trees) {
      if (this.#nodes <= MOST_NODES) break
      this.#empty(known)
      this.#trees.delete(id)
    }
  }

  refused(trees: readonly TreeName[]): void {
    for (const tree of trees) {
      const known = this.#opened(tree)
      this.#empty(known)
      known.toRead = READ_AFTER_REFUSAL
    }
  }

  #of({ generation, group }: TreeName): KnownTree | undefined {
    return this.#trees.get(`${generation}#${group}`)
  }

  #opened(tree: TreeName): KnownTree {
    const id = `${tree.generation}#${tree.group}`
    const known = this.#trees.get(id) ?? { top: undefined, rows: new Map(), toRead: 0 }
    this.#trees.delete(id)
    this.#trees.set(id, known)
    return known
  }

  #rowOf(tree: TreeName, row: number): Span[] {
    const { rows } = this.#opened(tree)
    const spans = rows.get(row) ?? []
    rows.set(row, spans)
    return spans
  }

  #replace(spans: Span[], at: number, span: Span): void {
    if (at >= 0) spans[at] = span
    else {
      const next = spans.findIndex(({ from }) => compareBytes(from, span.from) > 0)
      spans.splice(next < 0 ? spans.length : next, 0, span)
      this.#nodes += 1
    }
  }

  #empty(known: KnownTree): void {
    this.#nodes -=
      (known.top?.nodes.length ?? 0) + [...known.rows.values()].reduce((sum, spans) => sum + spans.length, 0)
    known.top = undefined
    known.rows.clear()
  }
}

/** The least fence above another. */
export function after(fence: string): string {
  return `${fence}\u0000`
}

function spanOf(spans: readonly Span[], fence: string): Span | undefined {
  const span = spans.findLast(({ from }) => compareBytes(from, fence) <= 0)
  return span === undefined || (span.to !== undefined && compareBytes(fence, span.to) >= 0) ? undefined : span
}
