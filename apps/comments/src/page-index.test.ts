import { LapidaryError } from 'lapidary'
import { expect, test, vi } from 'vitest'
import { silentLogger } from '../test/silent-logger.ts'
import { buildPageIndex, openPageStore, type PageIndexConfig } from './page-index.ts'
import type { Services } from './services.ts'

const UNSET = {
  redisUrl: undefined,
  databaseUrl: undefined,
  pageIndexFolder: undefined,
  pageIndexBucket: undefined,
  dataDir: '.lapidary',
}
const open = (pageIndex: string, more: Partial<PageIndexConfig> = {}): ReturnType<typeof openPageStore> =>
  openPageStore({ ...UNSET, pageIndex, ...more } satisfies PageIndexConfig, () => undefined)

test('a page index that is not known, or lacks its address, is refused by name', () => {
  expect(() => open('etcd')).toThrow('PAGE_INDEX etcd is not known; use none, dynamodb, page-markers, redis')
  expect(() => open('s3')).toThrow('PAGE_INDEX_BUCKET is not set')
  expect(() => open('redis')).toThrow('REDIS_URL is not set')
  expect(() => open('postgres')).toThrow('DATABASE_URL is not set')
  expect(open('dynamodb')?.name).toBe('dynamodb')
  expect(open('page-markers')?.name).toBe('page-markers')
  expect(open('file')?.name).toBe('file')
  expect(open('s3', { pageIndexBucket: 'pages' })?.name).toBe('s3')
  expect(open('none')).toBeUndefined()
})

test('a page index is built once its store answers', async () => {
  const away = new LapidaryError('unavailable', 'the store is away')
  const state = vi.fn().mockRejectedValueOnce(away).mockRejectedValueOnce(away).mockResolvedValue('absent')
  const rebuildPages = vi.fn().mockRejectedValueOnce(away).mockResolvedValue({ items: 3 })
  const services = {
    comments: { context: { pages: [{ lists: { state } }] } },
    database: { derived: { rebuildPages } },
  } as unknown as Services
  const { signal } = new AbortController()
  await buildPageIndex(services, { logger: silentLogger, signal, isFree: true, retryMs: 1 })
  expect([state, rebuildPages].map(({ mock }) => mock.calls.length)).toEqual([4, 2])
})
