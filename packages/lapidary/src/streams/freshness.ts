/**
 * Up to when derived data is known to be complete. A poller in the same process says so; writes of this process are noted,
 * so that nobody takes a count for the truth that does not know of them yet.
 */
export interface Freshness {
  /** Everything that was written before this time, in milliseconds since 1970, is counted. */
  caughtUp(at: number): void
  wrote(scope: string, at: number): void
  /** The last time that {@link caughtUp} was told; undefined before. */
  readonly caughtUpAt: number | undefined
  /** Whether this process has written anything that is not known to be counted. */
  readonly uncounted: boolean
  /** Whether counts of a scope can be taken for the truth now. */
  covers(scope: string, now: number): boolean
}

/** Longer than a poll and its hiccups, shorter than anybody would wait. */
const FRESH_MS = 3_000

export function createFreshness(): Freshness {
  let caughtUpAt: number | undefined
  const writes = new Map<string, number>()
  return {
    get caughtUpAt() {
      return caughtUpAt
    },
    get uncounted() {
      return writes.size > 0
    },
    caughtUp(at) {
      caughtUpAt = at
      for (const [scope, wroteAt] of writes) {
        if (wroteAt < at) writes.delete(scope)
      }
    },
    wrote(scope, at) {
      writes.set(scope, at)
    },
    covers: (scope, now) => caughtUpAt !== undefined && now - caughtUpAt <= FRESH_MS && !writes.has(scope),
  }
}
