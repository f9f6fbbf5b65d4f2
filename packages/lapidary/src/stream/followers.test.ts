import { expect, test } from 'vitest'
import type { CopyProjection } from '../derived/copy-projection.ts'
import type { Projection } from '../derived/projection.ts'
import { apartOf, countedOf } from './followers.ts'

const copy = (name: string, apart?: string): CopyProjection => ({
  name,
  ...(apart === undefined ? {} : { apart }),
  concerns: () => true,
  apply: async () => {},
})
const projections = [{ name: 'counts' } as Projection]

test('the runner that counts takes all but the stores that follow the stream by themselves, of which each has its own', () => {
  const copies = [copy('cache'), copy('pages', 'files'), copy('more pages', 'files'), copy('other pages', 's3')]
  const [cache, pages, more, other] = copies
  expect(countedOf({ projections, copies })).toEqual({ projections, copies: [cache] })
  expect(apartOf({ projections, copies })).toEqual([
    { projections: [], copies: [pages, more], follower: 'files' },
    { projections: [], copies: [other], follower: 's3' },
  ])
})

test('without copies there is one runner', () => {
  expect(countedOf({ projections })).toEqual({ projections, copies: [] })
  expect(apartOf({ projections })).toEqual([])
})
