import { type Amount, type Amounts, addedAmounts, isNoAmount, timesAmount } from '../derived/amount.ts'
import { heldDigest } from '../derived/derived-item.ts'
import { KeyTable } from '../derived/key-table.ts'
import { contributionsOf, type SumProjection } from '../derived/sum-projection.ts'
import { type TargetKey, targetId } from '../derived/target-key.ts'
import type { Entry } from '../model/entry.ts'
import { messageOf } from '../stream/described-change.ts'

/** A derived item, and what it should hold by the items counted so far: see {@link Tally.amountsOf}. */
export interface Target {
  readonly projection: SumProjection
  readonly key: TargetKey
  /** What it should hold, by name; zeros too. */
  readonly sums: Map<string, Amount>
  /** What the scan saw in it, as {@link heldDigest}; undefined when it saw no item. */
  seen: string | undefined
  /** Whether the runner has counted a change in it since the log begins, so that what was seen of it may be out of date. */
  touched: boolean
}

/**
 * What an item adds, as a number: items that are counted alike have the same kind in its last 26 bits. Above them stands the number of the
 * item's weights: what it adds where it does not add 1, such as its bytes and what is summed of it.
 */
export type Contribution = number

/** More kinds than fit into memory. */
const KINDS = 2 ** 26
/** So that a contribution and the one after it are safe integers. */
const MOST_WEIGHTS = 2 ** 27 - 2

/** No item, or one that no projection follows. */
export const NOTHING: Contribution = 0
/** Amounts by name; in place of a weight stands which one it is, in a list of its own. */
type Unweighed = readonly (readonly [name: string, amount: Amount | readonly [weight: number]])[]

/** What a kind of items adds to one derived item. */
interface Part {
  readonly target: Target
  readonly amounts: Unweighed
}

/**
 * Adds up what items add. Each kind of contribution is kept once, and each combination of weights, so that memory goes with the number of
 * distinct amounts and not of items.
 */
export class Tally {
  readonly #projections: readonly SumProjection[]
  /** What contributions consist of, by their kind: nothing in {@link NOTHING}. */
  readonly #kinds: (readonly Part[])[] = [[]]
  /** Kinds of items that a projection can't read (a facet is missing or has a value that no list has), or has no key for. */
  readonly #uncountable = new Set<number>()
  readonly #kindNumbers = new KeyTable()
  /** By their number; of no weights 0. */
  readonly #weights: (readonly Amount[])[] = [[]]
  readonly #weightNumbers = new KeyTable()
  readonly #mostWeights: number
  readonly targets: Target[] = []
  /** One more than the place of a target. */
  readonly #targetNumbers = new KeyTable()
  /** Many targets are given the same. */
  readonly #amounts = new Map<string, Unweighed>()
  /** Items that can't be counted. */
  uncountable = 0

  constructor(projections: readonly SumProjection[], mostWeights: number = MOST_WEIGHTS) {
    this.#projections = projections
    this.#mostWeights = mostWeights
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
    const weights = weightsOf(added.map(({ amounts }) => amounts))
    const weighed = this.#weightsNumber(weights)
    const parts = added.map((each) => ({ ...each, text: unweighedText(each.amounts, weighed === 0 ? [] : weights) }))
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
    return number + weighed * KINDS
  }

  /** Whether a projection leaves such an item out. */
  isUncountable(contribution: Contribution): boolean {
    return this.#uncountable.has(contribution % KINDS)
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
    this.#eachOf(contribution, ({ sums }, name, amount) => {
      const more = timesAmount(amount, times)
      const before = sums.get(name)
      sums.set(name, before === undefined ? more : addedAmounts(before, more))
    })
  }

  /** Whether an item that adds the one instead of the other changes no sum: the runner passes over such a change. */
  isSame(one: Contribution, other: Contribution): boolean {
    if (one === other || this.isUncountable(one) || this.isUncountable(other)) return one === other
    const net = new Map<string, Amount>()
    for (const [contribution, times] of [[one, 1] as const, [other, -1] as const]) {
      this.#eachOf(contribution, ({ key }, name, amount) => {
        const id = `${targetId(key)}\u0000${name}`
        net.set(id, addedAmounts(net.get(id) ?? 0, timesAmount(amount, times)))
      })
    }
    return [...net.values()].every(isNoAmount)
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
    return Object.fromEntries([...sums].filter(([, amount]) => !isNoAmount(amount)))
  }

  #eachOf(contribution: Contribution, act: (target: Target, name: string, amount: Amount) => void): void {
    const weights = this.#weights[Math.floor(contribution / KINDS)] ?? []
    for (const { target, amounts } of this.#partsOf(contribution)) {
      for (const [name, amount] of amounts)
        act(target, name, typeof amount === 'object' ? (weights[amount[0]] as Amount) : amount)
    }
  }

  /** 0 where there are none, or more combinations than have a number. */
  #weightsNumber(weights: readonly Amount[]): number {
    if (weights.length === 0) return 0
    const text = JSON.stringify(weights)
    const known = this.#weightNumbers.get(text)
    if (known !== 0 || this.#weights.length > this.#mostWeights) return known
    const number = this.#weights.push(weights) - 1
    this.#weightNumbers.set(text, number)
    return number
  }

  #partsOf(contribution: Contribution): readonly Part[] {
    return this.#kinds[contribution % KINDS] ?? []
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

function unweighedText(amounts: Amounts, weights: readonly Amount[]): string {
  const unweighed = (amount: Amount): Unweighed[number][1] => {
    const weight = weights.indexOf(amount)
    return weight === -1 ? amount : [weight]
  }
  return JSON.stringify(Object.entries(amounts).map(([name, amount]) => [name, unweighed(amount)]))
}

/** Everything besides 1 that is added anywhere, once. */
function weightsOf(contributions: readonly Amounts[]): readonly Amount[] {
  const amounts = new Set(contributions.flatMap((each) => Object.values(each)))
  amounts.delete(1)
  return [...amounts]
}
