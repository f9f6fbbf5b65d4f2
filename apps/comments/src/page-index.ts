import { join } from 'node:path'
import { S3Client } from '@aws-sdk/client-s3'
import { Redis } from 'ioredis'
import { type PageStore, redisLists, segments } from 'lapidary'
import { fileLists } from 'lapidary/page-index/file'
import { s3Lists } from 'lapidary/page-index/s3'
import type { Logger } from 'pino'
import { type Config, ConfigError } from './config.ts'
import type { Services } from './services.ts'

/** A page that waits longer for its place is better told so; first pages and cursors do without. */
const REDIS_PATIENCE_MS = 2_000
const S3_PATIENCE_MS = 5_000

/** Not the folder that `lapidary resp` serves: what is built anew is removed first. */
const FOLDER = ['page-index', 'comments'] as const

/** What the choice of a store goes by. */
export type PageIndexConfig = Pick<Config, 'pageIndex' | 'redisUrl' | 'dataDir' | 'pageIndexFolder' | 'pageIndexBucket'>

/**
 * Opens the store of page numbers that `PAGE_INDEX` names; undefined = none.
 *
 * @param onError Told when Redis is away, or a disk refuses.
 * @throws {ConfigError} for one that is not available yet, or lacks its address.
 */
export function openPageStore(
  { pageIndex, redisUrl, dataDir, pageIndexFolder, pageIndexBucket }: PageIndexConfig,
  onError: (error: Error) => void,
): PageStore | undefined {
  if (pageIndex === 'none') return undefined
  if (pageIndex === 'dynamodb') return segments()
  if (pageIndex === 'file') return fileLists({ folder: pageIndexFolder ?? join(dataDir, ...FOLDER), onError })
  if (pageIndex === 's3') return openS3Lists(pageIndexBucket, onError)
  if (pageIndex !== 'redis') {
    throw new ConfigError(
      `PAGE_INDEX ${pageIndex} is not available yet; use dynamodb, redis, file or s3, or none for pages by cursor only`,
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

/** The region, the credentials and `AWS_ENDPOINT_URL_S3` are those that every AWS program goes by. */
function openS3Lists(bucket: string | undefined, onError: (error: Error) => void): PageStore {
  if (bucket === undefined) {
    throw new ConfigError('PAGE_INDEX is s3, and PAGE_INDEX_BUCKET is not set; give the name of a bucket that exists')
  }
  const client = new S3Client({
    maxAttempts: 2,
    // A merge sends much at once: what counts is that something comes.
    requestHandler: { connectionTimeout: S3_PATIENCE_MS, socketTimeout: S3_PATIENCE_MS },
    // Other servers than AWS's own have the bucket in the path.
    forcePathStyle: process.env.AWS_ENDPOINT_URL_S3 !== undefined,
  })
  return s3Lists({ client, bucket, onError, close: () => client.destroy() })
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
