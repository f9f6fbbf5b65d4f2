import { hash } from 'node:crypto'

const WORDS = 5
const TWO_32 = 2 ** 32
const FIRST_SLOTS = 1024
const FULLEST = 0.7

/**
 * A number for each of many keys, in 20 bytes a slot: 96 bits of the key's SHA-256 and the number. Grows by doubling, so an
 * item takes 29 to 58 bytes. That two of a billion keys share their 96 bits has a chance of one in 10^11.
 */
export class KeyTable {
  #slots: Uint32Array = new Uint32Array(FIRST_SLOTS * WORDS)
  #size = 0

  /** The number of a key; 0 when it has none. */
  get(key: string): number {
    const words = wordsOf(key)
    const slot = this.#slotOf(this.#slots, words)
    return (this.#slots[slot + 3] ?? 0) + (this.#slots[slot + 4] ?? 0) * TWO_32
  }

  /** @param value 1 to 2^53 - 1, its last 32 bits not all 0. */
  set(key: string, value: number): void {
    const words = wordsOf(key)
    const slot = this.#slotOf(this.#slots, words)
    if (this.#slots[slot + 3] === 0) {
      this.#slots.set(words, slot)
      this.#size++
    }
    this.#slots[slot + 3] = value % TWO_32
    this.#slots[slot + 4] = Math.floor(value / TWO_32)
    if (this.#size * WORDS > this.#slots.length * FULLEST) this.#grow()
  }

  get bytes(): number {
    return this.#slots.byteLength
  }

  /** The index of the first word of a key's slot, or of the empty one where it would be. */
  #slotOf(slots: Uint32Array, words: Uint32Array): number {
    const mask = slots.length / WORDS - 1
    for (let i = (words[0] ?? 0) & mask; ; i = (i + 1) & mask) {
      const slot = i * WORDS
      if (slots[slot + 3] === 0) return slot
      if (slots[slot] === words[0] && slots[slot + 1] === words[1] && slots[slot + 2] === words[2]) return slot
    }
  }

  #grow(): void {
    const old = this.#slots
    const grown = new Uint32Array(old.length * 2)
    for (let slot = 0; slot < old.length; slot += WORDS) {
      if (old[slot + 3] !== 0)
        grown.set(old.subarray(slot, slot + WORDS), this.#slotOf(grown, old.subarray(slot, slot + 3)))
    }
    this.#slots = grown
  }
}

function wordsOf(key: string): Uint32Array {
  const digest = hash('sha256', key, 'buffer')
  return Uint32Array.of(digest.readUInt32LE(0), digest.readUInt32LE(4), digest.readUInt32LE(8))
}
