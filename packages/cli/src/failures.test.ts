import { expect, test } from 'vitest'
import { failureOf } from './failures.ts'

test('what a signal ended is told as stopped, whoever waited for it', () => {
  const stop = new AbortController()
  stop.abort()
  expect(failureOf(stop.signal.reason)).toEqual({ exitCode: 1, code: 'aborted', message: 'stopped' })
})
