import type { Page } from 'lapidary'
import { expect, test } from 'vitest'
import { parseListParameters } from '../list-parameters.ts'
import { EmptyList } from './empty-list.tsx'

function shown(search: string, page: { readonly number: number | null; readonly count: number | null }): string {
  const parameters = parseListParameters(new URLSearchParams(search))
  const numbers = { size: 20, total: null, ...page }
  return String(
    EmptyList({
      productId: '42',
      parameters,
      page: { items: [] as unknown[], page: numbers } as unknown as Page<unknown>,
      relaxations: [],
    }),
  )
}

test.each([
  ['', { number: 1, count: 0 }, 'No comments yet'],
  ['page=3', { number: 3, count: 0 }, 'No comments yet'],
  ['page=3', { number: 3, count: null }, 'There are no comments on this page.'],
  ['page=3&rating=5', { number: 3, count: null }, 'There are no comments on this page.'],
  ['page=3&rating=5', { number: 3, count: 0 }, 'No comment passes all of these filters.'],
  ['cursor=x', { number: null, count: 2 }, 'There are no comments on this page.'],
  ['page=3&rating=5', { number: 3, count: 2 }, 'There are 2 pages.'],
  ['page=3', { number: 3, count: 1 }, 'There is only 1 page.'],
])('an empty list at ?%s of %j says: %s', (search, page, title) => {
  expect(shown(search, page)).toContain(title)
})
