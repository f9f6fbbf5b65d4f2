import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, test } from 'vitest'
import { type MappingFlags, mappingOf } from './mapping.ts'

const folder = mkdtempSync(join(tmpdir(), 'lapidary-mapping-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const of = (flags: Partial<MappingFlags>) => mappingOf({ set: [], default: [], ...flags })
const columnsOf = (map: string) => Object.fromEntries(of({ map }).columns)

const EXPECTED = { rating: 'Review Score', text: 'Review Content, long', createdAt: 'Date' }

test.each([
  ['pairs', 'rating=Review Score,text="Review Content, long", createdAt = Date'],
  ['lines', '# of the shop\nrating=Review Score\n\ntext="Review Content, long"\r\ncreatedAt=Date\n'],
  ['JSON', JSON.stringify(EXPECTED)],
])('columns are read from %s, also in a file', (kind, text) => {
  const file = join(folder, kind)
  writeFileSync(file, `\ufeff${text}`)
  expect(columnsOf(file)).toEqual(EXPECTED)
  if (kind !== 'JSON') expect(columnsOf(text)).toEqual(EXPECTED)
})

test('a column may have quotes, brackets and = in its name', () => {
  expect(columnsOf('a=Review Created (UTC, local),b="say ""x""",c=x=y')).toEqual({
    a: 'Review Created (UTC, local)',
    b: 'say "x"',
    c: 'x=y',
  })
})

test('an id of columns is asked for in either way', () => {
  expect(of({ map: 'rating=Score,id=hash(author, createdAt,text)' })).toMatchObject({
    id: ['author', 'createdAt', 'text'],
    columns: new Map([['rating', 'Score']]),
  })
  expect(of({ id: 'hash(a)' }).id).toEqual(['a'])
})

describe('wrong usage', () => {
  it.each<[string, Partial<MappingFlags>, string]>([
    ['a map without =', { map: join(folder, 'nowhere') }, "can't be read"],
    ['a pair without a column', { map: 'rating=' }, 'is not attribute=Column'],
    ['a pair without an attribute', { map: '=Score' }, 'is not attribute=Column'],
    ['an attribute twice', { map: 'a=B,a=C' }, '--map names a twice'],
    ['a value without =', { set: ['language'] }, '--set "language" is not attribute=value'],
    ['a value twice', { set: ['a=1', 'a=2'] }, '--set names a twice'],
    ['a column and a value', { map: 'a=B', set: ['a=1'] }, 'a has a column in --map and a value in --set'],
    ['an unknown preset', { preset: 'toString' }, 'there is no preset "toString"; there are woocommerce, judgeme'],
    ['an id that is no hash', { id: 'author' }, "--id 'hash(author,createdAt,text)'"],
    ['a hash of nothing', { id: 'hash()' }, "--id 'hash(author,createdAt,text)'"],
    ['two ids', { id: 'hash(a)', map: 'id=hash(b)' }, '--map and --id both make the id'],
  ])('is %s', (_, flags, message) => {
    expect(() => of(flags)).toThrow(message)
    expect(() => of(flags)).toThrow(expect.objectContaining({ name: 'UsageError' }))
  })

  it('is a file of JSON that names no column', () => {
    const file = join(folder, 'wrong')
    writeFileSync(file, '{"rating": 5}')
    expect(() => of({ map: file })).toThrow('--map has "rating" without the name of a column')
    writeFileSync(file, '{"rating": ')
    expect(() => of({ map: file })).toThrow('is no JSON')
  })
})
