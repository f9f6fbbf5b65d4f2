import { heldDigest } from '../derived/derived-item.ts'
import { type Amounts, type Projection, type TargetKey, targetId } from '../derived/projection.ts'
import type { Entry } from '../model/entry.ts'
import { KeyTable } from './key-table.ts'

/** A derived item, and what it should hold by the items counted so far: see {@link Tally.amountsOf}. */
export interface Target {
  readonly projection: Projection
  readonly key: TargetKey
  /** Where its amounts are kept. */
  readonly slots: number[]
  /** What the scan saw in it, as {@link heldDigest}; undefined when it saw no item. */
  seen: string | undefined
  /** Whether the runner has counted a change in it since the log begins, so that what was seen of it may be out of date. */
  touched: boolean
}

/**
 * What an item adds, as a number: items that add the same have the same in its last 32 bits. Above them stands the item's
 * weight: what it adds wherever it does not add 1, if that is one number, as its bytes are.
 */
export type Contribution = number

const TWO_32 = 2 ** 32
/** Weights are below, so that a contribution is a safe integer. */
const MOST_WEIGHT = 2 ** 20

/** No item, or one that no projection follows. */
export const NOTHING: Contribution = 0
/** An item that a projection can't read: a facet is missing or has a value that no list has. */
export const UNCOUNTABLE: Contribution = 1

/**
 * Adds up what items add. Each kind of contribution is kept once, in flat arrays, so that memory goes with the number of
 * distinct amounts and not of items.
 */
export class Tally {
  readonly #projections: readonly Projection[]
  readonly #contributions = new KeyTable()
  /** For each contribution the index of its first part, and one more for the end. */
  readonly #starts: number[] = [0, 0, 0]
  /** Pairs of slot and amount; 0 for the item's weight. */
  readonly #parts: number[] = []
  /** By slot: the sum, the number of its target and that of its name. Numbers in key tables are one more. */
  readonly #sums: number[] = []
  readonly #targetOf: number[] = []
  readonly #nameOf: number[] = []
  readonly #slots = new KeyTable()
  readonly #targets: Target[] = []
  readonly #targetNumbers = new KeyTable()
  readonly #names: string[] = []
  readonly #nameNumbers = new Map<string, number>()
  #uncountable = 0

  constructor(projections: readonly Projection[]) {
    this.#projections = projections
  }

  get targets(): readonly Target[] {
    return this.#targets
  }

  /** Items that can't be counted. */
  get uncountable(): number {
    return this.#uncountable
  }

  /** What the image of an item adds. */
  contributionOf(key: TargetKey, entry: Entry | undefined): Contribution {
    if (entry === undefined) return NOTHING
    const following = this.#projections.filter((projection) => projection.isItem(key))
    if (following.length === 0) return NOTHING
    let contributions: readonly (readonly [Projection, TargetKey, Amounts])[]
    try {
      contributions = following.flatMap((projection) =>
        projection.contributions(entry).map(({ target, amounts }) => [projection, target, amounts] as const),
      )
    } catch {
      return UNCOUNTABLE
    }
    const weight = weightOf(contributions.map(([, , amounts]) => amounts))
    const unweighed = (amounts: Amounts): [string, number][] =>
      Object.entries(amounts).map(([name, amount]) => [name, weight !== 0 && amount === weight ? 0 : amount])
    const text = contributions
      .map(([, target, amounts]) => `${targetId(target)}\u0000${JSON.stringify(unweighed(amounts))}`)
      .join('\u0000')
    const known = this.#contributions.get(text)
    if (known !== 0) return known + weight * TWO_32
    for (const [projection, target, amounts] of contributions) {
      const number = this.#targetNumber(projection, target)
      for (const [name, amount] of unweighed(amounts)) this.#parts.push(this.#slotOf(number, name), amount)
    }
    const contribution = this.#starts.length - 1
    this.#starts.push(this.#parts.length)
    this.#contributions.set(text, contribution)
    return contribution + weight * TWO_32
  }

  add(contribution: Contribution, times: 1 | -1): void {
    if (contribution === UNCOUNTABLE) this.#uncountable += times
    const kind = contribution % TWO_32
    const weight = Math.floor(contribution / TWO_32)
    const end = this.#starts[kind + 1] ?? 0
    for (let i = this.#starts[kind] ?? 0; i < end; i += 2) {
      const slot = this.#parts[i] ?? 0
      this.#sums[slot] = (this.#sums[slot] ?? 0) + times * (this.#parts[i + 1] || weight)
    }
  }

  touch(contribution: Contribution): void {
    const kind = contribution % TWO_32
    const end = this.#starts[kind + 1] ?? 0
    for (let i = this.#starts[kind] ?? 0; i < end; i += 2) {
      ;(this.#targets[this.#targetOf[this.#parts[i] ?? 0] ?? 0] as Target).touched = true
    }
  }

  /** Notes an item of derived data that is in the table; false for anything else. */
  see(key: TargetKey, entry: Entry): boolean {
    const projection = this.#projections.find((each) => each.owns(key))
    if (projection === undefined) return false
    const target = this.#targets[this.#targetNumber(projection, key)] as Target
    target.seen = heldDigest(entry)
    return true
  }

  /** What a derived item should hold. */
  amountsOf({ slots }: Target): Amounts {
    const held = slots.map((slot) => [this.#names[this.#nameOf[slot] ?? 0] ?? '', this.#sums[slot] ?? 0] as const)
    return Object.fromEntries(held.filter(([, amount]) => amount !== 0))
  }

  #targetNumber(projection: Projection, key: TargetKey): number {
    const id = targetId(key)
    const known = this.#targetNumbers.get(id)
    if (known > 0) return known - 1
    const number = this.#targets.push({ projection, key, slots: [], seen: undefined, touched: false })
    this.#targetNumbers.set(id, number)
    return number - 1
  }

  #slotOf(target: number, name: string): number {
    const id = `${target}\u0000${name}`
    const known = this.#slots.get(id)
    if (known > 0) return known - 1
    const number = this.#sums.push(0)
    this.#targetOf.push(target)
    this.#nameOf.push(this.#nameNumber(name))
    this.#targets[target]?.slots.push(number - 1)
    this.#slots.set(id, number)
    return number - 1
  }

  #nameNumber(name: string): number {
    const known = this.#nameNumbers.get(name)
    if (known !== undefined) return known
    const number = this.#names.push(name) - 1
    this.#nameNumbers.set(name, number)
    return number
  }
}

/** The one number besides 1 that is added anywhere; 0 where there is none, or several. */
function weightOf(contributions: readonly Amounts[]): number {
  const amounts = new Set(contributions.flatMap((each) => Object.values(each)))
  amounts.delete(1)
  const [weight = 0] = amounts
  return amounts.size === 1 && Number.isInteger(weight) && weight > 0 && weight < MOST_WEIGHT ? weight : 0
}
