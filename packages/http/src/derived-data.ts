import type { DatabaseServices, Poller } from 'lapidary'
import { recordStates, STATES } from 'lapidary-telemetry'
import type { ReadinessReport } from './health-routes.ts'
import type { Logger } from './logger.ts'
import type { Metrics } from './metrics.ts'

/** A database that is followed. */
export interface Followed {
  readonly database: DatabaseServices
  /** Returns the milliseconds by which the counts are behind, where that is too much to show them; else undefined. */
  readonly countsBehind: () => number | undefined
}

/**
 * Keeps counts, leaderboards and page numbers up to date in this process. It fills what a new declaration lacks, makes up for changes that the
 * stream loses, and gives up its leases when it ends.
 *
 * @param fill Tells whether the filling may begin by now.
 */
export function startDerivedData(
  { database }: Pick<Followed, 'database'>,
  logger: Logger,
  fill: () => boolean = () => true,
): Promise<Poller> {
  return database.stream.start({
    ...{ fill, heal: true },
    onError: (error, shardId) => logger.warn({ err: error, shardId }, 'the change stream is tried again'),
    onDeadLetter: (letter) => logger.error({ letter }, 'a change could not be counted; a repair makes it good'),
    onGap(shardIds) {
      if (shardIds.length > 0) logger.warn({ shardIds }, 'the change stream has lost changes; counts are made anew')
      else logger.info('changes that the change stream lost are made up for')
    },
  })
}

/** Returns the milliseconds by which the counts are behind, where that is known to be too much. */
export function lagBeyond(poller: Poller | undefined, maxLagMs: number): number | undefined {
  const lagMs = poller?.status().lagMs ?? 0
  return lagMs > maxLagMs ? lagMs : undefined
}

/**
 * Reports how far the derived data is behind, which of it is unknown, and how many changes could not be counted. The server is not ready while
 * the counts are known to be too far behind or incomplete, and while no process follows the change stream, or none has counted yet.
 */
export async function derivedDataReport(
  { database, countsBehind }: Followed,
  poller: Poller,
): Promise<ReadinessReport> {
  const { lagMs, shards, others } = poller.status()
  const [deadLetters, gaps, unready] = await Promise.all([
    database.stream.deadLetters.count(),
    database.derived.gaps(),
    unreadyParts(database),
  ])
  const isFollowed = lagMs !== null || others.length > 0
  const ok = isFollowed && countsBehind() === undefined && gaps.length === 0
  return { ok, lagMs, shards: shards.length, others: others.length, gaps: gaps.length, unready, deadLetters }
}

/** Returns the declared parts that are still being made: `counts`, `leaderboards`, `pages`. */
async function unreadyParts({ derived }: DatabaseServices): Promise<readonly string[]> {
  const states = await derived.states()
  return [...new Set(states.flatMap(({ name, state, isDeclared }) => (isDeclared && state !== 'ready' ? [name] : [])))]
}

/** How old the states may be that a scrape tells: many scrapers read them once. */
const STATES_MS = 5_000

/** Has the lag and the states of derived data and indexes recorded before each scrape. What can't be read is absent, and the rest is there. */
export function observeDerivedData(metrics: Metrics, { database }: Pick<Followed, 'database'>, poller: Poller): void {
  let read: Promise<void> = Promise.resolve()
  let readAt = Number.NEGATIVE_INFINITY
  metrics.beforeScrape(async () => {
    const { lagMs } = poller.status()
    metrics.record('lag', lagMs === null ? -1 : lagMs / 1000, {})
    const now = performance.now()
    if (now - readAt >= STATES_MS) {
      readAt = now
      read = recordStates(metrics, database).catch(() => {
        for (const state of STATES) metrics.forget(state)
      })
    }
    await read
  })
}
