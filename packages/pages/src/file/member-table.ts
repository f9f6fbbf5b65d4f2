import type { ByteString } from './byte-string.ts'

/** A power of two, as every number of slots is. */
const FIRST_SLOTS = 8
const FREE = 0

/**
 * Items by their members. The hash of a member comes from outside: a look-up in what is below needs the same one. It is compared before
 * anything of an item is read, so that a look-up waits for memory less often than in a Map; and as it is keyed, a stranger can't choose
 * members that collide.
 */
export class MemberTable<T extends { readonly member: ByteString }> {
  #size = 0
  /** The hashes of the items by slot; a slot that is taken is followed by others until one is free. */
  #hashes = new Int32Array(FIRST_SLOTS)
  #items: (T | undefined)[] = emptySlots(FIRST_SLOTS)

  get(member: ByteString, hash: number): T | undefined {
    return this.#items[this.#slotOf(member, stored(hash))]
  }

  /** Makes room for so many items at once. */
  reserve(items: number): void {
    let slots = this.#hashes.length
    while (items * 2 > slots) slots *= 2
    if (slots > this.#hashes.length) this.#resize(slots)
  }

  /** Puts an item into the place of another one with its member, if there is one. */
  set(item: T, hash: number): void {
    const own = stored(hash)
    const slot = this.#slotOf(item.member, own)
    this.#items[slot] = item
    if (this.#hashes[slot] === own) return
    this.#hashes[slot] = own
    this.#size++
    if (this.#size * 2 > this.#hashes.length) this.#resize(this.#hashes.length * 2)
  }

  delete(member: ByteString, hash: number): void {
    const hashes = this.#hashes
    const mask = hashes.length - 1
    let free = this.#slotOf(member, stored(hash))
    if (hashes[free] === FREE) return
    this.#size--
    // No slot that an item behind was put off to may stay behind a free one.
    for (let slot = (free + 1) & mask; hashes[slot] !== FREE; slot = (slot + 1) & mask) {
      const own = hashes[slot] as number
      if (((slot - own) & mask) < ((slot - free) & mask)) continue
      hashes[free] = own
      this.#items[free] = this.#items[slot]
      free = slot
    }
    hashes[free] = FREE
    this.#items[free] = undefined
  }

  /** Every item, in no order; the table must not change meanwhile. */
  *[Symbol.iterator](): Generator<T, undefined> {
    for (const item of this.#items) if (item !== undefined) yield item
  }

  /** Returns the slot of a member, or the free one that it would get. */
  #slotOf(member: ByteString, own: number): number {
    const hashes = this.#hashes
    const mask = hashes.length - 1
    let slot = own & mask
    for (; hashes[slot] !== FREE; slot = (slot + 1) & mask) {
      if (hashes[slot] === own && this.#items[slot]?.member === member) break
    }
    return slot
  }

  #resize(slots: number): void {
    const [hashes, items] = [this.#hashes, this.#items]
    this.#hashes = new Int32Array(slots)
    this.#items = emptySlots(slots)
    for (const [i, item] of items.entries()) {
      if (item === undefined) continue
      const own = hashes[i] as number
      const slot = this.#slotOf(item.member, own)
      this.#hashes[slot] = own
      this.#items[slot] = item
    }
  }
}

const emptySlots = <T>(slots: number): (T | undefined)[] => new Array<T | undefined>(slots).fill(undefined)

/** A hash as the table has it, in which a free slot has none. */
const stored = (hash: number): number => hash | 0 || 1
