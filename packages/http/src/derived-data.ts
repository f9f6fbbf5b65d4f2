import type { DatabaseServices, Poller } from 'lapidary'
import { Gauge, type Registry } from 'prom-client'
import type { ReadinessReport } from './health-routes.ts'
import type { Logger } from './logger.ts'

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

/** Adds the figures of the derived data to Prometheus; each scrape reads the register once. */
export function observeDerivedData(registry: Registry, { database }: Pick<Followed, 'database'>, poller: Poller): void {
  const gauge = (name: string, help: string, read: () => Promise<number> | number): void => {
    new Gauge({
      ...{ name, help, registers: [registry] },
      async collect() {
        this.set(await read())
      },
    })
  }
  gauge('derived_data_lag_seconds', 'How far the slowest shard is behind; -1 while this process follows none.', () => {
    const { lagMs } = poller.status()
    return lagMs === null ? -1 : lagMs / 1000
  })
  gauge('derived_data_gaps', 'Shards whose changes the change stream has lost in part.', async () => {
    return (await database.derived.gaps()).length
  })
  gauge('derived_data_unready', 'Kinds of declared derived data that are not complete.', async () => {
    return (await unreadyParts(database)).length
  })
  gauge('derived_data_dead_letters', 'Changes that could not be counted in full.', () =>
    database.stream.deadLetters.count(),
  )
}
