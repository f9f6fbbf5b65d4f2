import { expect, test } from 'vitest'
import { pathSegment } from './links.ts'
import { type Bindings, requestTarget, requireDecodable } from './request-target.ts'

const sent = (url: string): Bindings => ({ incoming: { url } }) as unknown as Bindings
const request = new Request('http://localhost/from-url?a=1')

test('the path is what was sent, not what a URL makes of it', () => {
  expect(requestTarget(request, sent('/comments/%2E%2E?x=%2F#y'))).toEqual({ path: '/comments/%2E%2E', query: 'x=%2F' })
  expect(requestTarget(request, undefined)).toEqual({ path: '/from-url', query: 'a=1' })
})

test('plain dot segments are resolved, as every client does', () => {
  expect(requestTarget(new Request('http://localhost/a/../b'), sent('/a/../b')).path).toBe('/b')
})

test.each(['/%', '/%G0', '/%FF', '/a?b=%C3'])('%s is refused', (target) => {
  expect(() => requireDecodable(requestTarget(request, sent(target)))).toThrow(/percent-encoded/)
})

test.each(['a/b', '..', '.', '%2F', '~', '#?&', '😀 '])('the segment of %s is decoded to it', (value) => {
  const segment = pathSegment(value)
  expect(decodeURIComponent(segment)).toBe(value)
  expect(requestTarget(request, sent(`/comments/${segment}`)).path).toBe(`/comments/${segment}`)
})
