import type { Freshness } from '../derived/freshness.ts'
import type { Runner } from './runner.ts'
import type { StreamsClient } from './streams-client.ts'

export interface PollerOptions {
  readonly streams: StreamsClient
  readonly runner: Runner
  /** Told up to when everything is counted, where this process has all shards. */
  readonly freshness?: Freshness
  /** Milliseconds between reads of a shard that has nothing new; AWS allows 5 reads a second. 200 when not given. */
  readonly idleMs?: number
  /**
   * Milliseconds between reads of a shard that has had nothing to count for a while; the first change makes them faster again.
   * `idleMs` when not given.
   */
  readonly quietMs?: number
  /**
   * Milliseconds between commits while changes keep coming: the longer, the more of them one write counts. The first change
   * after a lull does not wait. 500 when not given.
   */
  readonly gatherMs?: number
  /** Milliseconds after which another process may take over the shards of one that died. 6000 when not given. */
  readonly leaseMs?: number
  /** Milliseconds between looks for new shards. 10000 when not given. */
  readonly discoverMs?: number
  /** Told of errors that a lane goes on from. */
  readonly onError?: (error: unknown, shardId: string | undefined) => void
  readonly clock?: () => number
}

/** How it polls, with what was not given. */
export type Polling = Required<Omit<PollerOptions, 'freshness'>> & Pick<PollerOptions, 'freshness'>

export function pollingOf(options: PollerOptions): Polling {
  const { idleMs = 200, quietMs = idleMs, gatherMs = 500, leaseMs = 6_000, discoverMs = 10_000 } = options
  const { clock = Date.now } = options
  return {
    ...{ ...options, idleMs, quietMs, gatherMs, leaseMs, discoverMs, clock },
    /** What a caller's own function throws ends nothing. */
    onError(error, shardId) {
      try {
        options.onError?.(error, shardId)
      } catch {}
    },
  }
}
