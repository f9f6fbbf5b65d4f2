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

test('sizes are learned from every page, also from the last', () => {
  const experience = createExperience(512)
  for (let i = 0; i < 50; i++) experience.learn([{ list: list('42/5'), observed: observed(20) }], 'start', undefined)
  expect(experience.sizes.size(list('42/5')).mean).toBeCloseTo(540, 0)
})

test('memory is bounded', () => {
  const experience = createExperience(512)
  for (let i = 0; i < 2_001; i++)
    experience.learn([{ list: list('42/5'), observed: observed(1) }], 'start', `place ${i}`)
  expect(experience.recentAt('place 0')).toBeUndefined()
  expect(experience.recentAt('place 2000')).toBeDefined()
})
