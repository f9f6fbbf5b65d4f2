import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { collect } from '../../../test/collect.ts'
import { defineCollection } from '../../model/collection.ts'
import { anyOf, oneOf } from '../../model/facet.ts'
import type { ImportRecord } from '../import-record.ts'
import { csvRows } from './csv-rows.ts'

const collection = defineCollection({
  name: 'COMMENT',
  schema: z.object({
    id: z.string(),
    p: z.string(),
    lang: z.string(),
    stars: z.int(),
    at: z.string(),
    text: z.string(),
  }),
  id: 'id',
  scope: { name: 'PRODUCT', attribute: 'p' },
  order: 'at',
  facets: { lang: oneOf(), stars: anyOf([1, 2, 3]) },
  attributes: { id: 'i', p: 'p', lang: 'l', stars: 'r', at: 'a', text: 'x' },
})

async function* chunks(content: string | Buffer): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(content)
  for (let at = 0; at < bytes.length; at += 5) yield bytes.subarray(at, at + 5)
}

function rows(content: string | Buffer, after = 0): Promise<ImportRecord[]> {
  return collect(csvRows(collection, chunks(content), after))
}

describe('the cells of a row', () => {
  it.each([
    ['a,b,c', ['a', 'b', 'c']],
    ['a,,', ['a', undefined, undefined]],
    ['a,"",', ['a', '', undefined]],
    ['"a,b","say ""hi""",', ['a,b', 'say "hi"', undefined]],
    ['5\' 3" tall,b,"""a"""', ['5\' 3" tall', 'b', '"a"']],
    ['"a\nb",c,5" long', ['a\nb', 'c', '5" long']],
    ['"a\r\nb",c,d\r', ['a\r\nb', 'c', 'd']],
    [' "a" ,b,c', [' "a" ', 'b', 'c']],
  ])('%j', async (text, cells) => {
    const [record] = await rows(`p,lang,stars\n${text}\n`)
    expect(Object.values(record?.value ?? {})).toEqual(cells)
  })

  it.each(['"a"b,c,d', 'a,"b,c', 'a,b,"c"d', '"a" ,b,c'])('%j is refused', async (text) => {
    const [record] = await rows(`p,lang,stars\n${text}\n`)
    expect(record).toMatchObject({ line: 2, problem: expect.stringContaining('has a quote'), raw: Buffer.from(text) })
  })
})

describe('a header', () => {
  const of = (schema: z.ZodType) =>
    defineCollection({
      name: 'COMMENT',
      schema: schema as z.ZodType<{ id: string; p: string; stars: number; at: string }>,
      id: 'id',
      scope: { name: 'PRODUCT', attribute: 'p' },
      order: 'at',
      facets: { stars: anyOf([1, 2, 3]) },
      attributes: { id: 'i', p: 'p', stars: 'r', at: 'a' },
    })
  const base = { id: z.string(), p: z.string(), at: z.string() }
  const renamed = z.object({ ...base, Score: z.int() }).transform(({ Score, ...rest }) => ({ ...rest, stars: Score }))

  it.each([
    ['a default', z.object({ ...base, stars: z.int().default(3) }), 'id,p,at'],
    ['a transform to other names', renamed, 'id,p,at,Score'],
  ])('may lack what the schema makes: %s', async (_, schema, header) => {
    const records = await collect(csvRows(of(schema), chunks(`${header}\n1,7,2024,2\n`)))
    expect(records).toHaveLength(1)
  })

  it('may lack nothing else, and has nothing that the schema does not know', async () => {
    const read = (header: string) => collect(csvRows(of(renamed), chunks(`${header}\n`)))
    await expect(read('id,Score,at')).rejects.toThrow('does not name p')
    await expect(read('id,p,at,Score,Colour')).rejects.toThrow('names "Colour"')
  })
})

describe('CSV rows', () => {
  it('are texts under the names of the header, numbered by their first line', async () => {
    const records = await rows('\ufeffp,lang,stars,text\r\n42,en,3,"one\r\ntwo"\r\n\r\n7,de,1,x')
    expect(records.map(({ line, value }) => [line, value])).toEqual([
      [2, { p: '42', lang: 'en', stars: '3', text: 'one\r\ntwo' }],
      [5, { p: '7', lang: 'de', stars: '1', text: 'x' }],
    ])
  })

  it('are refused where a column would be lost', async () => {
    await expect(rows('p,lang,stars,__proto__\n1,en,1,x\n')).rejects.toThrow(
      'the header names __proto__, which SDKs lose',
    )
  })

  it('lose only the line whose quote is never closed', async () => {
    const records = await rows(
      'p,lang,stars,text\n1,en,1,"open\n2,en,2,fine\n3,en,3,"also fine"\n4,en,1,"to the end\n5,en,1,x\n',
    )
    expect(records.map(({ line, problem, value }) => [line, problem ?? (value as { p: string }).p])).toEqual([
      [2, expect.stringContaining('quote')],
      [3, '2'],
      [4, '3'],
      [5, expect.stringContaining('quote')],
      [6, '5'],
    ])
    expect(records[0]?.raw?.toString()).toBe('1,en,1,"open')
  })

  it('say how many fields are too many or too few', async () => {
    const [record] = await rows('p,lang,stars\n1,en\n')
    expect(record?.problem).toBe('has 2 fields; the header names 3')
  })

  it('refuse broken UTF-8 line by line', async () => {
    const records = await rows(
      Buffer.concat([Buffer.from('p,lang,stars\n1,'), Buffer.from([0xe4]), Buffer.from(',1\n2,en,2\n')]),
    )
    expect(records.map(({ problem }) => problem)).toEqual(['is not UTF-8', undefined])
  })

  it.each([
    ['', 'is empty'],
    ['p,lang\n', 'does not name stars'],
    ['p,lang,stars,colour\n', '"colour"'],
    ['p,lang,stars,p\n', '"p" twice'],
  ])('refuse the header of %j', async (content, message) => {
    await expect(rows(content)).rejects.toThrow(message)
  })
})
