import { createRateLimit, keep } from './rate-limit.ts'

/** Counts the authentications of each address, and says when too many have failed. */
export interface FailureLimit {
  /** Returns the seconds until the address may try again; 0 when it may now. */
  waitSeconds(address: string): number
  fail(address: string): void
  succeed(address: string, role: string): void
  /** Tells whether the address was let in with this role a while ago. */
  hasSucceeded(address: string, role: string): boolean
}

/**
 * @param most The most failures of one address in a window.
 * @param windowMs The length of a window, from its first failure on.
 */
export function createFailureLimit(most: number, windowMs: number, clock: () => number): FailureLimit {
  // The failure after the last that is allowed makes the address wait.
  const failures = createRateLimit(most + 1, windowMs, clock)
  const successes = new Map<string, ReadonlySet<string>>()
  return {
    waitSeconds: failures.waitSeconds,
    fail: failures.count,
    succeed(address, role) {
      keep(successes, address, new Set([...(successes.get(address) ?? []), role]))
    },
    hasSucceeded: (address, role) => successes.get(address)?.has(role) === true,
  }
}
