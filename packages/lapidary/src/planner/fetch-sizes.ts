import { binomialAtLeast } from './binomial.ts'

/** Bytes that half a read unit pays for in an eventually consistent Query. */
export const BLOCK_BYTES = 4096
const BLOCK_RCU = 0.5

/**
 * What an extra round is worth, in RCU. At 3, pages of 20 over J-shaped ratings take 1.0x rounds at a capacity close to
 * the least; docs/planner.md has the curve that bench prints.
 */
export const ROUND_PRICE_RCU = 3

/** What a blocked page reads on average in its extra round: one block, and a second source topped up every other time. */
const TOP_UP_RCU = 0.75
const LARGEST_JUMP = 4

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
 */
export function fetchSizes(
  sources: readonly SourceShare[],
  wanted: number,
  itemBytes: number,
  roundPrice: number = ROUND_PRICE_RCU,
): FetchSizes {
  const trials = sources.length === 1 ? wanted : wanted - 1
  const states = sources.map((source) => startingState(source, trials, itemBytes))
  for (;;) {
    const best = bestJump(states, trials, itemBytes, roundPrice)
    if (best === undefined) break
    states[best.source] = best.state
  }
  const blocked = 1 - states.reduce((clear, state) => clear * (1 - state.blocked), 1)
  const mostUseful = sources.length === 1 ? wanted + 1 : wanted
  return {
    items: states.map(({ items, source }) =>
      source.hitRate >= 1 ? Math.min(items, Math.max(1, mostUseful - source.buffered)) * Math.sign(items) : items,
    ),
    rcu: states.reduce((sum, { items }) => sum + readCapacity(items, itemBytes), 0) + blocked * TOP_UP_RCU,
    blocked,
  }
}

/** RCU of an eventually consistent read of n items of b bytes: 0.5 * ceil(n * b / 4096), at least 0.5 (AWS Developer Guide). */
export function readCapacity(items: number, itemBytes: number): number {
  return items === 0 ? 0 : BLOCK_RCU * Math.max(1, Math.ceil((items * itemBytes) / BLOCK_BYTES))
}

interface State {
  readonly source: SourceShare
  readonly items: number
  readonly blocked: number
}

/** The whole blocks that hold the source's mean; a buffer that already holds it needs no read. */
function startingState(source: SourceShare, trials: number, itemBytes: number): State {
  if (source.remaining === 0) return { source, items: 0, blocked: 0 }
  const mean = (trials * source.share - source.buffered) / Math.max(source.hitRate, 0.001)
  const blocks = Math.floor((mean * itemBytes) / BLOCK_BYTES)
  const least = source.buffered === 0 ? 1 : 0
  return stateOf(source, itemsIn(Math.max(least, blocks), itemBytes), trials)
}

function itemsIn(blocks: number, itemBytes: number): number {
  return blocks <= 0 ? 0 : Math.max(1, Math.floor((blocks * BLOCK_BYTES) / itemBytes))
}

function stateOf(source: SourceShare, items: number, trials: number): State {
  return { source, items, blocked: blockedProbability(source, items, trials) }
}

function bestJump(
  states: readonly State[],
  trials: number,
  itemBytes: number,
  roundPrice: number,
): { readonly source: number; readonly state: State } | undefined {
  const clear = states.reduce((product, { blocked }) => product * (1 - blocked), 1)
  let best: { source: number; state: State } | undefined
  let bestRate = 0
  for (const [i, state] of states.entries()) {
    if (state.blocked < 1e-6) continue
    const others = state.blocked === 1 ? productWithout(states, i) : clear / (1 - state.blocked)
    const blocks = Math.floor((state.items * itemBytes) / BLOCK_BYTES + 1e-9)
    for (let jump = 1; jump <= LARGEST_JUMP; jump++) {
      const items = Math.max(state.items + jump, itemsIn(blocks + jump, itemBytes))
      const next = stateOf(state.source, items, trials)
      const paid = readCapacity(items, itemBytes) - readCapacity(state.items, itemBytes)
      const saved = (state.blocked - next.blocked) * others * (roundPrice + TOP_UP_RCU)
      const rate = (saved - paid) / paid
      if (rate > bestRate) {
        bestRate = rate
        best = { source: i, state: next }
      }
    }
  }
  return best
}

function productWithout(states: readonly State[], skipped: number): number {
  return states.reduce((product, { blocked }, i) => (i === skipped ? product : product * (1 - blocked)), 1)
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
