import { expect, test } from 'vitest'
import type { CopyProjection } from '../derived/copy-projection.ts'
import type { SumProjection } from '../derived/sum-projection.ts'
import { apartOf, countedOf } from './followers.ts'

const copy = (name: string, apart?: string): CopyProjection => ({
  ...{ name, collection: 'X', isItem: () => true, apply: async () => {} },
  ...(apart === undefined ? {} : { apart }),
})
const counts = { name: 'counts', contributions: () => [] } as unknown as SumProjection

test('the runner that counts takes all but the stores that follow the stream by themselves, of which each has its own', () => {
  const copies = [copy('cache'), copy('pages', 'files'), copy('more pages', 'files'), copy('other pages', 's3')]
  const [cache, pages, more, other] = copies
  expect(countedOf([counts, ...copies])).toEqual([counts, cache])
  expect(apartOf([counts, ...copies])).toEqual([
    { projections: [pages, more], follower: 'files' },
    { projections: [other], follower: 's3' },
  ])
})

test('without copies there is one runner', () => {
  expect(countedOf([counts])).toEqual([counts])
  expect(apartOf([counts])).toEqual([])
})
