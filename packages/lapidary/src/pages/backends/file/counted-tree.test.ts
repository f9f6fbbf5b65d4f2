import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CountedTree, type TreeOrder } from './counted-tree.ts'

const weigh = (item: number): number => (item % 5) - 2

/** Four items share a key. */
const ORDER: TreeOrder<number> = { key: (item) => item >> 2, compareTied: (a, b) => a - b, weight: weigh }

test('has the items of a sorted array, at the same ranks, after any insertions and deletions', () => {
  const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 400 })), {
    maxLength: 2_000,
    size: 'max',
  })
  fc.assert(
    fc.property(steps, (changes) => {
      const tree = new CountedTree(ORDER)
      const twin = new Set<number>()
      for (const [kind, item] of changes) {
        if (kind === 0 && twin.delete(item)) tree.delete(item)
        if (kind > 0 && !twin.has(item)) {
          twin.add(item)
          tree.insert(item)
        }
      }
      const sorted = [...twin].sort((a, b) => a - b)
      expect(tree.size).toBe(sorted.length)
      expect(tree.weight).toBe(sorted.reduce((sum, item) => sum + weigh(item), 0))
      expect([...tree]).toEqual(sorted)
      const middle = sorted.length >> 1
      for (const count of [0, 1, 70, 500])
        expect(tree.slice(middle, count)).toEqual(sorted.slice(middle, middle + count))
      for (const [rank, item] of sorted.entries()) expect([tree.at(rank), tree.rank(item)]).toEqual([item, rank])
      for (let item = 0; item <= 401; item += 9) {
        const weight = sorted.filter((own) => own < item).reduce((sum, own) => sum + weigh(own), 0)
        expect(tree.search((own) => own >= item)).toEqual({ index: tree.rank(item), weight })
        expect(tree.weightBefore(item)).toBe(weight)
      }
      for (let item = 0; item <= 401; item += 7) expect(tree.rank(item)).toBe(sorted.filter((x) => x < item).length)
    }),
    { numRuns: 100 },
  )
})

test('stays sound when it is emptied and filled again', () => {
  const tree = new CountedTree(ORDER)
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 10_000; i++) tree.insert((i * 7_919) % 10_000)
    expect(tree.at(4_321)).toBe(4_321)
    for (let i = 0; i < 10_000; i++) tree.delete((i * 104_729) % 10_000)
    expect(tree.size).toBe(0)
  }
})
