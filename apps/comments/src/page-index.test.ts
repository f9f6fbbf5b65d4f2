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
