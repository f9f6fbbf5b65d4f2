import { expect, test } from 'vitest'
import { productPath } from './links.ts'

const inBrowser = (path: string): string => new URL(path, 'http://localhost').pathname

test.each(['42', 'a/b', '?', '#', '%2F', '😀', '...'])('a browser sends the path of product %j as it is', (id) => {
  const path = `${productPath(id)}/comments`
  expect(inBrowser(path)).toBe(path)
  expect(decodeURIComponent(path)).toBe(`/p/${id}/comments`)
})

test('a browser resolves the ids . and .. away, and then meets no other product', () => {
  expect(productPath('..')).toBe('/p/%2E%2E')
  expect(['.', '..'].map((id) => inBrowser(`${productPath(id)}/comments`))).toEqual(['/p/comments', '/comments'])
})
