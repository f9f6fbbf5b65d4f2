import { expect, test } from 'vitest'
import { openPageStore } from './page-index.ts'

const ignored = (): void => undefined

test('a page index that is not there, or lacks its address, is refused by name', () => {
  expect(() => openPageStore({ pageIndex: 's3', redisUrl: undefined }, ignored)).toThrow(
    'PAGE_INDEX s3 is not available yet; use dynamodb or redis',
  )
  expect(() => openPageStore({ pageIndex: 'redis', redisUrl: undefined }, ignored)).toThrow('REDIS_URL is not set')
  expect(openPageStore({ pageIndex: 'dynamodb', redisUrl: undefined }, ignored)?.name).toBe('dynamodb')
  expect(openPageStore({ pageIndex: 'none', redisUrl: undefined }, ignored)).toBeUndefined()
})
