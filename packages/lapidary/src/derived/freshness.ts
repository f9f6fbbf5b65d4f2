/** How far the pollers of this process have read the change stream. */
export interface Freshness {
  /** Told by a poller that has all shards: the stream's changes before this time, in milliseconds since 1970, are counted. */
  caughtUp(at: number): void
  readonly caughtUpAt: number | undefined
}

export function createFreshness(): Freshness {
  let caughtUpAt: number | undefined
  return {
    get caughtUpAt() {
      return caughtUpAt
    },
    caughtUp(at) {
      caughtUpAt = at
    },
  }
}
