import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nextInternal, uncountedChanges } from './internal-version.ts'

const version = fc.nat({ max: 1e15 })

test('it grows with every change, and tells how many were made without the declared version', () => {
  fc.assert(
    fc.property(version, version, fc.nat({ max: 499 }), (last, declared, others) => {
      let internal = nextInternal(last, declared)
      expect(internal).toBeGreaterThan(last)
      expect(internal).toBeLessThanOrEqual(last + 1000)
      expect(uncountedChanges(internal, declared)).toBe(0)
      for (let i = 0; i < others; i++) internal = nextInternal(internal, undefined)
      expect(uncountedChanges(internal, declared)).toBe(others)
      expect(uncountedChanges(nextInternal(internal, declared + 1), declared + 1)).toBe(0)
    }),
  )
})

test('it is the declared version where each change counts that', () => {
  let internal: number | undefined
  for (let declared = 1; declared < 2000; declared++) {
    internal = nextInternal(internal, declared)
    expect(internal).toBe(declared)
  }
})

test('of an item that another program counts itself, nothing is uncounted', () => {
  expect(uncountedChanges(undefined, 7)).toBe(0)
  expect(uncountedChanges(3, 7)).toBe(0)
  expect(uncountedChanges(3, undefined)).toBe(0)
})
