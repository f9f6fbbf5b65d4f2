import { comparePositions, type Position } from '../model/position.ts'
import type { Head, SourceReader } from './source-reader.ts'

/**
 * Takes items in position order from the readers into `emitted`, as long as each is certain to be the next: a source
 * that may hold an earlier one has to show its head, or have read past it.
 *
 * An item whose facets change while a page is read may be found in the list it left and in the one it went to. Positions
 * are unique, so the second find is the one at the same position, right after the first. So is one that several lists hold, by
 * several of its values of a facet.
 */
export function mergeCertain(
  readers: readonly SourceReader[],
  emitted: Head[],
  limit: number,
  ascending: boolean,
): void {
  for (;;) {
    const first = firstReader(readers, ascending)
    if (first?.head === undefined) return
    const last = emitted.at(-1)
    if (last !== undefined && comparePositions(first.head.position, last.position) === 0) {
      first.drop()
      continue
    }
    if (emitted.length === limit) return
    const { position } = first.head
    const certain = readers.every((reader) => !reader.blocking || hasReadPast(reader, position, ascending))
    if (!certain) return
    emitted.push(first.head)
    first.take()
  }
}

function firstReader(readers: readonly SourceReader[], ascending: boolean): SourceReader | undefined {
  let first: SourceReader | undefined
  for (const reader of readers) {
    if (reader.head === undefined) continue
    if (first?.head === undefined || isBefore(reader.head.position, first.head.position, ascending)) first = reader
  }
  return first
}

function hasReadPast(reader: SourceReader, position: Position, ascending: boolean): boolean {
  return reader.frontier !== undefined && isBefore(position, reader.frontier, ascending)
}

/** Whether `a` is read before `b`. */
export function isBefore(a: Position, b: Position, ascending: boolean): boolean {
  const comparison = comparePositions(a, b)
  return ascending ? comparison < 0 : comparison > 0
}
