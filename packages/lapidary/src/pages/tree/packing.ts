import type { Place } from '../place.ts'

/** An entry of a leaf: its place, and the number of its list in the group's names. */
export interface Packed {
  readonly place: Place
  readonly cell: number
}

const ABSOLUTE = 0
const MOST_DELTA = 2 ** 48

/** Bytes under construction; numbers take 7 bits a byte, the lowest first. */
class Writer {
  #bytes: Buffer = Buffer.allocUnsafe(1024)
  #length = 0

  number(value: number): void {
    this.#reserve(8)
    let rest = value
    for (; rest > 127; rest = Math.floor(rest / 128)) this.#bytes[this.#length++] = (rest % 128) | 128
    this.#bytes[this.#length++] = rest
  }

  double(value: number): void {
    this.#reserve(8)
    this.#length = this.#bytes.writeDoubleBE(value, this.#length)
  }

  text(value: string): void {
    const bytes = Buffer.byteLength(value)
    this.number(bytes)
    this.#reserve(bytes)
    this.#length += this.#bytes.write(value, this.#length)
  }

  done(): Uint8Array {
    return Uint8Array.from(this.#bytes.subarray(0, this.#length))
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return
    const grown = Buffer.allocUnsafe((this.#length + more) * 2)
    this.#bytes.copy(grown)
    this.#bytes = grown
  }
}

class Reader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  get isDone(): boolean {
    return this.#at >= this.#bytes.length
  }

  number(): number {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#bytes.readUInt8(this.#at++)
      value += (byte & 127) * scale
      if (byte < 128) return value
    }
  }

  double(): number {
    const value = this.#bytes.readDoubleBE(this.#at)
    this.#at += 8
    return value
  }

  text(): string {
    const length = this.number()
    const value = this.#bytes.toString('utf8', this.#at, this.#at + length)
    this.#at += length
    return value
  }
}

/**
 * Packs entries in ascending order. A score is told as what it adds to the one before, where that is a whole number, so a comment
 * takes some 5 bytes beside its id.
 */
export function packEntries(entries: readonly Packed[]): Uint8Array {
  const writer = new Writer()
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

function numberBytes(value: number): number {
  let bytes = 1
  for (let rest = value; rest > 127; rest = Math.floor(rest / 128)) bytes++
  return bytes
}

/** Returns the entries that {@link packEntries} was given. */
export function unpackEntries(bytes: Uint8Array): Packed[] {
  const reader = new Reader(bytes)
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
  const writer = new Writer()
  writer.number(level)
  writer.number(nodes)
  writeCounts(writer, counts)
  return writer.done()
}

/** Returns what {@link packBranch} was given, but for counts of 0. */
export function unpackBranch(bytes: Uint8Array): BranchCounts {
  const reader = new Reader(bytes)
  return { level: reader.number(), nodes: reader.number(), counts: readCounts(reader) }
}

/** Packs counts by the numbers of lists; those of 0 are left out. */
export function packCounts(counts: ReadonlyMap<number, number>): Uint8Array {
  const writer = new Writer()
  writeCounts(writer, counts)
  return writer.done()
}

function writeCounts(writer: Writer, counts: ReadonlyMap<number, number>): void {
  for (const [cell, count] of [...counts].sort(([a], [b]) => a - b)) {
    if (count === 0) continue
    writer.number(cell)
    writer.number(count)
  }
}

/** Returns the counts that {@link packCounts} was given. */
export function unpackCounts(bytes: Uint8Array): Map<number, number> {
  return readCounts(new Reader(bytes))
}

function readCounts(reader: Reader): Map<number, number> {
  const counts = new Map<number, number>()
  while (!reader.isDone) counts.set(reader.number(), reader.number())
  return counts
}
