import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { List } from '../layouts/layout.ts'
import { seededRandom } from '../model/seeded-random.ts'
import type { EntrySize } from './entry-size.ts'
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
  const { mean, spread, doubt } = sizes.size(list('42/5'))
  expect(Math.abs(mean - 900)).toBeLessThan(60)
  expect(Math.abs(spread - 900 / Math.sqrt(12))).toBeLessThan(60)
  expect(doubt).toBeCloseTo(spread / Math.sqrt(2_000), 0)
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

/** Mean and mean square of entries, and how many entries' worth they are believed. */
interface Belief {
  readonly mean: number
  readonly square: number
  readonly worth: number
}

/** What is believed after some entries: each of them, and what was believed before, by its worth. */
function afterSeeing(prior: Belief, entries: readonly number[], most = Number.POSITIVE_INFINITY): Belief {
  const worth = prior.worth + entries.length
  const sum = (power: number): number => entries.reduce((total, bytes) => total + bytes ** power, 0)
  return {
    mean: (prior.worth * prior.mean + sum(1)) / worth,
    square: (prior.worth * prior.square + sum(2)) / worth,
    worth: Math.min(most, worth),
  }
}

function sizeOf({ mean, square, worth }: Belief): EntrySize {
  const variance = Math.max(0, square - mean ** 2)
  return { mean, spread: Math.sqrt(variance), doubt: Math.sqrt(variance / worth) }
}

test('a list weighs what was read of it, of its index and of the collection make likely, to half a percent', () => {
  const page = fc.record({
    label: fc.constantFrom('42/5', '42/1'),
    index: fc.constantFrom('byRating', 'all'),
    entries: fc.array(fc.integer({ min: 100, max: 4_000 }), { maxLength: 20 }),
  })
  // The declaration is worth one entry, with a quarter of its mean as its spread; what is wider, ten at most.
  const declared: Belief = { mean: 512, square: 512 ** 2 * (1 + 0.25 ** 2), worth: 1 }
  fc.assert(
    fc.property(fc.array(page, { maxLength: 12 }), (pages) => {
      const sizes = createLearnedSizes(512)
      const seen: { readonly label: string; readonly index: string; readonly bytes: number }[] = []
      /** What a list or an index was believed to weigh when it was read last. */
      const believed = new Map<string, EntrySize>()
      const bytesOf = (label?: string, index?: string): readonly number[] =>
        seen
          .filter((one) => (label ?? one.label) === one.label && (index ?? one.index) === one.index)
          .map(({ bytes }) => bytes)
      const expectNear = (told: EntrySize, exact: EntrySize | undefined): void => {
        const expected = exact ?? sizeOf(declared)
        for (const field of ['mean', 'spread', 'doubt'] as const)
          expect(Math.abs(told[field] - expected[field])).toBeLessThanOrEqual(0.0051 * told.mean)
      }
      for (const { label, index, entries } of pages) {
        const revision = sizes.revision
        const before = [
          sizes.size(list(label, index)),
          sizes.size(list('other', index)),
          sizes.size(list('other', 'other')),
        ]
        learn(sizes, list(label, index), entries)
        if (entries.length === 0) sizes.learn(list(label, index), { entries: 0, bytes: 0, squares: 0 })
        seen.push(...entries.map((bytes) => ({ label, index, bytes })))
        if (entries.length > 0) {
          const ofCollection = afterSeeing(declared, bytesOf(), 10)
          const ofIndex = afterSeeing(ofCollection, bytesOf(undefined, index), 10)
          believed.set('', sizeOf(ofCollection))
          believed.set(index, sizeOf(ofIndex))
          believed.set(`${index} ${label}`, sizeOf(afterSeeing(ofIndex, bytesOf(label, index))))
        }
        const after = [
          sizes.size(list(label, index)),
          sizes.size(list('other', index)),
          sizes.size(list('other', 'other')),
        ]
        if (JSON.stringify(after) !== JSON.stringify(before)) expect(sizes.revision).toBeGreaterThan(revision)
        else if (entries.length === 0) expect(sizes.revision).toBe(revision)
        for (const name of ['byRating', 'all']) {
          for (const each of ['42/5', '42/1', 'other']) {
            const told = sizes.size(list(each, name))
            expectNear(told, believed.get(`${name} ${each}`) ?? believed.get(name) ?? believed.get(''))
            expect(Object.isFrozen(told)).toBe(true)
          }
        }
        expectNear(sizes.size(list('other', 'other')), believed.get(''))
      }
    }),
  )
})

test('the table itself has lists too, which are those of no index', () => {
  const sizes = createLearnedSizes(512)
  const table: List = { ...list('42'), index: undefined }
  learn(sizes, table, draw(500, 1_600))
  learn(sizes, list('42', 'all'), draw(500, 300))
  expect(Math.abs(sizes.size(table).mean - 1_600)).toBeLessThan(100)
  expect(Math.abs(sizes.size({ ...table, label: '7' }).mean - 1_600)).toBeLessThan(100)
})

test('of very many lists those that were read last are remembered', () => {
  const sizes = createLearnedSizes(512)
  const weight = (label: string): number => sizes.size(list(label)).mean
  for (let i = 0; i < 2_000; i++) learn(sizes, list(`${i}`), new Array(20).fill(i < 2 ? 9_000 : 400))
  expect(weight('0')).toBeGreaterThan(2_000)
  learn(sizes, list('0'), [9_000])
  learn(sizes, list('2000'), [400])
  expect([weight('0') > 2_000, weight('1') > 2_000]).toEqual([true, false])
})
