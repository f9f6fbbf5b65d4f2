/**
 * Up to when derived data is known to be complete. A poller in the same process says so; changes that are known and not
 * counted yet are noted, so that no plan takes a count for the truth that does not know of them.
 */
export interface Freshness {
  /** Everything that could be read of the stream before this time, in milliseconds since 1970, is counted. */
  caughtUp(at: number): void
  /** Whether the counts are complete but for what is still in the stream: no gap, nothing set aside, counted from the start. */
  trust(complete: boolean): void
  /** How often {@link trust} was told of something missing: an answer from before that is out of date. */
  readonly distrusts: number
  /** What {@link trust} was told last. */
  readonly trusted: boolean
  /** Told of a change of a scope's items, made by this process or read from the stream. */
  wrote(scope: string, at: number): void
  /** Everything written before is counted, in milliseconds since 1970; undefined until a poller has caught up. */
  readonly caughtUpAt: number | undefined
  /** Whether changes are known that are not known to be counted. */
  readonly uncounted: boolean
  /** Whether counts of a scope can be taken for the truth now. */
  covers(scope: string, now: number): boolean
}

export interface FreshnessOptions {
  /**
   * Milliseconds that a write may take to show in the stream, and a count in every replica: 0 on an emulator, where all is
   * one step; 2000 when not given, a wide margin for AWS, which promises nothing.
   */
  readonly propagationMs?: number
}

const AWS_PROPAGATION_MS = 2_000

/** Longer than a poll, shorter than a reader would notice: how old the proof may be that nothing was written elsewhere. */
const FRESH_MS = 2_000

/** Scopes that are noted one by one; with more, all count as written to. */
const MOST_SCOPES = 10_000

export function createFreshness({ propagationMs = AWS_PROPAGATION_MS }: FreshnessOptions = {}): Freshness {
  let caughtUpAt: number | undefined
  let trusted = false
  let distrusts = 0
  let everyScopeAt = Number.NEGATIVE_INFINITY
  const writes = new Map<string, number>()
  return {
    get caughtUpAt() {
      return caughtUpAt
    },
    get distrusts() {
      return distrusts
    },
    get trusted() {
      return trusted
    },
    get uncounted() {
      return writes.size > 0
    },
    trust(complete) {
      trusted = complete
      if (!complete) distrusts += 1
    },
    caughtUp(at) {
      caughtUpAt = at - propagationMs
      for (const [scope, wroteAt] of writes) {
        if (wroteAt < caughtUpAt) writes.delete(scope)
      }
    },
    wrote(scope, at) {
      if (writes.size >= MOST_SCOPES) {
        everyScopeAt = [...writes.values()].reduce((latest, wroteAt) => Math.max(latest, wroteAt), everyScopeAt)
        writes.clear()
      }
      writes.set(scope, Math.max(at, writes.get(scope) ?? at))
    },
    covers: (scope, now) =>
      trusted &&
      caughtUpAt !== undefined &&
      now - caughtUpAt <= FRESH_MS + propagationMs &&
      caughtUpAt > everyScopeAt &&
      !writes.has(scope),
  }
}
