import fc from 'fast-check'
import { expect, test } from 'vitest'
import { internalByChance, nextBeside, nextInternal, uncountedChanges } from './internal-version.ts'

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

test('a change that keeps the declared version is seen, and neither counted nor found to be uncounted', () => {
  fc.assert(
    fc.property(version, version, fc.nat({ max: 499 }), fc.nat({ max: 50 }), (last, declared, others, beside) => {
      let internal = nextInternal(last, declared)
      for (let i = 0; i < others; i++) internal = nextInternal(internal, undefined)
      for (let i = 0; i < beside; i++) {
        const next = nextBeside(internal, declared)
        expect(next).toBeGreaterThan(internal)
        internal = next
      }
      expect(uncountedChanges(internal, declared)).toBe(others)
    }),
  )
  expect(nextBeside(undefined, 7)).toBe(nextInternal(undefined, 7))
})

test('of an item that comes back it is by chance, has the digits of the declared version, and room for changes', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), version, (chance, declared) => {
      const internal = internalByChance(() => chance, declared)
      expect(uncountedChanges(internal, declared)).toBe(0)
      expect(String(internal)).toHaveLength(16)
      expect(internal + 4e12 * 1000).toBeLessThan(Number.MAX_SAFE_INTEGER)
    }),
  )
  const many = Array.from({ length: 1000 }, () => internalByChance(Math.random, 1))
  expect(new Set(many).size).toBe(1000)
})
