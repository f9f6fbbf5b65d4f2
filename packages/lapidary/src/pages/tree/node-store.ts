import type { TargetKey } from '../../derived/target-key.ts'
import type { Again } from '../../table/retrying.ts'
import type { ListsState } from '../sorted-lists.ts'
import type { Names, Row, StoredNode } from './node.ts'
import type { NodeSizes } from './node-sizes.ts'

/** A tree: of a group, in a generation. */
export interface TreeName {
  readonly generation: number
  readonly group: string
}

/** How nodes are read: a consistent read sees every write that was made before it. */
export interface Reading {
  readonly consistent: boolean
}

/** The names and the top row of a tree, its nodes in ascending order. */
export interface TopRow {
  readonly names: Names
  readonly nodes: readonly StoredNode[]
  readonly rcu: number
  /** When the newest change was made that is in the trees, where the store keeps that. */
  readonly asOf?: number | undefined
}

/** A part of a row. */
export interface NodeRange {
  readonly row: number
  readonly from: string
  /** The fence before which it ends; undefined = to the end of the row. */
  readonly to?: string | undefined
  /** So many nodes at most; all when not given. */
  readonly most?: number | undefined
  /** Whether the last nodes come first; false when not given. */
  readonly descending?: boolean | undefined
}

export interface ReadNodes {
  readonly nodes: readonly StoredNode[]
  readonly rcu: number
  /** Requests that it took, one after the other; taken to be one where it does not say. */
  readonly requests?: number
}

/** Writes a node, or removes it where `bytes` is undefined, unless the store has another revision than `before`. */
export interface NodeWrite {
  readonly row: Row
  readonly fence: string
  readonly before: StoredNode | undefined
  readonly bytes: Uint8Array | undefined
}

/** Writes names: those that were there, and more. */
export interface NamesWrite {
  readonly before: Names
  readonly cells: readonly string[]
  /** Why the tree is given up by this; then it has no names any more. */
  readonly full: string | undefined
}

/** The writes of one tree. */
export interface TreeEdit {
  readonly tree: TreeName
  readonly writes: readonly NodeWrite[]
  readonly names?: NamesWrite | undefined
}

/**
 * The generation of trees that is kept, and whether it is made yet. Each filling makes trees of a new generation, so that those of before
 * need not be removed first. `settling`: page markers are made, and what came while they were written is taken in.
 */
export interface TreesState {
  readonly state: ListsState | 'settling'
  readonly generation: number
}

/** How far a shard is taken in, and into which trees. A filling moves it to the new generation, so a change goes to one of them. */
export interface Mark extends TreesState {
  /** The last change that was taken in; undefined before the first. */
  readonly sequenceNumber: string | undefined
  /** Whether the store has it yet. */
  readonly isStored: boolean
}

/** Moves the mark of a shard, unless another process or a filling has moved it since. */
export interface MarkMove {
  readonly shardId: string
  readonly from: Mark
  readonly to: string
  /** When the last change was made, where the stream tells. */
  readonly at: number | undefined
}

/** What is written as a whole or not at all. */
export interface TreesCommit {
  readonly edits: readonly TreeEdit[]
  /** The trees as they were read: a filling of another generation refuses the commit. */
  readonly trees: TreesState
  readonly mark?: MarkMove | undefined
}

/** `Again` where another write came between: everything is read anew. */
export type CommitResult = 'made' | 'too large' | Again

/** A commit's limits that an editor keeps to, so that few are too large. */
export interface CommitLimits {
  /** Steps of changes. */
  readonly steps: number
  /** Nodes that a run of entries writes. */
  readonly nodes: number
  /** Bytes of a tree's names; undefined where they have no limit. */
  readonly nameBytes: number | undefined
}

/** Where the nodes of trees are kept. All that knows of entries, counts and ranks is above it. */
export interface NodeStore {
  readonly limits: CommitLimits
  readonly sizes: NodeSizes
  /** How often a search begins anew where a write came between its reads, which costs nothing but time. */
  readonly mostRereads: number
  /** Reads the names and the top row of a tree, in one round. */
  top(tree: TreeName, reading: Reading): Promise<TopRow>
  /** Finds for each fence the node that it falls in, the last one of a row whose fence is not above it. Consistent. */
  nearest(tree: TreeName, row: number, fences: readonly string[]): Promise<ReadonlyMap<string, StoredNode | undefined>>
  /** Reads nodes of a row that begin in a range. */
  range(tree: TreeName, range: NodeRange, reading: Reading): Promise<ReadNodes>
  commit(commit: TreesCommit): Promise<CommitResult>

  /** Says which trees are kept; `absent`, with the last generation, where none are. */
  state(): Promise<TreesState>
  /** Makes empty trees that are complete, unless there are some. */
  create(): Promise<void>
  /** Begins a generation to be filled, and returns its number. Every change is taken into it from when this returns. */
  begin(): Promise<number>
  /** Makes a generation the one that answers. */
  finish(generation: number): Promise<void>
  mark(shardId: string): Promise<Mark>
  /** Why a tree of the kept generation was given up; undefined while all are kept. */
  full(): Promise<string | undefined>
  /** Whether an item of the table is a part of a tree of another generation. */
  isGivenUp(key: TargetKey, generation: number): boolean
  /** The group that an item of the table is a part of; undefined for any other. */
  groupOf(key: TargetKey, generation: number): string | undefined
  /** Groups that have a tree, where they can't be told from items of the table. */
  groups(generation: number): AsyncIterable<string>
}
