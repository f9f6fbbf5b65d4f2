import { expect, test } from 'vitest'
import { branchBytes } from './node.ts'
import { sizeOf, sizeOfTop, type TreeSize, treePrice } from './tree-price.ts'

const LARGE = sizeOf(1_000_000)
const MEDIUM = sizeOf(10_000)

test.each([
  ['the total', { bounds: 0, entry: false }, 1, 1],
  ['an entry', { bounds: 0, entry: true }, 2, 3],
  ['the total of a range', { bounds: 1, entry: false }, 2, 3],
  ['the total between two bounds, which are read at once', { bounds: 2, entry: false }, 2, 3],
  ['an entry of a range, which is looked for where the bounds are known', { bounds: 1, entry: true }, 3, 5],
  ['an entry between two bounds', { bounds: 2, entry: true }, 3, 5],
])('%s takes a round for the top row and one for each level: %j', (_, shape, ofMedium, ofLarge) => {
  expect(treePrice(MEDIUM, { ...shape, among: 1 }).rounds).toBe(ofMedium)
  expect(treePrice(LARGE, { ...shape, among: 1 }).rounds).toBe(ofLarge)
})

const flat = (nodes: number): TreeSize => (nodes === 0 ? [] : [{ level: 1, nodes, share: 1, below: 32 }])

test.each([
  [0, { bounds: 2, entry: true }, 1],
  [1, { bounds: 0, entry: true }, 2],
  [1, { bounds: 1, entry: true }, 2],
  [1, { bounds: 2, entry: true }, 2],
  [2, { bounds: 1, entry: true }, 3],
])('of %i branches, a branch that was read for a bound is not read again: %j', (branches, shape, rounds) => {
  expect(treePrice(flat(branches), { ...shape, among: 1 }).rounds).toBe(rounds)
})

test('a bound takes as much as an entry', () => {
  const rcu = (bounds: number) => treePrice(LARGE, { bounds, entry: true, among: 1 }).rcu
  expect(rcu(1) - rcu(0)).toBe(rcu(2) - rcu(1))
  expect(rcu(2)).toBeLessThan(3 * rcu(0))
})

test('an entry of several trees takes more of each, where they have more', () => {
  const rcu = (entries: number, among: number) => treePrice(sizeOf(entries), { bounds: 0, entry: true, among }).rcu
  expect(rcu(400_000, 2)).toBeGreaterThan(rcu(400_000, 1))
  expect(rcu(900, 2)).toBe(rcu(900, 1))
})

test('a tree of a million entries has two levels of branches, and is read for less than 7 units', () => {
  expect(LARGE).toEqual([{ level: 2, nodes: 28, share: 1, below: 32 }])
  expect(treePrice(LARGE, { bounds: 0, entry: true, among: 1 }).rcu).toBeLessThan(7)
  expect(treePrice(sizeOf(1e9), { bounds: 0, entry: true, among: 1 })).toEqual({ rcu: 7.5, rounds: 5 })
})

test('a tree that was read is priced by its top row, where half of its entries are a level further down', () => {
  const node = (fence: string, level: number, nodes: number, entries: number) => ({
    ...{ fence, revision: '1' },
    bytes: branchBytes({ level, nodes, counts: new Map([[0, entries]]) }),
  })
  const size = sizeOfTop({ nodes: [node('a', 2, 30, 100), node('b', 1, 10, 60), node('c', 1, 20, 40)] })
  expect(size).toEqual([
    { level: 2, nodes: 1, share: 0.5, below: 30 },
    { level: 1, nodes: 2, share: 0.5, below: 15 },
  ])
  expect(treePrice(size, { bounds: 0, entry: true, among: 1 }).rounds).toBe(3)
  expect(sizeOfTop({ nodes: [] })).toEqual([])
})
