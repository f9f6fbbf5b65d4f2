import { type NodeSizes, runLeafBytes } from './node-sizes.ts'
import { type Packed, packedBytes } from './packing.ts'

/** How full the leaves are into which a full one is cut in the middle. */
const CUT_PART = 0.6
/** More than so many leaves' worth at once is a run that is filled in order. */
const RUN_LEAVES = 4

/**
 * Cuts entries into leaves, where one does not hold them. Where only newer ones came, all leaves but the last are filled, since
 * little comes into them any more; else each has room for what comes next.
 */
export function cutLeaf(
  before: readonly Packed[],
  entries: readonly Packed[],
  sizes: Pick<NodeSizes, 'leafBytes'>,
): readonly (readonly Packed[])[] {
  if (entries.length === 0) return []
  const bytes = entries.map((entry, i) => packedBytes(entry, entries[i - 1]))
  const total = bytes.reduce((sum, size) => sum + size, 0)
  if (total <= sizes.leafBytes) return [entries]
  const most = fullBytes(before, entries, total, sizes)
  const cut: Packed[][] = [[]]
  let filled = 0
  entries.forEach((entry, i) => {
    const size = bytes[i] as number
    if (filled > 0 && filled + size > most) {
      cut.push([])
      filled = 0
    }
    cut.at(-1)?.push(entry)
    filled += size
  })
  return cut
}

function fullBytes(
  before: readonly Packed[],
  entries: readonly Packed[],
  total: number,
  { leafBytes }: Pick<NodeSizes, 'leafBytes'>,
): number {
  if (total > RUN_LEAVES * leafBytes) return runLeafBytes({ leafBytes })
  const last = before.at(-1)
  const first = entries[before.length]
  const isAppended = last === undefined || (first !== undefined && entries[before.length - 1]?.place === last.place)
  return isAppended ? leafBytes : Math.ceil(total / Math.ceil(total / (leafBytes * CUT_PART)))
}
