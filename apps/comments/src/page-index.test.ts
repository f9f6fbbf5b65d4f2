import { expect, test } from 'vitest'
import { openPageStore, type PageIndexConfig } from './page-index.ts'

const UNSET = {
  redisUrl: undefined,
  databaseUrl: undefined,
  pageIndexFolder: undefined,
  pageIndexBucket: undefined,
  dataDir: '.lapidary',
}
const open = (pageIndex: string, more: Partial<PageIndexConfig> = {}): ReturnType<typeof openPageStore> =>
  openPageStore({ ...UNSET, pageIndex, ...more } satisfies PageIndexConfig, () => undefined)

test('a page index that is not there, or lacks its address, is refused by name', () => {
  expect(() => open('page-markers')).toThrow(
    'PAGE_INDEX page-markers is not available yet; use dynamodb, redis, postgres, pglite, file, s3',
  )
  expect(() => open('s3')).toThrow('PAGE_INDEX_BUCKET is not set')
  expect(() => open('redis')).toThrow('REDIS_URL is not set')
  expect(() => open('postgres')).toThrow('DATABASE_URL is not set')
  expect(open('dynamodb')?.name).toBe('dynamodb')
  expect(open('file')?.name).toBe('file')
  expect(open('s3', { pageIndexBucket: 'pages' })?.name).toBe('s3')
  expect(open('none')).toBeUndefined()
})
