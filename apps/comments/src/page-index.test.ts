import { expect, test } from 'vitest'
import { openPageStore } from './page-index.ts'

const ignored = (): void => undefined

const unset = { redisUrl: undefined, databaseUrl: undefined, dataDir: '.lapidary' }

test('a page index that is not there, or lacks its address, is refused by name', () => {
  expect(() => openPageStore({ pageIndex: 's3', ...unset }, ignored)).toThrow(
    'PAGE_INDEX s3 is not available yet; use dynamodb, page-markers, redis, postgres or pglite',
  )
  expect(() => openPageStore({ pageIndex: 'redis', ...unset }, ignored)).toThrow('REDIS_URL is not set')
  expect(() => openPageStore({ pageIndex: 'postgres', ...unset }, ignored)).toThrow('DATABASE_URL is not set')
  expect(openPageStore({ pageIndex: 'dynamodb', ...unset }, ignored)?.name).toBe('dynamodb')
  expect(openPageStore({ pageIndex: 'none', ...unset }, ignored)).toBeUndefined()
})
