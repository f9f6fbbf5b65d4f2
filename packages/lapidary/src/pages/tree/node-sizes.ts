/** How large the nodes of trees become before they are cut. */
export interface NodeSizes {
  /** Bytes of a leaf's entries. */
  readonly leafBytes: number
  /** Nodes of a branch that is cut, or made of a run. All leaves of one are read to find an entry. */
  readonly fanout: number
  /** Nodes above which a branch is cut. */
  readonly mostNodes: number
  /** Nodes of the top row above which some go into a branch. Every search reads all of them. */
  readonly mostTop: number
}

/** With its key, its revision and its names a leaf stays below 1 KB, which is one write unit of DynamoDB. */
export const NODE_SIZES: NodeSizes = { leafBytes: 880, fanout: 32, mostNodes: 48, mostTop: 64 }

/** Returns how full the leaves of a run are, so that an entry that comes into one later does not cut it. */
export function runLeafBytes({ leafBytes }: Pick<NodeSizes, 'leafBytes'>): number {
  return leafBytes * 0.9
}
