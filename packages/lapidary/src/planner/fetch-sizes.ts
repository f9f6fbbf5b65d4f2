import { binomialAtLeast } from './binomial.ts'

/** Bytes that half a read unit pays for in an eventually consistent Query. */
export const BLOCK_BYTES = 4096
const BLOCK_RCU = 0.5

/**
 * What an extra round is worth, in RCU. Pages of 20 entries of 500 bytes over J-shaped ratings, the mean of all sets: at 2.75
 * they cost 1.32 times the least at 1.04 rounds; at 2, 1.29 at 1.06; at 4, 1.35 at 1.02. docs/planner.md has the curve as
 * the bench draws it.
 */
export const ROUND_PRICE_RCU = 2.75

/**
 * The same where shares are counted. Declared shares are a guess, which the higher price hedges; counted ones need no more than
 * the price that keeps pages below 1.3 times the least: 1.296 at 1.048 rounds.
 */
export const COUNTED_ROUND_PRICE_RCU = 2.25

/** Below this the mean is not worth following: the filter lets through next to nothing. */
const LEAST_HIT_RATE = 0.001

/** What is known of one source before a round. */
export interface SourceShare {
  /** Share of the answer's items that comes from this source, 0 to 1. */
  readonly share: number
  /** Share of the source's items that the residual filter lets through, 0 to 1. */
  readonly hitRate: number
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
 * Gives every source whole 4 KB blocks (the rest of a block is free) so that capacity plus the price of an expected extra
 * round is least.
 *
 * A source blocks the merge when it has given everything it read and the page still lacks an item, because its next item
 * might be the next of the page: when X of the first `wanted - 1` items are its own, X ~ Binomial(wanted - 1, share), and
 * X is at least what it read. A page from one source needs one item more, to know whether there is a next page.
 *
 * A page has room for hardly more than one source that gives too much, so the chances of blocking add up (Boole's
 * inequality, nearly an equality here), and the least of the sum is the sum of each source's least.
 */
export function fetchSizes(
  sources: readonly SourceShare[],
  wanted: number,
  itemBytes: number,
  roundPrice: number = ROUND_PRICE_RCU,
): FetchSizes {
  const trials = sources.length === 1 ? wanted : wanted - 1
  // A blocked page nearly always reads one block more, or one item where that is larger.
  const topUp = readCapacity(1, itemBytes)
  const sizes = sources.map((source) => cheapestSize(source, trials, itemBytes, roundPrice + topUp))
  const sum = (field: keyof Size): number => sizes.reduce((total, size) => total + size[field], 0)
  const blocked = Math.min(1, sum('blocked'))
  return { items: sizes.map(({ items }) => items), rcu: sum('rcu') + blocked * topUp, blocked }
}

/** RCU of an eventually consistent read of n items of b bytes: 0.5 * ceil(n * b / 4096), at least 0.5 (AWS Developer Guide). */
export function readCapacity(items: number, itemBytes: number): number {
  return items === 0 ? 0 : BLOCK_RCU * Math.max(1, Math.ceil((items * itemBytes) / BLOCK_BYTES))
}

interface Size {
  readonly items: number
  readonly rcu: number
  readonly blocked: number
}

/**
 * From the whole blocks that hold the source's mean, a block more at a time (of many, a sixteenth), for as long as one
 * more might save what it costs.
 */
function cheapestSize(source: SourceShare, trials: number, itemBytes: number, blockedPrice: number): Size {
  const { share, buffered, remaining } = source
  if (remaining === 0) return { items: 0, rcu: 0, blocked: 0 }
  const hitRate = Math.max(source.hitRate, LEAST_HIT_RATE)
  const most = hitRate >= 1 ? Math.max(1, trials + 1 - buffered) : Number.POSITIVE_INFINITY
  // A short list is read to its end for what it holds, however much a page would take.
  const mean = Math.min((trials * share - buffered) / hitRate, remaining ?? Number.POSITIVE_INFINITY)
  let blocks = Math.max(buffered === 0 ? 1 : 0, Math.floor((mean * itemBytes) / BLOCK_BYTES))
  let best: Size | undefined
  for (;;) {
    const items = Math.min(most, itemsIn(blocks, itemBytes))
    const blocked = blockedProbability({ ...source, hitRate }, items, trials)
    const size = sizeOf(items, remaining, itemBytes, blocked)
    if (best === undefined || size.rcu + blocked * blockedPrice < best.rcu + best.blocked * blockedPrice) best = size
    if (blocked * blockedPrice <= BLOCK_RCU) return best
    blocks = Math.max(blocks + 1 + (blocks >> 4), Math.ceil(((items + 1) * itemBytes) / BLOCK_BYTES))
  }
}

/** Asking for one item more than a list holds costs nothing, and is what tells its end. */
function sizeOf(items: number, remaining: number | undefined, itemBytes: number, blocked: number): Size {
  if (remaining === undefined || items < remaining) return { items, rcu: readCapacity(items, itemBytes), blocked }
  return { items: Math.max(items, remaining + 1), rcu: readCapacity(remaining, itemBytes), blocked }
}

function itemsIn(blocks: number, itemBytes: number): number {
  return blocks <= 0 ? 0 : Math.max(1, Math.floor((blocks * BLOCK_BYTES) / itemBytes))
}

function blockedProbability(
  { share, hitRate, buffered, remaining }: SourceShare,
  items: number,
  trials: number,
): number {
  if (remaining !== undefined && items >= remaining) return 0
  if (hitRate >= 1) return binomialAtLeast(buffered + items, trials, share)
  if (share >= 1) return 1 - binomialAtLeast(trials - buffered + 1, items, hitRate)
  const hits = Math.floor(buffered + items * hitRate - Math.sqrt(items * hitRate * (1 - hitRate)))
  return binomialAtLeast(Math.max(0, hits), trials, share)
}
