import { heldDigest } from '../derived/derived-item.ts'
import { KeyTable } from '../derived/key-table.ts'
import { type Amounts, contributionsOf, type SumProjection } from '../derived/sum-projection.ts'
import { type TargetKey, targetId } from '../derived/target-key.ts'
import type { Entry } from '../model/entry.ts'
import { messageOf } from '../stream/described-change.ts'

/** A derived item, and what it should hold by the items counted so far: see {@link Tally.amountsOf}. */
export interface Target {
  readonly projection: SumProjection
  readonly key: TargetKey
  /** What it should hold, by name; zeros too. */
  readonly sums: Map<string, number>
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
/** Amounts by name; 0 stands for the item's weight. */
type Unweighed = readonly (readonly [name: string, amount: number])[]

/** What a kind of items adds to one derived item. */
interface Part {
  readonly target: Target
  readonly amounts: Unweighed
}

/**
 * Adds up what items add. Each kind of contribution is kept once, so that memory goes with the number of distinct amounts and
 * not of items.
 */
export class Tally {
  readonly #projections: readonly SumProjection[]
  /** By their last 32 bits what contributions consist of: nothing in {@link NOTHING}. */
  readonly #kinds: (readonly Part[])[] = [[]]
  /** Kinds of items that a projection can't read (a facet is missing or has a value that no list has), or has no key for. */
  readonly #uncountable = new Set<number>()
  readonly #kindNumbers = new KeyTable()
  readonly targets: Target[] = []
  /** One more than the place of a target. */
  readonly #targetNumbers = new KeyTable()
  /** Many targets are given the same. */
  readonly #amounts = new Map<string, Unweighed>()
  /** Items that can't be counted. */
  uncountable = 0

  constructor(projections: readonly SumProjection[]) {
    this.#projections = projections
  }

  /** What the image of an item adds. */
  contributionOf(key: TargetKey, entry: Entry | undefined): Contribution {
    if (entry === undefined) return NOTHING
    const following = this.#projections.filter((projection) => projection.isItem(key))
    if (following.length === 0) return NOTHING
    const added: { projection: SumProjection; target: TargetKey; amounts: Amounts }[] = []
    let isUncountable = false
    for (const projection of following) {
      try {
        for (const contribution of contributionsOf(projection, entry)) added.push({ projection, ...contribution })
      } catch {
        isUncountable = true
      }
    }
    const weight = weightOf(added.map(({ amounts }) => amounts))
    const parts = added.map((each) => ({ ...each, text: unweighedText(each.amounts, weight) }))
    const kind = [
      isUncountable ? '!' : '',
      ...parts.map(({ target, text }) => `${targetId(target)}\u0000${text}`),
    ].join('\u0000')
    let number = this.#kindNumbers.get(kind)
    if (number === 0) {
      const kept = parts.map(({ projection, target, text }) => ({
        target: this.#targetOf(projection, target),
        amounts: this.#amountsOf(text),
      }))
      number = this.#kinds.push(kept) - 1
      this.#kindNumbers.set(kind, number)
      if (isUncountable) this.#uncountable.add(number)
    }
    return number + weight * TWO_32
  }

  /** Whether a projection leaves such an item out. */
  isUncountable(contribution: Contribution): boolean {
    return this.#uncountable.has(contribution % TWO_32)
  }

  /** Why an image can't be counted, as the projections that leave it out say. */
  problemOf(key: TargetKey, entry: Entry): string {
    const problems = new Set<string>()
    for (const projection of this.#projections.filter((each) => each.isItem(key))) {
      try {
        contributionsOf(projection, entry)
      } catch (error) {
        problems.add(messageOf(error))
      }
    }
    return [...problems].join('; ')
  }

  add(contribution: Contribution, times: 1 | -1): void {
    if (this.isUncountable(contribution)) this.uncountable += times
    this.#eachOf(contribution, ({ sums }, name, amount) => sums.set(name, (sums.get(name) ?? 0) + times * amount))
  }

  /** Whether an item that adds the one instead of the other changes no sum: the runner passes over such a change. */
  isSame(one: Contribution, other: Contribution): boolean {
    if (one === other || this.isUncountable(one) || this.isUncountable(other)) return one === other
    const net = new Map<string, number>()
    for (const [contribution, times] of [[one, 1] as const, [other, -1] as const]) {
      this.#eachOf(contribution, ({ key }, name, amount) => {
        const id = `${targetId(key)}\u0000${name}`
        net.set(id, (net.get(id) ?? 0) + times * amount)
      })
    }
    return [...net.values()].every((amount) => amount === 0)
  }

  touch(contribution: Contribution): void {
    for (const { target } of this.#partsOf(contribution)) target.touched = true
  }

  /** Notes an item of derived data that is in the table; false for anything else. */
  see(key: TargetKey, entry: Entry): boolean {
    const projection = this.#projections.find((each) => each.owns(key))
    if (projection === undefined) return false
    this.#targetOf(projection, key).seen = heldDigest(entry)
    return true
  }

  /** What a derived item should hold. */
  amountsOf({ sums }: Target): Amounts {
    return Object.fromEntries([...sums].filter(([, amount]) => amount !== 0))
  }

  #eachOf(contribution: Contribution, act: (target: Target, name: string, amount: number) => void): void {
    const weight = Math.floor(contribution / TWO_32)
    for (const { target, amounts } of this.#partsOf(contribution)) {
      for (const [name, amount] of amounts) act(target, name, amount || weight)
    }
  }

  #partsOf(contribution: Contribution): readonly Part[] {
    return this.#kinds[contribution % TWO_32] ?? []
  }

  #targetOf(projection: SumProjection, key: TargetKey): Target {
    const id = targetId(key)
    const known = this.targets[this.#targetNumbers.get(id) - 1]
    if (known !== undefined) return known
    const target = { projection, key, sums: new Map(), seen: undefined, touched: false }
    this.#targetNumbers.set(id, this.targets.push(target))
    return target
  }

  #amountsOf(text: string): Unweighed {
    const amounts = this.#amounts.get(text) ?? (JSON.parse(text) as Unweighed)
    this.#amounts.set(text, amounts)
    return amounts
  }
}

function unweighedText(amounts: Amounts, weight: number): string {
  const unweighed = (amount: number): number => (weight !== 0 && amount === weight ? 0 : amount)
  return JSON.stringify(Object.entries(amounts).map(([name, amount]) => [name, unweighed(amount)]))
}

/** The one number besides 1 that is added anywhere; 0 where there is none, or several. */
function weightOf(contributions: readonly Amounts[]): number {
  const amounts = new Set(contributions.flatMap((each) => Object.values(each)))
  amounts.delete(1)
  const [weight = 0] = amounts
  return amounts.size === 1 && Number.isInteger(weight) && weight > 0 && weight < MOST_WEIGHT ? weight : 0
}
