/**
 * Whether a list that is counted empty may be left unread: a poller of this process has read the change stream to its end
 * within the last two seconds, and this process has not written to the scope since.
 */
export interface Freshness {
  /** Told by a poller that has all shards: whatever the stream told of before this time, in milliseconds since 1970, is counted. */
  caughtUp(at: number): void
  /** Told when the counts lack something for good: records were lost, or there are dead letters. Nothing is skipped in this process any more. */
  doubt(): void
  /** Told of a write of this process. */
  wrote(scope: string, at: number): void
  readonly caughtUpAt: number | undefined
  /** Whether a count of 0 in a scope stands for an empty list now. */
  covers(scope: string, now: number): boolean
}

const FRESH_MS = 2_000

/** Scopes that are noted one by one; with more, all count as written to. */
const MOST_SCOPES = 10_000

/** @param skipEmpty Whether lists are left unread at all. */
export function createFreshness(skipEmpty: boolean): Freshness {
  let caughtUpAt: number | undefined
  let doubted = false
  let everyScopeAt = Number.NEGATIVE_INFINITY
  const writes = new Map<string, number>()
  return {
    get caughtUpAt() {
      return caughtUpAt
    },
    doubt() {
      doubted = true
    },
    caughtUp(at) {
      caughtUpAt = at
      for (const [scope, wroteAt] of writes) {
        if (wroteAt < at) writes.delete(scope)
      }
    },
    wrote(scope, at) {
      if (!skipEmpty) return
      if (writes.size >= MOST_SCOPES) {
        everyScopeAt = [...writes.values()].reduce((latest, wroteAt) => Math.max(latest, wroteAt), everyScopeAt)
        writes.clear()
      }
      writes.set(scope, Math.max(at, writes.get(scope) ?? at))
    },
    covers: (scope, now) =>
      skipEmpty &&
      !doubted &&
      caughtUpAt !== undefined &&
      // A clock that was put back tells nothing of what was counted before.
      Math.abs(now - caughtUpAt) <= FRESH_MS &&
      caughtUpAt > everyScopeAt &&
      !writes.has(scope),
  }
}
