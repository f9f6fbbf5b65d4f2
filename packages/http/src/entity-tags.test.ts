import { expect, test } from 'vitest'
import { matchedVersions, namesTag, parseTagCondition } from './entity-tags.ts'

test.each([
  ['"3"', [['3', false]]],
  [' "x,y" ', [['x,y', false]]],
  [
    '"1", W/"2,3" ,"4"',
    [
      ['1', false],
      ['2,3', true],
      ['4', false],
    ],
  ],
  [
    '"1","2"',
    [
      ['1', false],
      ['2', false],
    ],
  ],
  [
    ',, "1",, "2",',
    [
      ['1', false],
      ['2', false],
    ],
  ],
  ['""', [['', false]]],
  ['"\xe9"', [['\xe9', false]]],
] as const)('%j is a list of tags', (header, expected) => {
  const tags = parseTagCondition('If-Match', header)
  expect(tags).toEqual(expected.map(([value, weak]) => ({ value, weak })))
})

test.each(['', ' ', ',', '3', '"3', '3"', '"1" "2"', '"1"x', '"1", *', '*, "1"', 'w/"1"', 'W/ "1"', '"a b"', '"a"b"'])(
  '%j is refused',
  (header) => {
    expect(() => parseTagCondition('If-Match', header)).toThrow(/must be \* or a list of quoted tags/)
  },
)

test('a comma inside of quotes makes no versions', () => {
  const condition = parseTagCondition('If-Match', '"1,2", W/"3", "4"')
  if (condition === undefined || condition === '*') throw new Error('no list')
  expect(matchedVersions(condition)).toEqual([4])
  expect([1, 2, 3, 4].map((version) => namesTag(condition, `"${version}"`))).toEqual([false, false, true, true])
})
