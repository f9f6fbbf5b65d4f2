import { shareTail } from './binomial.ts'
import { BLOCK_RCU, type EntrySize, readPrice } from './entry-size.ts'
import { normalAbove, normalDensity } from './normal.ts'

/** The price of an extra round, in RCU, unless the caller says otherwise. docs/figures.md has the curve as the bench draws it. */
export const ROUND_PRICE_RCU = 3

/** Below this the mean is not worth following: the filter lets through next to nothing. */
const LEAST_HIT_RATE = 0.001

/** Less than this, in RCU, is not worth reading more for. */
const NEGLIGIBLE_RCU = 0.001
/** Reads that cost so many times the best so far will not become better by being larger. */
const HOPELESS = 2

/** One source before a round, as far as it is known. */
export interface SourceShare {
  /** Share of the answer's items that comes from this source, 0 to 1. */
  readonly share: number
  /** Share of the source's items that the residual filter lets through, 0 to 1. */
  readonly hitRate: number
  /** How many items' worth the share and the hit rate are known from; infinite where they are certain. */
  readonly trust: number
  readonly size: EntrySize
  /** Items of it that are known to be among the next of the answer. */
  readonly ahead: number
  /** Items that are already read and wait in the source's buffer. */
  readonly buffered: number
  /** The most items that are left to read, if that is known. */
  readonly remaining: number | undefined
}

/** How many items to read from each source in one round, and what that should cost. */
export interface FetchSizes {
  readonly items: readonly number[]
  /** Expected capacity, with the expected top-ups. */
  readonly rcu: number
  /** Probability that some source runs dry before the page is full. */
  readonly blocked: number
}

/**
 * Gives every source what makes its expected capacity plus the price of an expected extra round least. Capacity goes by
 * blocks of 4 KB, so with entries of one size these are whole blocks, and with others what nearly always fits.
 *
 * A source blocks the merge when it has given everything it read and the page still lacks an item, because its next item
 * might be the next of the page: when X of the first `wanted - 1` items are its own and X is at least what it read. A page
 * that one source gives needs one item more, to know whether there is a next page.
 *
 * A page has room for hardly more than one source that gives too much, so the chances of blocking add up (Boole's
 * inequality, nearly an equality here), and the least of the sum is the sum of each source's least.
 */
export function fetchSizes(sources: readonly SourceShare[], wanted: number, roundPrice: number): FetchSizes {
  const known = sources.reduce((sum, { ahead }) => sum + ahead, 0)
  // A list in which nothing is counted is read, and as a rule gives nothing.
  const giving = sources.filter(({ share }) => share > 0).length
  const trials = Math.max(0, (giving <= 1 ? wanted : wanted - 1) - known)
  const sizes = sources.map((source) => cheapestRead(source, trials, roundPrice))
  const sum = (field: 'rcu' | 'blocked'): number => sizes.reduce((total, size) => total + size[field], 0)
  return { items: sizes.map(({ items }) => items), rcu: sum('rcu'), blocked: Math.min(1, sum('blocked')) }
}

/** One size of a first read: what it costs, top-ups included, and the chance that it does not do. */
interface Read {
  readonly items: number
  readonly rcu: number
  readonly blocked: number
}

/** How likely reads of a source are to run dry, and what they then lack. */
interface Demand {
  /** Most items that a page can use. */
  readonly most: number
  /** Items that a page uses on average. */
  readonly mean: number
  blocked(items: number): number
  /** Items to read, on average, after a read of so many ran dry. */
  missing(items: number): number
}

function cheapestRead(given: SourceShare, trials: number, roundPrice: number): Read {
  const { size, buffered, remaining } = given
  if (remaining === 0) return { items: 0, rcu: 0, blocked: 0 }
  const source = { ...given, hitRate: Math.max(given.hitRate, LEAST_HIT_RATE) }
  const demand = source.hitRate >= 1 ? plainDemand(source, trials) : filteredDemand(source, trials)
  // A short list is read to its end for what it holds, however much a page would take.
  const mean = Math.min(demand.mean, remaining ?? Number.POSITIVE_INFINITY)
  let items = Math.min(demand.most, Math.max(buffered === 0 ? 1 : 0, Math.floor(mean)))
  let best: (Read & { readonly score: number }) | undefined
  for (;;) {
    const end = remaining !== undefined && items >= remaining
    const price = readPrice(end ? remaining : items, size)
    // Also where a number is none: then there is no best, and no end.
    if (best !== undefined && !(price < best.score)) return best
    const blocked = end ? 0 : demand.blocked(items)
    const rcu = price + blocked * Math.max(BLOCK_RCU, readPrice(demand.missing(items), size))
    const score = rcu + blocked * roundPrice
    // The larger of equals is taken, since the rest of a block is free. Asking for one more than a list holds tells its end.
    if (best === undefined || score <= best.score)
      best = { items: end ? Math.max(items, remaining + 1) : items, rcu, blocked, score }
    if (end || items >= demand.most || score - price < NEGLIGIBLE_RCU || score > HOPELESS * best.score) return best
    items = Math.min(demand.most, items + 1 + (source.hitRate >= 1 ? 0 : items >> 6))
  }
}

/** Every item of the source is one of the answer. */
function plainDemand({ share, trust, buffered, ahead }: SourceShare, trials: number): Demand {
  const tail = shareTail(trials, share, trust)
  const held = buffered - ahead
  return {
    most: Math.max(1, trials + 1 - held),
    mean: trials * share - held,
    blocked: (items) => (held + items < 0 ? 1 : (tail[held + items] ?? 0)),
    missing(items) {
      const from = held + items
      if (from < 0) return 1 - from + trials * share
      const blocked = tail[from] ?? 0
      let sum = 0
      for (let k = from; k <= trials; k++) sum += tail[k] ?? 0
      return blocked === 0 ? 1 : sum / blocked
    },
  }
}

/**
 * A filter lets some items through: H of those read, against X that the page takes. Both are taken to be normal, with the
 * variances of the beta-binomial distribution; the source runs dry when H <= X.
 */
function filteredDemand({ share, hitRate, trust, buffered }: SourceShare, trials: number): Demand {
  const taken = trials * share - buffered
  const takenVariance = variance(trials, share, trust)
  const lacking = (items: number): { readonly mean: number; readonly deviation: number } => ({
    mean: taken + 0.5 - items * hitRate,
    deviation: Math.sqrt(takenVariance + variance(items, hitRate, trust)),
  })
  return {
    most: Number.POSITIVE_INFINITY,
    mean: taken / hitRate,
    blocked(items) {
      const { mean, deviation } = lacking(items)
      return deviation === 0 ? (mean > 0 ? 1 : 0) : normalAbove(-mean / deviation)
    },
    missing(items) {
      const { mean, deviation } = lacking(items)
      const z = deviation === 0 ? RARE : Math.min(RARE, -mean / deviation)
      // The mean of a normal number above a limit, by the inverse Mills ratio.
      return Math.ceil((Math.max(0, mean + (deviation * normalDensity(z)) / normalAbove(z)) + 0.5) / hitRate)
    },
  }
}

/** Standard deviations beyond which a chance is too small for {@link normalAbove}, and of no weight. */
const RARE = 4

/** Is that of the beta-binomial distribution: n p q (n + trust) / (1 + trust). */
function variance(n: number, p: number, trust: number): number {
  const inflation = trust === Number.POSITIVE_INFINITY ? 1 : (n + trust) / (1 + trust)
  return n * p * (1 - p) * inflation
}
