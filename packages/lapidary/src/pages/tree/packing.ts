import { ByteReader, ByteWriter, numberBytes } from '../bytes.ts'
import type { Place } from '../place.ts'

/** An entry of a leaf: its place, and the number of its list in the group's names. */
export interface Packed {
  readonly place: Place
  readonly cell: number
}

const ABSOLUTE = 0
const MOST_DELTA = 2 ** 48

/**
 * Packs entries in ascending order. A score is told as what it adds to the one before, where that is a whole number, so a comment
 * takes some 5 bytes beside its id.
 */
export function packEntries(entries: readonly Packed[]): Uint8Array {
  const writer = new ByteWriter()
  let before: number | undefined
  for (const { place, cell } of entries) {
    const delta = deltaOf(before, place.score)
    if (delta === undefined) {
      writer.number(ABSOLUTE)
      writer.double(place.score)
    } else writer.number(delta + 1)
    before = place.score
    writer.number(cell)
    writer.text(place.member)
  }
  return writer.done()
}

/** How many bytes {@link packEntries} takes for an entry after another, or for the first one. */
export function packedBytes({ place, cell }: Packed, before: Packed | undefined): number {
  const delta = deltaOf(before?.place.score, place.score)
  const member = Buffer.byteLength(place.member)
  return (delta === undefined ? 9 : numberBytes(delta + 1)) + numberBytes(cell) + numberBytes(member) + member
}

function deltaOf(before: number | undefined, score: number): number | undefined {
  const delta = before === undefined ? Number.NaN : score - before
  const isExact = Number.isInteger(delta) && delta < MOST_DELTA && (before as number) + delta === score
  return isExact ? delta : undefined
}

/** Returns the entries that {@link packEntries} was given. */
export function unpackEntries(bytes: Uint8Array): Packed[] {
  const reader = new ByteReader(bytes)
  const entries: Packed[] = []
  let before = 0
  while (!reader.isDone) {
    const step = reader.number()
    // What is added first: a fraction that 1 is added to and taken from again is another one.
    before = step === ABSOLUTE ? reader.double() : before + (step - 1)
    const cell = reader.number()
    entries.push({ cell, place: { score: before, member: reader.text() } })
  }
  return entries
}

/** How a branch is counted: its level, how many nodes are in it, and entries by the numbers of their lists. */
export interface BranchCounts {
  readonly level: number
  readonly nodes: number
  readonly counts: ReadonlyMap<number, number>
}

export function packBranch({ level, nodes, counts }: BranchCounts): Uint8Array {
  const writer = new ByteWriter()
  writer.number(level)
  writer.number(nodes)
  writeCounts(writer, counts)
  return writer.done()
}

/** Returns what {@link packBranch} was given, but for counts of 0. */
export function unpackBranch(bytes: Uint8Array): BranchCounts {
  const reader = new ByteReader(bytes)
  return { level: reader.number(), nodes: reader.number(), counts: readCounts(reader) }
}

/** Packs counts by the numbers of lists; those of 0 are left out. */
export function packCounts(counts: ReadonlyMap<number, number>): Uint8Array {
  const writer = new ByteWriter()
  writeCounts(writer, counts)
  return writer.done()
}

function writeCounts(writer: ByteWriter, counts: ReadonlyMap<number, number>): void {
  for (const [cell, count] of [...counts].sort(([a], [b]) => a - b)) {
    if (count === 0) continue
    writer.number(cell)
    writer.number(count)
  }
}

/** Returns the counts that {@link packCounts} was given. */
export function unpackCounts(bytes: Uint8Array): Map<number, number> {
  return readCounts(new ByteReader(bytes))
}

function readCounts(reader: ByteReader): Map<number, number> {
  const counts = new Map<number, number>()
  while (!reader.isDone) counts.set(reader.number(), reader.number())
  return counts
}
