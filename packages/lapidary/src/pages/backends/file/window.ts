import type { RandomAccess } from '../../selection.ts'
import type { DiskEntry, DiskList } from './disk-list.ts'

/** The entries of a list from one rank to below another, as a list of their own. */
export function windowOf(list: DiskList, low: number, high: number): RandomAccess<DiskEntry> {
  return {
    size: high - low,
    at: (rank) => list.at(low + rank),
    rank: ({ score, member }) => Math.min(high, Math.max(low, list.rank(score, member))) - low,
  }
}
