import { expect, test } from 'vitest'
import type { List } from '../layouts/layout.ts'
import { createExperience, type SourceObservation } from './experience.ts'

const list = (label: string): List => ({ index: 'byRating', label, partition: label, prefix: '', holds: {} })
const observed = (given: number, ahead = 0): SourceObservation => {
  const read = given + ahead
  return { entries: read, bytes: read * 540, squares: read * 540 ** 2, read, given, ahead }
}

test('what a page gave is known where it ended, and only there', () => {
  const experience = createExperience(512)
  experience.learn([{ list: list('42/5'), observed: observed(17, 3) }], 'start', 'page 2')
  expect(experience.recentAt('page 2')?.(list('42/5'))).toEqual({ given: 20, passed: 20, read: 20, ahead: 3 })
  expect(experience.recentAt('page 2')?.(list('42/4'))).toBeUndefined()
  expect(experience.recentAt('page 2')?.({ ...list('42/5'), index: 'all' })).toBeUndefined()
  expect(experience.recentAt('start')).toBeUndefined()
})

test('pages before count the less the longer ago they were', () => {
  const experience = createExperience(512)
  const pages = ['start', 'page 2', 'page 3', 'page 4'].entries()
  for (const [i, page] of pages) {
    experience.learn([{ list: list('42/5'), observed: observed(i === 0 ? 20 : 0) }], page, `page ${i + 2}`)
  }
  expect(experience.recentAt('page 2')?.(list('42/5'))?.given).toBe(20)
  expect(experience.recentAt('page 5')?.(list('42/5'))?.given).toBeCloseTo(20 * 0.6 ** 3, 9)
})

test('what was seen of a list lately is what each page saw of it, given with what certainly follows', () => {
  const experience = createExperience(512)
  const pages = [
    { entries: 8, bytes: 0, squares: 0, read: 20, given: 5, ahead: 2 },
    { entries: 4, bytes: 0, squares: 0, read: 30, given: 7, ahead: 1 },
  ]
  for (const [i, seen] of pages.entries())
    experience.learn([{ list: list('42/5'), observed: seen }], `page ${i}`, `page ${i + 1}`)
  expect(experience.recentAt('page 2')?.(list('42/5'))).toEqual({
    ...{ given: 0.6 * (5 + 2) + 7 + 1, passed: 0.6 * 8 + 4, read: 0.6 * 20 + 30, ahead: 1 },
  })
})

test('sizes are learned from every page, also from the last', () => {
  const experience = createExperience(512)
  for (let i = 0; i < 50; i++) experience.learn([{ list: list('42/5'), observed: observed(20) }], 'start', undefined)
  expect(experience.sizes.size(list('42/5')).mean).toBeCloseTo(540, 0)
})

test('the last page, which nothing follows, takes no place', () => {
  const experience = createExperience(512)
  const seen = [{ list: list('42/5'), observed: observed(1) }]
  for (let i = 0; i < 2_000; i++) experience.learn(seen, 'start', `place ${i}`)
  experience.learn(seen, 'start', undefined)
  expect(experience.recentAt('place 0')).toBeDefined()
})

test('memory is bounded', () => {
  const experience = createExperience(512)
  for (let i = 0; i < 2_001; i++)
    experience.learn([{ list: list('42/5'), observed: observed(1) }], 'start', `place ${i}`)
  expect(experience.recentAt('place 0')).toBeUndefined()
  expect(experience.recentAt('place 1')).toBeDefined()
  // A place where a page ended again is the last to be forgotten.
  experience.learn([{ list: list('42/5'), observed: observed(1) }], 'start', 'place 1')
  experience.learn([{ list: list('42/5'), observed: observed(1) }], 'start', 'place 2001')
  expect(['place 1', 'place 2'].map((place) => experience.recentAt(place) !== undefined)).toEqual([true, false])
})
