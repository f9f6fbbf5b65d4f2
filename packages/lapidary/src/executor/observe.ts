import type { SourceObservation } from '../planner/experience.ts'
import { isBefore } from './merge.ts'
import type { SourceReader } from './source-reader.ts'

/**
 * Tells what was seen of each source. Up to the nearest end of what was read of them all, everything is known: the items there
 * that the page had no room for are certainly the next.
 */
export function observations(readers: readonly SourceReader[], ascending: boolean): readonly SourceObservation[] {
  const open = readers.filter(({ exhausted }) => !exhausted)
  const ends = open.map(({ frontier }) => frontier)
  const nearest = ends.reduce((least, end) => {
    if (least === undefined || end === undefined) return undefined
    return isBefore(end, least, ascending) ? end : least
  }, ends[0])
  return readers.map(({ actual, passed, used, waiting }) => ({
    entries: passed.entries,
    bytes: actual.bytes,
    squares: passed.squares,
    read: actual.itemsRead,
    given: used,
    ahead:
      open.length > 0 && nearest === undefined
        ? 0
        : waiting.filter(({ position }) => nearest === undefined || !isBefore(nearest, position, ascending)).length,
  }))
}
