import { createRateLimit, type RateLimit } from 'lapidary-http/internal'

/** How often a person may do something, and an address where nobody is known yet. */
export interface PeopleLimits {
  /** New comments, changes and deletions of a person. */
  readonly write: RateLimit
  /** Reports of a person. */
  readonly report: RateLimit
  /** Votes of a person, given and taken back. */
  readonly vote: RateLimit
  /** Sign-ins of an address. */
  readonly signIn: RateLimit
}

const MINUTE_MS = 60_000

export function createPeopleLimits(clock: () => number): PeopleLimits {
  return {
    write: createRateLimit(20, 10 * MINUTE_MS, clock),
    report: createRateLimit(20, 60 * MINUTE_MS, clock),
    vote: createRateLimit(100, 10 * MINUTE_MS, clock),
    signIn: createRateLimit(30, 10 * MINUTE_MS, clock),
  }
}
