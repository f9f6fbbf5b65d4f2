import { expect, test } from 'vitest'
import { createFailureLimit } from './failure-limit.ts'

test('an address waits after more failures than allowed, until its window ends; others do not', () => {
  let now = 0
  const limit = createFailureLimit(2, 60_000, () => now)
  for (let i = 0; i < 2; i++) limit.fail('a')
  expect(limit.waitSeconds('a')).toBe(0)
  now = 10_000
  limit.fail('a')
  expect(limit.waitSeconds('a')).toBe(50)
  expect(limit.waitSeconds('b')).toBe(0)
  now = 60_000
  expect(limit.waitSeconds('a')).toBe(0)
})

test('remembers only so many addresses', () => {
  const limit = createFailureLimit(0, 60_000, () => 0)
  limit.fail('first')
  expect(limit.waitSeconds('first')).toBe(60)
  for (let i = 0; i < 10_000; i++) limit.fail(String(i))
  expect(limit.waitSeconds('first')).toBe(0)
  expect(limit.waitSeconds('9999')).toBe(60)
})
