import { Redis } from 'ioredis'
import { type PageStore, pageMarkers, redisLists, segments } from 'lapidary'
import type { Logger } from 'pino'
import { type Config, ConfigError } from './config.ts'
import { pglitePages, postgresPages } from './relational-pages.ts'
import type { Services } from './services.ts'

/** A page that waits longer for its place is better told so; first pages and cursors do without. */
const REDIS_PATIENCE_MS = 2_000

/** What the choice of a store goes by. */
export type PageIndexConfig = Pick<Config, 'pageIndex' | 'redisUrl' | 'databaseUrl' | 'dataDir'>

/**
 * Opens the store of page numbers that `PAGE_INDEX` names; undefined = none.
 *
 * @param onError Told when Redis or PostgreSQL is away.
 * @throws {ConfigError} for one that is not available yet, or lacks its address.
 */
export function openPageStore(
  { pageIndex, redisUrl, databaseUrl, dataDir }: PageIndexConfig,
  onError: (error: Error) => void,
): PageStore | undefined {
  if (pageIndex === 'none') return undefined
  if (pageIndex === 'dynamodb') return segments()
  if (pageIndex === 'page-markers') return pageMarkers()
  if (pageIndex === 'pglite') return pglitePages(dataDir)
  if (pageIndex === 'postgres') {
    if (databaseUrl !== undefined) return postgresPages(databaseUrl, onError)
    throw new ConfigError(
      'PAGE_INDEX is postgres, and DATABASE_URL is not set; give it, like postgres://127.0.0.1:5432/comments',
    )
  }
  if (pageIndex !== 'redis') {
    throw new ConfigError(
      `PAGE_INDEX ${pageIndex} is not available yet; use dynamodb, page-markers, redis, postgres or pglite, or none for pages by cursor only`,
    )
  }
  if (redisUrl === undefined) {
    throw new ConfigError('PAGE_INDEX is redis, and REDIS_URL is not set; give it, like redis://127.0.0.1:6379')
  }
  const redis = new Redis(redisUrl, {
    ...{ commandTimeout: REDIS_PATIENCE_MS, connectTimeout: REDIS_PATIENCE_MS },
    ...{ maxRetriesPerRequest: 1, lazyConnect: true },
  })
  redis.on('error', onError)
  return redisLists({ send: ([name = '', ...args]) => redis.call(name, ...args), close: () => redis.disconnect() })
}

/**
 * Builds the page index of a table that has none: one that was made before there was one, or whose building was cut short. Lists
 * and cursors work meanwhile. A table that is paid for is read as a whole only when its owner asks for it.
 */
export async function buildPageIndex(
  { comments, database }: Services,
  { logger, signal, isFree }: { readonly logger: Logger; readonly signal: AbortSignal; readonly isFree: boolean },
): Promise<void> {
  try {
    const state = await comments.context.pages?.lists.state()
    if (state === undefined || state === 'ready') return
    if (!isFree) {
      logger.warn('there is no page index, so pages have cursors only; run lapidary rebuild page-index')
      return
    }
    const { items } = await database.derived.rebuildPages({ signal })
    logger.info({ items }, 'built the page index')
  } catch (error) {
    if (!signal.aborted) logger.warn({ err: error }, 'the page index is not built; run lapidary rebuild page-index')
  }
}
