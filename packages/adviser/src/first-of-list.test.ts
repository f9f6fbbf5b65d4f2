import { seededRandom } from 'lapidary/internal'
import { expect, test } from 'vitest'
import { firstBySample, firstByShares } from './first-of-list.ts'

const weights = Array.from({ length: 20 }, (_, i) => 1 / (i + 1))
const all = weights.reduce((sum, each) => sum + each, 0)
const shares = weights.flatMap((each) => [(0.2 * each) / all, (0.8 * each) / all])

function sampleOf(size: number, random: () => number): readonly number[] {
  const seen = shares.map(() => 0)
  for (let i = 0; i < size; i++) {
    let [at, left] = [0, random()]
    for (; at < shares.length - 1 && left >= (shares[at] ?? 0); at++) left -= shares[at] ?? 0
    seen[at] = (seen[at] ?? 0) + 1
  }
  return seen.filter((times) => times > 0)
}

test('samples say on average how likely an item is the first with its values, also with values that they lack', () => {
  const random = seededRandom(7)
  const samples = Array.from({ length: 400 }, () => firstBySample(sampleOf(100, random)))
  for (const items of [0, 30, 54, 99, 100, 114, 174]) {
    const mean = samples.reduce((sum, chance) => sum + chance(items), 0) / samples.length
    expect(Math.abs(mean / firstByShares(shares)(items) - 1), `after ${items} items`).toBeLessThan(0.08)
  }
})

test('of a sample in which every combination is there often, no item is the first', () => {
  const chance = firstBySample([50, 50])
  expect(chance(0)).toBe(1)
  expect(chance(40)).toBeLessThan(1e-9)
  expect(chance(1_000)).toBe(0)
})

test('a sample of one item, or of items that are all unlike, knows of no two that are alike', () => {
  expect(firstBySample([1])(10)).toBe(1)
  expect(firstBySample([1, 1, 1])(10)).toBe(1)
})
