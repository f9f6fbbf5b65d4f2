import type { Poller } from 'lapidary'
import type { Logger } from 'pino'
import type { ReadinessReport } from './http/health-routes.ts'
import type { Services } from './services.ts'

/** Keeps counts and leaderboards up to date in this process, and gives its own when it ends. */
export function startDerivedData({ database }: Services, logger: Logger): Promise<Poller> {
  return database.stream.start({
    onError: (error, shardId) => logger.warn({ err: error, shardId }, 'the change stream is tried again'),
    onDeadLetter: (letter) => logger.error({ letter }, 'a change could not be counted; a repair makes it good'),
  })
}

/** Milliseconds by which the counts are behind, where it is known to be more than allowed. */
export function lagBeyond(poller: Poller | undefined, maxLagMs: number): number | undefined {
  const lagMs = poller?.status().lagMs ?? 0
  return lagMs > maxLagMs ? lagMs : undefined
}

/**
 * How far the derived data is behind, and how many changes could not be counted. Only
 * counts that are known to be too far behind make the server unready: lists are right without them.
 */
export async function derivedDataReport(
  { database, countsBehind }: Services,
  poller: Poller,
): Promise<ReadinessReport> {
  const { lagMs, shards } = poller.status()
  const deadLetters = await database.stream.deadLetters.count()
  return { ok: countsBehind() === undefined, lagMs, shards: shards.length, deadLetters }
}
