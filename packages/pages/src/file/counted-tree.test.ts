import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CountedTree, type TreeOrder, type TreePlace } from './counted-tree.ts'

const weigh = (item: number): number => (item % 5) - 2

/** Four items share a key. Bases rise by what an item takes away at most. */
const ORDER: TreeOrder<number> = {
  key: (item) => item >> 2,
  compareTied: (a, b) => a - b,
  weight: weigh,
  base: (item) => 2 * item,
}

/** The item at a place, which may be the first of the next leaf. */
function itemAt({ leaf, index }: TreePlace<number>): number | undefined {
  return leaf.items[index] ?? leaf.next?.items[0]
}

test('has the items of a sorted array, and their weights, after it was filled, and any insertions and deletions', () => {
  const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 400 })), {
    maxLength: 2_000,
    size: 'max',
  })
  const first = fc.uniqueArray(fc.integer({ min: 0, max: 400 }), { maxLength: 400, size: 'max' })
  fc.assert(
    fc.property(first, steps, (items, changes) => {
      const tree = new CountedTree(ORDER)
      const twin = new Set<number>(items)
      tree.fill(items.sort((a, b) => a - b))
      for (const [kind, item] of changes) {
        if (kind === 0 && twin.delete(item)) tree.delete(item)
        if (kind > 0 && !twin.has(item)) {
          twin.add(item)
          let between: unknown
          tree.insert(item, (...bases) => {
            between = bases
          })
          const below = Math.max(...[...twin].filter((own) => own < item))
          const above = Math.min(...[...twin].filter((own) => own > item))
          expect(between).toEqual([below, above].map((own) => (Number.isFinite(own) ? 2 * own : undefined)))
        }
      }
      const sorted = [...twin].sort((a, b) => a - b)
      expect(tree.isEmpty).toBe(sorted.length === 0)
      expect(tree.weight).toBe(sorted.reduce((sum, item) => sum + weigh(item), 0))
      expect([...tree]).toEqual(sorted)
      for (let item = 0; item <= 401; item += 9) {
        const weight = sorted.filter((own) => own < item).reduce((sum, own) => sum + weigh(own), 0)
        expect(tree.weightBefore(item)).toBe(weight)
      }
      for (let start = -3; start < 810; start += 31) {
        const weightBefore = (end: number): number => sorted.slice(0, end).reduce((sum, own) => sum + weigh(own), 0)
        const far = sorted.findIndex((item, i) => 2 * item + weightBefore(i) >= start)
        const place = tree.seek(start)
        expect([itemAt(place), place.weight]).toEqual([sorted[far], weightBefore(far < 0 ? sorted.length : far)])
      }
    }),
    { numRuns: 100 },
  )
})

test('stays sound when it is emptied and filled again', () => {
  // Where each weighs one, a rank is a weight.
  const tree = new CountedTree<number>({ ...ORDER, weight: () => 1, base: () => 0 })
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 10_000; i++) tree.insert((i * 7_919) % 10_000)
    expect([itemAt(tree.seek(4_321)), tree.weightBefore(4_321)]).toEqual([4_321, 4_321])
    for (let i = 0; i < 10_000; i++) tree.delete((i * 104_729) % 10_000)
    expect(tree.isEmpty).toBe(true)
  }
})
