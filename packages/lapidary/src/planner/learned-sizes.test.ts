import { seededRandom } from 'lapidary/testing'
import { expect, test } from 'vitest'
import type { List } from '../layouts/layout.ts'
import { createLearnedSizes, type LearnedSizes } from './learned-sizes.ts'

const list = (label: string, index = 'byRating'): List => ({ index, label, partition: label, prefix: '', holds: {} })

function learn(sizes: LearnedSizes, of: List, drawn: readonly number[]): void {
  for (let i = 0; i < drawn.length; i += 20) {
    const page = drawn.slice(i, i + 20)
    const sum = (power: number): number => page.reduce((total, bytes) => total + bytes ** power, 0)
    sizes.learn(of, { entries: page.length, bytes: sum(1), squares: sum(2) })
  }
}

/** Of a uniform distribution from half the mean to one and a half. */
function draw(count: number, mean: number, seed = 1): number[] {
  const random = seededRandom(seed)
  return Array.from({ length: count }, () => mean * (0.5 + random()))
}

test('without reads, the declaration, with a spread that leaves room', () => {
  const { mean, spread, doubt } = createLearnedSizes(512).size(list('42/5'))
  expect(mean).toBe(512)
  expect(spread).toBeGreaterThan(0)
  expect(doubt).toBeGreaterThan(0)
})

test('mean and spread are those of what was read, soon', () => {
  const sizes = createLearnedSizes(512)
  learn(sizes, list('42/5'), draw(20, 1_600))
  expect(Math.abs(sizes.size(list('42/5')).mean - 1_600)).toBeLessThan(250)
  learn(sizes, list('42/5'), draw(1_000, 1_600))
  const { mean, spread, doubt } = sizes.size(list('42/5'))
  expect(Math.abs(mean - 1_600)).toBeLessThan(50)
  expect(Math.abs(spread - 1_600 / Math.sqrt(12))).toBeLessThan(50)
  expect(doubt).toBeLessThan(50)
})

test('entries of one size are known to be of one size', () => {
  const sizes = createLearnedSizes(512)
  learn(sizes, list('42/5'), new Array<number>(1_000).fill(540))
  const { mean, spread } = sizes.size(list('42/5'))
  expect(Math.abs(mean - 540)).toBeLessThan(1)
  expect(spread).toBeLessThan(10)
})

test('a list that was not read is taken to be as others of its index, an index as others of the collection', () => {
  const sizes = createLearnedSizes(512)
  learn(sizes, list('42/5'), draw(500, 1_600))
  expect(Math.abs(sizes.size(list('7/5')).mean - 1_600)).toBeLessThan(100)
  learn(sizes, list('7/1', 'byLanguage'), draw(500, 400))
  expect(Math.abs(sizes.size(list('42/5')).mean - 1_600)).toBeLessThan(100)
  expect(Math.abs(sizes.size(list('7', 'all')).mean - 1_000)).toBeLessThan(100)
})

test('lists of one index differ', () => {
  const sizes = createLearnedSizes(512)
  learn(sizes, list('42/5'), draw(500, 300))
  learn(sizes, list('42/1'), draw(500, 2_000))
  expect(Math.abs(sizes.size(list('42/5')).mean - 300)).toBeLessThan(60)
  expect(Math.abs(sizes.size(list('42/1')).mean - 2_000)).toBeLessThan(120)
})

test('what was long ago is forgotten', () => {
  const sizes = createLearnedSizes(512)
  learn(sizes, list('42/5'), draw(20_000, 300))
  learn(sizes, list('42/5'), draw(6_000, 900))
  expect(Math.abs(sizes.size(list('42/5')).mean - 900)).toBeLessThan(60)
})

test('a counted mean is exact; only the spread is learned', () => {
  const sizes = createLearnedSizes(512)
  learn(sizes, list('42/5'), draw(1_000, 400))
  const { mean, spread, doubt } = sizes.size(list('42/5'), 800)
  expect([mean, doubt]).toEqual([800, 0])
  expect(Math.abs(spread - 800 / Math.sqrt(12))).toBeLessThan(30)
})

test('what plans would not notice leaves them as they are', () => {
  const sizes = createLearnedSizes(512)
  learn(sizes, list('42/5'), draw(4_000, 800))
  const [before, size] = [sizes.revision, sizes.size(list('42/5'))]
  sizes.learn(list('42/5'), { entries: 1, bytes: 801, squares: 801 ** 2 })
  expect(sizes.revision).toBe(before)
  expect(sizes.size(list('42/5'))).toBe(size)
})

test('memory is bounded', () => {
  const sizes = createLearnedSizes(512)
  learn(sizes, list('first'), draw(100, 2_000))
  for (let i = 0; i < 2_500; i++) learn(sizes, list(`${i}/5`), draw(20, 400, i))
  // Forgotten, and taken to be as the others.
  expect(sizes.size(list('first')).mean).toBeLessThan(600)
})
