import { createHash } from 'node:crypto'

const FILTER_BITS = 2 ** 28
/** Ids of a filter; then one in 175,000 new ids counts as seen. */
const FILTER_IDS = 2 ** 23

/**
 * Remembers the ids that an import made, in Bloom filters: 32 MB for each eight million of them, whatever they are. An id that was added is
 * always known. One that was not may count as known: its item then gets the id of a further copy, which is its own too.
 */
export class SeenIds {
  readonly #filters: Uint8Array[] = []
  #added = 0

  /** Adds the first of numbered ids that is not known, where all before it are, found in a few looks; returns its number. */
  addFirstNew(idOf: (copy: number) => string): number {
    const bits = (copy: number): readonly number[] => bitsOf(idOf(copy))
    const first = bits(0)
    if (!this.#has(first)) {
      this.#add(first)
      return 0
    }
    let [known, free] = [0, 1]
    while (this.#has(bits(free))) [known, free] = [free, free * 2]
    while (free - known > 1) {
      const middle = Math.floor((known + free) / 2)
      if (this.#has(bits(middle))) known = middle
      else free = middle
    }
    this.#add(bits(free))
    return free
  }

  #has(bits: readonly number[]): boolean {
    return this.#filters.some((filter) => bits.every((bit) => (((filter[bit >>> 3] ?? 0) >>> (bit & 7)) & 1) === 1))
  }

  #add(bits: readonly number[]): void {
    if (this.#added++ % FILTER_IDS === 0) this.#filters.push(new Uint8Array(FILTER_BITS / 8))
    const last = this.#filters.at(-1) as Uint8Array
    for (const bit of bits) last[bit >>> 3] = (last[bit >>> 3] ?? 0) | (1 << (bit & 7))
  }
}

function bitsOf(id: string): readonly number[] {
  const digest = createHash('sha256').update(id).digest()
  return Array.from({ length: 8 }, (_, i) => digest.readUInt32LE(4 * i) % FILTER_BITS)
}
