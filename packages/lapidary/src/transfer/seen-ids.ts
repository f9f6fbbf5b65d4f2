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

  has(id: string): boolean {
    const bits = bitsOf(id)
    return this.#filters.some((filter) => bits.every((bit) => (((filter[bit >>> 3] ?? 0) >>> (bit & 7)) & 1) === 1))
  }

  add(id: string): void {
    if (this.#added++ % FILTER_IDS === 0) this.#filters.push(new Uint8Array(FILTER_BITS / 8))
    const last = this.#filters.at(-1) as Uint8Array
    for (const bit of bitsOf(id)) last[bit >>> 3] = (last[bit >>> 3] ?? 0) | (1 << (bit & 7))
  }

  /** Finds the first of numbered ids that is not known, where all before it are, in a few looks. */
  firstNew(idOf: (copy: number) => string): number {
    if (!this.has(idOf(0))) return 0
    let [known, free] = [0, 1]
    while (this.has(idOf(free))) [known, free] = [free, free * 2]
    while (free - known > 1) {
      const middle = Math.floor((known + free) / 2)
      if (this.has(idOf(middle))) known = middle
      else free = middle
    }
    return free
  }
}

function bitsOf(id: string): readonly number[] {
  const digest = createHash('sha256').update(id).digest()
  return Array.from({ length: 8 }, (_, i) => digest.readUInt32LE(4 * i) % FILTER_BITS)
}
