import { join } from 'node:path'
import { Redis } from 'ioredis'
import { type PageStore, pageMarkers, segments } from 'lapidary'
import { redisLists } from 'lapidary-pages'
import { fileLists } from 'lapidary-pages/file'
import { s3Lists } from 'lapidary-pages/s3'
import { type Config, ConfigError } from './config.ts'
import { openS3 } from './open-s3.ts'
import { pglitePages, postgresPages } from './relational-pages.ts'

/** The settings by which a store is chosen. */
export type PageIndexConfig = Pick<
  Config,
  'pageIndex' | 'redisUrl' | 'databaseUrl' | 'dataDir' | 'pageIndexFolder' | 'pageIndexBucket'
>

type OpenStore = (config: PageIndexConfig, onError: (error: Error) => void) => PageStore | undefined

/** A folder apart from the one that `lapidary resp` serves: a rebuild removes it first. */
const FOLDER = ['page-index', 'comments'] as const

const STORES: Readonly<Record<string, OpenStore>> = {
  none: () => undefined,
  dynamodb: () => segments(),
  'page-markers': () => pageMarkers(),
  redis: ({ redisUrl }, onError) =>
    redisPages(required(redisUrl, 'PAGE_INDEX is redis, and REDIS_URL', 'redis://127.0.0.1:6379'), onError),
  postgres: ({ databaseUrl }, onError) =>
    postgresPages(
      required(databaseUrl, 'PAGE_INDEX is postgres, and DATABASE_URL', 'postgres://127.0.0.1:5432/comments'),
      onError,
    ),
  pglite: ({ dataDir }) => pglitePages(dataDir),
  file: ({ dataDir, pageIndexFolder }, onError) =>
    fileLists({ folder: pageIndexFolder ?? join(dataDir, ...FOLDER), onError }),
  s3: ({ pageIndexBucket }, onError) =>
    s3Pages(required(pageIndexBucket, 'PAGE_INDEX is s3, and PAGE_INDEX_BUCKET', 'comments-pages'), onError),
}

/**
 * Opens the store of page numbers that `PAGE_INDEX` names; undefined = none.
 *
 * @param onError Called when Redis or PostgreSQL is away, or a disk refuses.
 * @throws {ConfigError} for an unknown store, or one without its address.
 */
export function openPageStore(config: PageIndexConfig, onError: (error: Error) => void): PageStore | undefined {
  const { pageIndex } = config
  const open = Object.hasOwn(STORES, pageIndex) ? STORES[pageIndex] : undefined
  if (open !== undefined) return open(config, onError)
  throw new ConfigError(`PAGE_INDEX ${pageIndex} is not known; use ${Object.keys(STORES).join(', ')}`)
}

function required(value: string | undefined, what: string, example: string): string {
  if (value === undefined) throw new ConfigError(`${what} is not set; give it, like ${example}`)
  return value
}

/** Milliseconds after which a page stops waiting for Redis; first pages and cursors do without it. */
const REDIS_PATIENCE_MS = 2_000

function redisPages(url: string, onError: (error: Error) => void): PageStore {
  const redis = new Redis(url, {
    ...{ commandTimeout: REDIS_PATIENCE_MS, connectTimeout: REDIS_PATIENCE_MS },
    ...{ maxRetriesPerRequest: 1, lazyConnect: true },
  })
  redis.on('error', onError)
  return redisLists({ send: ([name = '', ...args]) => redis.call(name, ...args), close: () => redis.disconnect() })
}

function s3Pages(bucket: string, onError: (error: Error) => void): PageStore {
  const client = openS3()
  return s3Lists({ client, bucket, onError, close: () => client.destroy() })
}
