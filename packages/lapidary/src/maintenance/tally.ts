import { type Contribution, type TargetKey, targetId } from '../streams/projection.ts'
import type { Entry } from '../table/entry.ts'
import { KeyTable } from './key-table.ts'
import { type Counts, type DerivedCollection, heldDigest } from './statistics-unit.ts'

/** A unit of derived data and what it should hold by the items counted so far. */
export interface Unit {
  readonly derived: DerivedCollection
  readonly target: TargetKey
  /** Counts by the number of the counter's name. */
  readonly counts: number[]
  /** Sort keys of its items that were seen in the table: also of leaderboards that are not declared any more. */
  readonly seenSortKeys: string[]
  /** What each of them held, see {@link heldDigest}. */
  readonly seenDigests: string[]
  /** Whether the runner has counted a change in it since the log begins, so that what was seen of it may be out of date. */
  touched: boolean
}

/**
 * What an item counts in, as a number: items that count in the same have the same in its last 32 bits. Above them stands the
 * item's weight: what it adds wherever it does not add 1, if that is one number, as its bytes are.
 */
export type Cell = number

const TWO_32 = 2 ** 32
/** Weights are below, so that a cell is a safe integer. */
const MOST_WEIGHT = 2 ** 20

/** No item, or one of nobody's business. */
export const NOTHING: Cell = 0
/** An item that can't be counted: a facet is missing or has a value that no list has. */
export const UNCOUNTABLE: Cell = 1

/**
 * Counts items by what they count in. Each kind of contribution is kept once, in flat arrays, so that memory goes with the
 * number of distinct counters and not of items.
 */
export class Tally {
  readonly #collections: readonly DerivedCollection[]
  readonly #cells = new KeyTable()
  /** For each cell the index of its first part, and one more for the end. */
  readonly #starts: number[] = [0, 0, 0]
  /** Triples of unit, counter name and amount; 0 for the item's weight. */
  readonly #parts: number[] = []
  /** Numbers from 1. */
  readonly #unitNumbers = new KeyTable()
  readonly #units: Unit[] = []
  readonly #names: string[] = []
  readonly #nameNumbers = new Map<string, number>()
  #uncountable = 0

  constructor(collections: readonly DerivedCollection[]) {
    this.#collections = collections
  }

  get units(): readonly Unit[] {
    return this.#units
  }

  /** Items that can't be counted. */
  get uncountable(): number {
    return this.#uncountable
  }

  /** What the image of an item counts in. */
  cellOf(key: TargetKey, entry: Entry | undefined): Cell {
    if (entry === undefined) return NOTHING
    const derived = this.#collections.find((each) => each.isItem(key))
    if (derived === undefined) return NOTHING
    let contributions: ReturnType<DerivedCollection['contributions']>
    try {
      contributions = derived.contributions(key, entry)
    } catch {
      return UNCOUNTABLE
    }
    const weight = weightOf(contributions)
    const unweighed = (counts: Counts): [string, number][] =>
      Object.entries(counts).map(([name, amount]) => [name, weight !== 0 && amount === weight ? 0 : amount])
    let text = ''
    for (const { target, counts } of contributions)
      text += `${targetId(target)}\u0000${JSON.stringify(unweighed(counts))}\u0000`
    const known = this.#cells.get(text)
    if (known !== 0) return known + weight * TWO_32
    for (const { target, counts } of contributions) {
      const unit = this.#unitNumber(derived, target)
      for (const [name, amount] of unweighed(counts)) this.#parts.push(unit, this.#nameNumber(name), amount)
    }
    const cell = this.#starts.length - 1
    this.#starts.push(this.#parts.length)
    this.#cells.set(text, cell)
    return cell + weight * TWO_32
  }

  add(cell: Cell, times: 1 | -1): void {
    if (cell === UNCOUNTABLE) this.#uncountable += times
    const kind = cell % TWO_32
    const weight = Math.floor(cell / TWO_32)
    const end = this.#starts[kind + 1] ?? 0
    for (let i = this.#starts[kind] ?? 0; i < end; i += 3) {
      const { counts } = this.#units[this.#parts[i] ?? 0] as Unit
      const name = this.#parts[i + 1] ?? 0
      while (counts.length <= name) counts.push(0)
      counts[name] = (counts[name] ?? 0) + times * (this.#parts[i + 2] || weight)
    }
  }

  touch(cell: Cell): void {
    const kind = cell % TWO_32
    const end = this.#starts[kind + 1] ?? 0
    for (let i = this.#starts[kind] ?? 0; i < end; i += 3) (this.#units[this.#parts[i] ?? 0] as Unit).touched = true
  }

  /** Notes an item of derived data that is in the table; false for anything else. */
  see(key: TargetKey, entry: Entry): boolean {
    for (const derived of this.#collections) {
      const target = derived.unitOf(key)
      if (target === undefined) continue
      const unit = this.#units[this.#unitNumber(derived, target)] as Unit
      unit.seenSortKeys.push(key.SK)
      unit.seenDigests.push(heldDigest(key, entry))
      return true
    }
    return false
  }

  /** What a unit should hold. */
  countsOf({ counts }: Unit): Counts {
    const named: Record<string, number> = {}
    counts.forEach((count, i) => {
      if (count !== 0) named[this.#names[i] ?? ''] = count
    })
    return named
  }

  #unitNumber(derived: DerivedCollection, target: TargetKey): number {
    const id = targetId(target)
    const known = this.#unitNumbers.get(id)
    if (known > 0) return known - 1
    const unit: Unit = { derived, target, counts: [], seenSortKeys: [], seenDigests: [], touched: false }
    const number = this.#units.push(unit)
    this.#unitNumbers.set(id, number)
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
function weightOf(contributions: readonly Contribution[]): number {
  const amounts = new Set(contributions.flatMap(({ counts }) => Object.values(counts)))
  amounts.delete(1)
  const [weight = 0] = amounts
  return amounts.size === 1 && weight > 0 && weight < MOST_WEIGHT ? weight : 0
}
