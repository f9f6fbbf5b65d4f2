import { expect, test } from 'vitest'
import { openPageStore, type PageIndexConfig } from './page-index.ts'

const UNSET = { redisUrl: undefined, databaseUrl: undefined, pageIndexFolder: undefined, dataDir: '.lapidary' }
const open = (pageIndex: string): ReturnType<typeof openPageStore> =>
  openPageStore({ ...UNSET, pageIndex } satisfies PageIndexConfig, () => undefined)

test('a page index that is not there, or lacks its address, is refused by name', () => {
  expect(() => open('s3')).toThrow(
    'PAGE_INDEX s3 is not available yet; use dynamodb, page-markers, redis, postgres, pglite, file',
  )
  expect(() => open('redis')).toThrow('REDIS_URL is not set')
  expect(() => open('postgres')).toThrow('DATABASE_URL is not set')
  expect(open('dynamodb')?.name).toBe('dynamodb')
  expect(open('page-markers')?.name).toBe('page-markers')
  expect(open('file')?.name).toBe('file')
  expect(open('none')).toBeUndefined()
})
