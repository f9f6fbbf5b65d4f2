import { countPoison, type Freshness, type Poller, startChangeStream } from 'lapidary'
import type { Engine } from 'lapidary-engine'
import type { Logger } from 'pino'
import type { ReadinessReport } from './http/health-routes.ts'
import type { Services } from './services.ts'

/** The embedded engine has no cap on reads of a stream; AWS has 5 a second for each shard. */
const EMBEDDED_IDLE_MS = 100
const AWS_IDLE_MS = 250

/** Keeps counts and leaderboards up to date in this process, and gives its own when it ends. */
export function startDerivedData(services: Services, engine: Engine, freshness: Freshness, logger: Logger): Poller {
  return startChangeStream([services.comments], {
    clientConfig: engine.clientConfig,
    freshness,
    ...(engine.kind === 'aws' ? { idleMs: AWS_IDLE_MS } : { idleMs: EMBEDDED_IDLE_MS, endReads: 1 }),
    onError: (error, shardId) => logger.warn({ err: error, shardId }, 'the change stream is tried again'),
    onPoison: ({ key, sequenceNumber }, error) =>
      logger.error({ key, sequenceNumber, err: error }, 'a change could not be counted; it is set aside'),
  })
}

/** Milliseconds by which the counts are behind, where it is known to be more than allowed. */
export function lagBeyond(poller: Poller | undefined, maxLagMs: number): number | undefined {
  const lagMs = poller?.status().lagMs ?? 0
  return lagMs > maxLagMs ? lagMs : undefined
}

/**
 * How far the derived data is behind, whether it is complete but for that, and how many records could not be counted. Only
 * counts that are known to be too far behind make the server unready: lists are right without them.
 */
export async function derivedDataReport(
  services: Services,
  poller: Poller,
  freshness: Freshness,
): Promise<ReadinessReport> {
  const { lagMs, shards } = poller.status()
  const setAside = await countPoison(services.comments.context.table)
  const ok = services.countsBehind() === undefined
  return { ok, lagMs, shards: shards.length, complete: freshness.trusted, setAside }
}
