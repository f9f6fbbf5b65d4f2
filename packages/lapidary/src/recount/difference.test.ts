import { expect, test } from 'vitest'
import { countsKey, values } from '../../test/memory-items/counted-table.ts'
import { heldDigest } from '../derived/derived-item.ts'
import { targetId } from '../derived/target-key.ts'
import type { Entry } from '../model/entry.ts'
import { correctionOf } from './correction.ts'
import { type Differing, differingOf, isAsSeen } from './difference.ts'
import { Tally, type Target } from './tally.ts'

const image = (v: string): Entry => ({ v: { S: v }, scope: { S: 'a' } })

/** What differs where items of these values are counted, and this is held. */
function compared(counted: readonly string[], held: Entry | undefined): readonly Differing[] {
  const tally = new Tally([values])
  tally.see(countsKey('a'), {})
  for (const v of counted) tally.add(tally.contributionOf({ PK: 'X#1', SK: '~' }, image(v)), 1)
  const entries = new Map(held === undefined ? [] : [[targetId(countsKey('a')), held]])
  return differingOf({ targets: tally.targets, checkpoints: new Map(), entries }, tally)
}
const counts = (held: Record<string, number>): Entry =>
  Object.fromEntries(Object.entries(held).map(([name, count]) => [name, { N: String(count) }]))
const common = { projection: 'values', collection: 'X', target: countsKey('a') }

test('what is right is no difference, whatever is beside it', () => {
  expect(compared([], undefined)).toEqual([])
  expect(compared(['q', 'q'], { ...counts({ count_q: 2 }), asOf: { S: 'x' }, rev: { S: 'r' } })).toEqual([])
})

test('every name that is wrong is told, in their order, with what is there and what should be', () => {
  const [found, ...more] = compared(['r', 'q', 'q'], counts({ count_q: 3, count_p: 1 }))
  expect(more).toEqual([])
  expect(found).toMatchObject({ amounts: { count_r: 1, count_q: 2 }, actual: counts({ count_q: 3, count_p: 1 }) })
  expect(found?.differences).toEqual([
    { ...common, kind: 'wrong', name: 'count_p', expected: null, actual: '1' },
    { ...common, kind: 'wrong', name: 'count_q', expected: '2', actual: '3' },
    { ...common, kind: 'wrong', name: 'count_r', expected: '1', actual: null },
  ])
})

test('an item that is missing, or one too many, is told as such, also one that holds nothing', () => {
  expect(compared(['q'], undefined)[0]?.differences).toEqual([
    { ...common, kind: 'missing', name: 'count_q', expected: '1', actual: null },
  ])
  expect(compared([], counts({ count_q: 1 }))[0]?.differences).toEqual([
    { ...common, kind: 'dangling', name: 'count_q', expected: null, actual: '1' },
  ])
  expect(compared([], {})[0]?.differences).toEqual([
    { ...common, kind: 'dangling', name: '', expected: null, actual: '' },
  ])
})

test('what the scan saw is right if it holds the same', () => {
  const target = (seen: Entry | undefined): Target => ({
    ...{ projection: values, key: countsKey('a'), sums: new Map(), touched: false },
    seen: heldDigest(seen),
  })
  expect(isAsSeen(target(counts({ count_q: 1 })), { count_q: 1 })).toBe(true)
  expect(isAsSeen(target(counts({ count_q: 2 })), { count_q: 1 })).toBe(false)
  expect([isAsSeen(target(undefined), {}), isAsSeen(target(undefined), { count_q: 1 })]).toEqual([true, false])
})

test('a correction is what is lacking, and dates only what it makes anew', () => {
  const [wrong] = compared(['q', 'q'], { ...counts({ count_q: 3, count_p: 1 }), asOf: { S: 'x' } })
  expect(wrong && correctionOf(wrong, 5)).toEqual({
    ...{ projection: values, target: countsKey('a'), amounts: { count_q: -1, count_p: -1 }, at: 0 },
  })
  const [missing] = compared(['q'], undefined)
  expect(missing && correctionOf(missing, 5)).toMatchObject({ amounts: { count_q: 1 }, at: 5 })
})
