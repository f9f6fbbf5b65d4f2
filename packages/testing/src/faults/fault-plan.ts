import { seededRandom } from 'lapidary/internal'

/** Faults between a program and DynamoDB that a local engine does not have. */
export type FaultKind =
  /** An answer that takes its time, so that others overtake it. */
  | 'delayed'
  /** Nothing is done: by the errors of throttling, and of a transaction by its reasons. */
  | 'throttled'
  /** A write refused because a transaction is under way on the same item, or a write in another Region; nothing is written. */
  | 'conflicted'
  /** Half of a batch comes back as UnprocessedItems or UnprocessedKeys. */
  | 'unprocessed'
  /** The connection breaks after the command was carried out. */
  | 'dropped'
  /** The connection breaks, and the write is carried out only afterwards. */
  | 'late'
  /**
   * An InternalServerError, before the command was carried out or after: "when you receive a status code 500 on a write
   * operation, the operation may have succeeded or failed" (Developer Guide, Error handling with DynamoDB).
   */
  | 'failed'
  /** The process ends, before a write or after it. */
  | 'killed'
  /** A query ends early, as a 1 MB cut does, or with a LastEvaluatedKey after which nothing follows. */
  | 'short'
  /** A transaction whose answer is that a try of it is still under way: it is made afterwards. */
  | 'underWay'
  /** The credentials are refused, or may not do this; never drawn, since no program gets through it. */
  | 'denied'
  /** The partition that is written to has the 10 GB that a local secondary index lets it have; never drawn. */
  | 'full'
  /** The connection breaks before the command is carried out; never drawn, so that histories of old seeds stay as they are. */
  | 'cut'
  /**
   * No answer for `silenceMs`, and then a connection that is gone; the command was carried out, or not. Never drawn, since it takes that long.
   */
  | 'silent'

/** The share, 0 to 1, of commands that each fault meets. */
export type FaultRates = Readonly<Record<FaultKind, number>>

const MOST: FaultRates = {
  delayed: 0.5,
  throttled: 0.15,
  conflicted: 0.4,
  unprocessed: 0.4,
  dropped: 0.2,
  late: 0.1,
  failed: 0.1,
  killed: 0.1,
  short: 0.6,
  underWay: 0.1,
  denied: 0,
  full: 0,
  cut: 0,
  silent: 0,
}

/**
 * No faults; tests add single ones to it.
 *
 * @example
 * ```ts run
 * const faults = createFaultKit({ seed: 7, rates: { ...NO_FAULTS, throttled: 0.2 } })
 * ```
 */
export const NO_FAULTS: FaultRates = {
  delayed: 0,
  throttled: 0,
  conflicted: 0,
  unprocessed: 0,
  dropped: 0,
  late: 0,
  failed: 0,
  killed: 0,
  short: 0,
  underWay: 0,
  denied: 0,
  full: 0,
  cut: 0,
  silent: 0,
}

/**
 * Draws a mix of faults from a seed: some kinds are absent, others rare, others common.
 *
 * @example
 * ```ts run
 * const faults = createFaultKit({ seed: 7, rates: drawFaultRates(7) })
 * ```
 */
export function drawFaultRates(seed: number): FaultRates {
  const random = seededRandom(seed)
  const drawn = Object.entries(MOST).map(([kind, most]) => [kind, random() < 0.5 ? 0 : random() * most])
  return Object.fromEntries(drawn) as Record<FaultKind, number>
}
