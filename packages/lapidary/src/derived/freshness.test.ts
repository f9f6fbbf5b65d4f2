import { describe, expect, test } from 'vitest'
import { createFreshness } from './freshness.ts'

describe('a count of 0 stands for an empty list', () => {
  test('from when a poller has caught up, for two seconds', () => {
    const freshness = createFreshness(true)
    expect([freshness.covers('42', 0), freshness.caughtUpAt]).toEqual([false, undefined])
    freshness.caughtUp(10_000)
    expect(freshness.caughtUpAt).toBe(10_000)
    expect([10_000, 12_000, 12_001].map((now) => freshness.covers('42', now))).toEqual([true, true, false])
    freshness.caughtUp(11_000)
    expect([13_000, 13_001].map((now) => freshness.covers('42', now))).toEqual([true, false])
  })

  test('not in a scope that this process wrote to, until what it wrote is counted', () => {
    const freshness = createFreshness(true)
    freshness.wrote('42', 10_000)
    freshness.caughtUp(10_000)
    // What was written in the millisecond of that time may have been missed.
    expect([freshness.covers('42', 10_000), freshness.covers('43', 10_000)]).toEqual([false, true])
    freshness.caughtUp(10_001)
    expect(freshness.covers('42', 10_001)).toBe(true)
  })

  test('not before the last of several writes is counted, in whatever order they are told', () => {
    for (const times of [
      [10_000, 10_500],
      [10_500, 10_000],
    ]) {
      const freshness = createFreshness(true)
      for (const at of times) freshness.wrote('42', at)
      freshness.caughtUp(10_400)
      expect(freshness.covers('42', 10_400)).toBe(false)
      freshness.caughtUp(10_501)
      expect(freshness.covers('42', 10_501)).toBe(true)
    }
  })

  test('never again once something is known to be lost', () => {
    const freshness = createFreshness(true)
    freshness.doubt()
    freshness.caughtUp(10_000)
    expect(freshness.covers('42', 10_000)).toBe(false)
  })

  test('never where nothing is skipped', () => {
    const freshness = createFreshness(false)
    freshness.wrote('42', 9_000)
    freshness.caughtUp(10_000)
    expect([freshness.covers('42', 10_000), freshness.covers('43', 10_000)]).toEqual([false, false])
  })

  test('in no scope, where more were written to than are noted, until all of that is counted', () => {
    const freshness = createFreshness(true)
    freshness.wrote('first', 20_000)
    for (let i = 0; i < 10_000; i++) freshness.wrote(`scope ${i}`, 10_000)
    freshness.caughtUp(20_000)
    expect([freshness.covers('first', 20_000), freshness.covers('elsewhere', 20_000)]).toEqual([false, false])
    // Of the second ten thousand the times are earlier, and those of the first still hold.
    for (let i = 0; i < 10_001; i++) freshness.wrote(`again ${i}`, 15_000)
    freshness.caughtUp(19_999)
    expect(freshness.covers('elsewhere', 19_999)).toBe(false)
    freshness.caughtUp(20_001)
    expect([freshness.covers('first', 20_001), freshness.covers('elsewhere', 20_001)]).toEqual([true, true])
  })

  test('elsewhere, while no more scopes were written to than are noted', () => {
    const freshness = createFreshness(true)
    for (let i = 0; i < 10_000; i++) freshness.wrote(`scope ${i}`, 10_000)
    freshness.caughtUp(10_000)
    expect([freshness.covers('elsewhere', 10_000), freshness.covers('scope 1', 10_000)]).toEqual([true, false])
  })
})
