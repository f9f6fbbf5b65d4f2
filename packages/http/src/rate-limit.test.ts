import { expect, test } from 'vitest'
import { createRateLimit } from './rate-limit.ts'

test('a caller does as much as is allowed in a window, then waits until it ends; others do not', () => {
  let now = 0
  const limit = createRateLimit(2, 60_000, () => now)
  limit.take('a')
  now = 10_000
  limit.take('a')
  expect(() => limit.take('a')).toThrow(
    expect.objectContaining({ code: 'rate_limited', status: 429, headers: { 'retry-after': '50' } }),
  )
  limit.take('b')
  now = 59_999
  expect(() => limit.take('a')).toThrow('try again in 1 s')
  now = 60_000
  limit.take('a')
})
