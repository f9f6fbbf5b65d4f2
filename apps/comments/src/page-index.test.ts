import { expect, test } from 'vitest'
import { openPageStore, type PageIndexConfig } from './page-index.ts'

const open = (config: Pick<PageIndexConfig, 'pageIndex'> & Partial<PageIndexConfig>) =>
  openPageStore({ redisUrl: undefined, pageIndexFolder: undefined, dataDir: '.lapidary', ...config }, () => undefined)

test('a page index that is not there, or lacks its address, is refused by name', () => {
  expect(() => open({ pageIndex: 's3' })).toThrow('PAGE_INDEX s3 is not available yet; use dynamodb, redis or file')
  expect(() => open({ pageIndex: 'redis' })).toThrow('REDIS_URL is not set')
  expect(open({ pageIndex: 'dynamodb' })?.name).toBe('dynamodb')
  expect(open({ pageIndex: 'file' })?.name).toBe('file')
  expect(open({ pageIndex: 'none' })).toBeUndefined()
})
