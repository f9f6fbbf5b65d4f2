import type { NodeSizes } from './node-sizes.ts'

/**
 * Cuts the nodes of a branch into those of several. Where newer ones came at the end, all but the last are as large as they are to
 * be, since little comes into them any more; else all are alike.
 */
export function cutBranch<T>(
  nodes: readonly T[],
  isAppended: boolean,
  { fanout, mostNodes }: Pick<NodeSizes, 'fanout' | 'mostNodes'>,
): readonly (readonly T[])[] {
  if (nodes.length <= mostNodes) return [nodes]
  const size = isAppended ? fanout : Math.ceil(nodes.length / Math.ceil(nodes.length / fanout))
  return Array.from({ length: Math.ceil(nodes.length / size) }, (_, i) => nodes.slice(i * size, (i + 1) * size))
}
