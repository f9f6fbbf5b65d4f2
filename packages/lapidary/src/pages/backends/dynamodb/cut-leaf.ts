import { type Packed, packEntries } from './packing.ts'

/** Of packed entries: with its key, its revision and its names a leaf stays below 1 KB, which is one write unit. */
const LEAF_BYTES = 880
/** How full the leaves are into which a full one is cut in the middle. */
const CUT_BYTES = LEAF_BYTES * 0.6

/**
 * Entries cut into leaves, where one does not hold them. Where only newer ones came, all leaves but the last are filled, since
 * little comes into them any more; else each has room for what comes next.
 */
export function cutLeaf(before: readonly Packed[], entries: readonly Packed[]): readonly (readonly Packed[])[] {
  if (entries.length === 0) return []
  const sizes = entries.map((entry, i) => bytesAfter(entries[i - 1], entry))
  const total = sizes.reduce((sum, size) => sum + size, 0)
  if (total <= LEAF_BYTES) return [entries]
  const last = before.at(-1)
  const first = entries[before.length]
  const isAppended = last === undefined || (first !== undefined && entries[before.length - 1]?.place === last.place)
  const most = isAppended ? LEAF_BYTES : Math.ceil(total / Math.ceil(total / CUT_BYTES))
  const cut: Packed[][] = [[]]
  let filled = 0
  entries.forEach((entry, i) => {
    const size = sizes[i] as number
    if (filled > 0 && filled + size > most) {
      cut.push([])
      filled = 0
    }
    cut.at(-1)?.push(entry)
    filled += size
  })
  return cut
}

function bytesAfter(before: Packed | undefined, entry: Packed): number {
  const alone = before === undefined ? 0 : packEntries([before]).byteLength
  return packEntries(before === undefined ? [entry] : [before, entry]).byteLength - alone
}
