import { expect, test } from 'vitest'
import {
  entityTag,
  matchedVersions,
  namesTag,
  namesVersion,
  parseTagCondition,
  type TagCondition,
} from './entity-tags.ts'

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

test('a write goes by the version of a tag, whatever is beside it; a reader by the whole tag', () => {
  const parsed = (header: string) => parseTagCondition('If-None-Match', header) as TagCondition
  for (const header of ['*', '"1"', 'W/"1"', '"9", "1.1"', '"1.2"', 'W/"1.1"'])
    expect([1, 2].map((version) => namesVersion(parsed(header), version))).toEqual([true, header === '*'])
  for (const header of ['""', '"11"', '"1."', '"1.1.1"', '"01"', '"0"', '"2.1"', '"x"'])
    expect(namesVersion(parsed(header), 1)).toBe(false)
  expect(namesTag(parsed('"1", "1.2"'), entityTag(1, 1))).toBe(false)
  expect(namesTag(parsed('W/"1.1"'), entityTag(1, 1))).toBe(true)
})
