import { expect, test } from 'vitest'
import { openPageStore, type PageIndexConfig } from './page-index.ts'

const NOTHING = { redisUrl: undefined, pageIndexFolder: undefined, pageIndexBucket: undefined, dataDir: '.lapidary' }
const open = (config: Pick<PageIndexConfig, 'pageIndex'> & Partial<PageIndexConfig>) =>
  openPageStore({ ...NOTHING, ...config }, () => undefined)

test('a page index that is not there, or lacks its address, is refused by name', () => {
  expect(() => open({ pageIndex: 'postgres' })).toThrow(
    'PAGE_INDEX postgres is not available yet; use dynamodb, redis,',
  )
  expect(() => open({ pageIndex: 's3' })).toThrow('PAGE_INDEX_BUCKET is not set')
  expect(() => open({ pageIndex: 'redis' })).toThrow('REDIS_URL is not set')
  expect(open({ pageIndex: 'dynamodb' })?.name).toBe('dynamodb')
  expect(open({ pageIndex: 'file' })?.name).toBe('file')
  expect(open({ pageIndex: 's3', pageIndexBucket: 'pages' })?.name).toBe('s3')
  expect(open({ pageIndex: 'none' })).toBeUndefined()
})
