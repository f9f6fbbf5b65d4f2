import { expect, test } from 'vitest'
import { sizeOf, treePrice } from './tree-price.ts'

const LARGE = sizeOf(1_000_000)

test.each([
  ['the total', { bounds: 0, entry: false }, 1],
  ['an entry', { bounds: 0, entry: true }, 2],
  ['the total of a range', { bounds: 1, entry: false }, 2],
  ['the total between two bounds, which are read at once', { bounds: 2, entry: false }, 2],
  ['an entry of a range, which is looked for where the bounds are known', { bounds: 1, entry: true }, 3],
  ['an entry between two bounds', { bounds: 2, entry: true }, 3],
])('%s of a large tree takes %j: so many rounds', (_, shape, rounds) => {
  expect(treePrice(LARGE, { ...shape, among: 1 }).rounds).toBe(rounds)
})

test.each([
  [0, { bounds: 2, entry: true }, 1],
  [1, { bounds: 0, entry: true }, 2],
  [1, { bounds: 1, entry: true }, 2],
  [1, { bounds: 2, entry: true }, 2],
  [2, { bounds: 1, entry: true }, 3],
])('of %i branches, what was read for a bound is not read again: %j', (branches, shape, rounds) => {
  expect(treePrice({ leaves: branches, branches }, { ...shape, among: 1 }).rounds).toBe(rounds)
})

test('a bound takes as much as an entry', () => {
  const rcu = (bounds: number) => treePrice(LARGE, { bounds, entry: true, among: 1 }).rcu
  expect(rcu(1) - rcu(0)).toBe(rcu(2) - rcu(1))
  expect(rcu(2)).toBeLessThan(3 * rcu(0))
})

test('an entry of several trees takes more of each, where they have more', () => {
  const rcu = (leaves: number, among: number) => treePrice(sizeOf(leaves * 40), { bounds: 0, entry: true, among }).rcu
  expect(rcu(10_000, 2)).toBeGreaterThan(rcu(10_000, 1))
  expect(rcu(50, 2)).toBe(rcu(50, 1))
})
