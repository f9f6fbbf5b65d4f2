import { comparePositions, type Position } from '../model/position.ts'

/** A source as the merge sees it: its next item, and how far it is known. */
export interface MergedSource<H extends { readonly position: Position }> {
  readonly head: H | undefined
  /** Whether its next item is unknown, and may come before every other. */
  readonly blocking: boolean
  /** Everything of it before here is known. */
  readonly frontier: Position | undefined
  /** Leaves the head out. */
  drop(): void
  /** Gives the head to the page. */
  take(): void
}

/**
 * Takes items in position order from the readers into `emitted`, as long as each is certain to be the next: a source
 * that may hold an earlier one has to show its head, or have read past it.
 *
 * An item whose facets change while a page is read may be found in the list it left and in the one it went to. Positions
 * are unique, so the second find is the one at the same position, right after the first. So is one that several lists hold, by
 * several of its values of a facet.
 */
export function mergeCertain<H extends { readonly position: Position }>(
  readers: readonly MergedSource<H>[],
  emitted: H[],
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

/** Items that a page still lacks after a merge and has to read for; none once it is full and knows whether more follow, or the data ends. */
export function itemsLacking(
  readers: readonly Pick<MergedSource<{ readonly position: Position }>, 'head' | 'blocking'>[],
  emitted: number,
  limit: number,
): number {
  const full = emitted === limit
  const blocked = readers.some((reader) => reader.blocking)
  if (!blocked || (full && readers.some((reader) => reader.head !== undefined))) return 0
  return full ? 1 : limit - emitted
}

function firstReader<H extends { readonly position: Position }>(
  readers: readonly MergedSource<H>[],
  ascending: boolean,
): MergedSource<H> | undefined {
  let first: MergedSource<H> | undefined
  for (const reader of readers) {
    if (reader.head === undefined) continue
    if (first?.head === undefined || isBefore(reader.head.position, first.head.position, ascending)) first = reader
  }
  return first
}

function hasReadPast(
  { frontier }: { readonly frontier: Position | undefined },
  position: Position,
  ascending: boolean,
): boolean {
  return frontier !== undefined && isBefore(position, frontier, ascending)
}

/** Whether `a` is read before `b`. */
export function isBefore(a: Position, b: Position, ascending: boolean): boolean {
  const comparison = comparePositions(a, b)
  return ascending ? comparison < 0 : comparison > 0
}
