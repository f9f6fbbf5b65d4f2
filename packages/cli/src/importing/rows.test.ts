import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import iconv from 'iconv-lite'
import { afterAll, describe, expect, it } from 'vitest'
import { ZipFile } from 'yazl'
import { knownEncoding } from './decoded.ts'
import { decompressed } from './decompressed.ts'
import { type FileOptions, openRows, type Row } from './rows.ts'

const folder = mkdtempSync(join(tmpdir(), 'lapidary-rows-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield Buffer.from(bytes.subarray(at, at + size))
}

async function rowsOf(bytes: Buffer, options: FileOptions = {}, name?: string, size = 65_536): Promise<Row[]> {
  const file = await decompressed({ name, path: undefined, chunks: chunksOf(bytes, size) })
  const rows: Row[] = []
  try {
    for await (const row of (await openRows(file, options)).rows) rows.push(row)
  } finally {
    await file.close()
  }
  return rows
}

function zipped(bytes: Buffer, name: string, more: readonly string[] = []): Promise<Buffer> {
  const zip = new ZipFile()
  zip.addBuffer(bytes, name)
  for (const each of more) zip.addBuffer(Buffer.from('x'), each)
  zip.end()
  return buffer(zip.outputStream as NodeJS.ReadableStream)
}

const COLUMNS = ['id', 'Title, long', 'text']
/** Characters that all of the encodings have, beside those that formats are made of. */
const UNITS = ['"', "'", ',', ';', '\t', '|', '\n', '\r\n', ' ', 'a', '5', '\\', '{', '[']
const cellsOf = (more: readonly string[]) => fc.string({ unit: fc.constantFrom(...UNITS, ...more) })
const tableOf = (more: readonly string[]) =>
  fc.array(fc.array(cellsOf(more), { minLength: COLUMNS.length, maxLength: COLUMNS.length }), { minLength: 1 })

interface Written {
  readonly text: string
  readonly options: FileOptions
}

const csv =
  (delimiter: string, quoted: boolean) =>
  (table: readonly string[][]): Written => ({
    text: stringify([COLUMNS, ...table], { delimiter, quoted, quoted_match: /[\r\n]/ }),
    // A header of two columns or more says what is between them.
    options: {},
  })
const asObjects = (table: readonly string[][]) =>
  table.map((cells) => Object.fromEntries(COLUMNS.map((column, i) => [column, cells[i]])))

const WRITERS = fc.constantFrom(
  ...[',', ';', '\t', '|'].flatMap((delimiter) => [csv(delimiter, true), csv(delimiter, false)]),
  (table: readonly string[][]): Written => ({
    text: stringify([COLUMNS, ...table], { delimiter: '§', quoted: true }),
    options: { separator: '§' },
  }),
  (table: readonly string[][]): Written => ({
    text: asObjects(table)
      .map((row) => `${JSON.stringify(row)}\n`)
      .join(''),
    options: {},
  }),
  (table: readonly string[][]): Written => ({ text: JSON.stringify(asObjects(table), undefined, 1), options: {} }),
)

/** An encoding, whether its file has to say so, and letters of it. */
const ENCODINGS = fc.constantFrom(
  { name: 'utf-8', mark: '', isAsked: false, letters: ['é', '日', '😀', '§', '\ufeff'] },
  { name: 'utf-8', mark: '\ufeff', isAsked: false, letters: ['é', '日', '😀', '§', '\ufffd'] },
  { name: 'utf-16le', mark: '\ufeff', isAsked: false, letters: ['é', '日', '😀', '§', '\ufffd'] },
  { name: 'utf-16be', mark: '\ufeff', isAsked: false, letters: ['é', '日', '😀', '§', '\u0a0d'] },
  { name: 'utf-16le', mark: '', isAsked: true, letters: ['é', '日', '😀', '§', '\u0d0a'] },
  { name: 'utf-16be', mark: '', isAsked: true, letters: ['é', '日', '😀', '§'] },
  { name: 'windows-1252', mark: '', isAsked: true, letters: ['é', '€', 'ß', '§', '“'] },
  { name: 'iso-8859-15', mark: '', isAsked: true, letters: ['é', '€', 'ß', '§'] },
  { name: 'windows-1251', mark: '', isAsked: true, letters: ['ж', 'Я', '§'] },
  { name: 'shift_jis', mark: '', isAsked: true, letters: ['日', 'ー', 'ソ', '§'] },
  { name: 'gb18030', mark: '', isAsked: true, letters: ['日', '中', '😀', '§'] },
  { name: 'euc-kr', mark: '', isAsked: true, letters: ['한', '글', '§'] },
)

const PACKINGS = fc.constantFrom<(bytes: Buffer) => Buffer | Promise<Buffer>>(
  (bytes) => bytes,
  (bytes) => bytes,
  (bytes) => gzipSync(bytes),
  (bytes) => zipped(bytes, 'export'),
)

describe('the rows of a file', () => {
  it('are any table of awkward texts, in each format, separator, encoding and packing', async () => {
    await fc.assert(
      fc.asyncProperty(
        ENCODINGS.chain((encoding) => fc.tuple(fc.constant(encoding), tableOf(encoding.letters))),
        WRITERS,
        PACKINGS,
        fc.integer({ min: 1, max: 400 }),
        async ([{ name, mark, isAsked }, table], write, pack, size) => {
          const { text, options } = write(table)
          const bytes = iconv.encode(mark + text, name, { addBOM: false })
          const asked = { ...options, ...(isAsked ? { encoding: knownEncoding(name) } : {}) }
          const rows = await rowsOf(await pack(bytes), asked, undefined, size)
          const isJson = rows.some(({ value }) => typeof value === 'object') && /^\s*[[{]/.test(text)
          // An empty cell without quotes is no value.
          const read = rows.map(({ value, problem }) => problem ?? Object.values(value ?? {}).map((cell) => cell ?? ''))
          expect(isJson ? read : read).toEqual(table)
        },
      ),
      { numRuns: 400 },
    )
  })

  it.each<[string, (i: number) => string, (text: string) => Buffer]>([
    ['csv', (i) => (i === 0 ? 'a,b\n' : `${i},"x\ny"\n`), (text) => Buffer.from(text)],
    ['tsv in UTF-16', (i) => (i === 0 ? '\ufeffa\tb\n' : `${i}\tx\n`), (text) => Buffer.from(text, 'utf16le')],
    ['jsonl', (i) => `{"a":${i}}\n`, (text) => Buffer.from(text)],
    ['json', (i) => `${i === 0 ? '[' : ','}{"a":${i}}`, (text) => Buffer.from(text)],
    ['gzip of jsonl', (i) => `{"a":${i}}\n`, (text) => gzipSync(text)],
  ])('are read from a file without end as they are asked for, and never held: %s', async (_, piece, encode) => {
    let given = 0
    const chunks = (async function* () {
      for (let i = 0; ; i += 1_000) {
        const text = Array.from({ length: 1_000 }, (_, j) => piece(i + j)).join('')
        given += text.length
        yield encode(text)
      }
    })()
    const file = await decompressed({ name: undefined, path: undefined, chunks })
    let [taken, most] = [0, 0]
    for await (const { value, raw } of (await openRows(file, {})).rows) {
      expect(value).toBeDefined()
      taken += (raw?.length ?? 0) + 1
      most = Math.max(most, given - taken)
      if (taken > 1_000_000) break
    }
    await file.close()
    // What was looked at to know the file, and what is parsed or unpacked together.
    expect(most).toBeLessThan(700_000)
  })

  it('have the numbers of their lines, whatever format they are in', async () => {
    const numbers = async (text: string, name: string): Promise<unknown> =>
      (await rowsOf(Buffer.from(text), {}, name, 5)).map(({ number, line }) => [number, line])
    expect(await numbers('a,b\n1,"x\ny"\n\n2,z\n', 'a.csv')).toEqual([
      [2, 2],
      [5, 5],
    ])
    expect(await numbers('{"a":1}\n\n{"a":2}', 'a.jsonl')).toEqual([
      [1, 1],
      [3, 3],
    ])
    expect(await numbers('[{"a":1},\n\n{"a":2},{"a":3}]', 'a.json')).toEqual([
      [1, 1],
      [2, 3],
      [3, 3],
    ])
  })

  it('may end with CR alone, as on an old Macintosh', async () => {
    const rows = await rowsOf(Buffer.from('a,b\r1,"x\ry"\r2,z\r'), {}, undefined, 3)
    expect(rows.map(({ line, value }) => [line, value])).toEqual([
      [2, { a: '1', b: 'x\ny' }],
      [4, { a: '2', b: 'z' }],
    ])
  })

  it('are known by their name and by what is in the file', async () => {
    const formatOf = async (text: string, name?: string): Promise<string> => {
      const file = await decompressed({ name, path: undefined, chunks: chunksOf(Buffer.from(text), 9) })
      return (await openRows(file, {})).format
    }
    expect(await formatOf('a,b\n1,2')).toBe('csv')
    expect(await formatOf('a\tb\n1\t2')).toBe('tsv')
    expect(await formatOf('a\tb\n1\t2', 'a.txt')).toBe('tsv')
    expect(await formatOf('a\n1', 'a.csv')).toBe('csv')
    expect(await formatOf('{"a":1}\n{"a":2}', 'a.txt')).toBe('jsonl')
    expect(await formatOf('{"a":[{"b":1}]}\n{"a":[]}', 'a.json')).toBe('jsonl')
    expect(await formatOf('{"a":[{"b":1}]}')).toBe('jsonl')
    expect(await formatOf('{"a":[{"b":1}]}\n', 'a.json')).toBe('json')
    expect(await formatOf('{\n"links": {},\n"data": [\n{"b":1}]}\n', 'a.json')).toBe('json')
    expect(await formatOf(' [ {"a":1} ]')).toBe('json')
    expect(await formatOf('[]\n')).toBe('json')
    expect(await formatOf('nope')).toBe('jsonl')
    expect(await formatOf('"a;b";"c,d";e')).toBe('csv')
    expect(await formatOf('a,b', 'a.jsonl')).toBe('jsonl')
  })

  it('of what is no text of the encoding are refused alone, with what may read them', async () => {
    const latin = Buffer.from('a,b\n1,caf\u00e9\n2,x\n', 'latin1')
    const [first, second] = await rowsOf(latin)
    expect(first?.problem).toBe(
      'is not UTF-8; if the file is in another encoding, name it, as with --encoding windows-1252',
    )
    expect(second?.value).toEqual({ a: '2', b: 'x' })
    expect((await rowsOf(latin, { encoding: 'windows-1252' }))[0]?.value).toEqual({ a: '1', b: 'café' })
    const broken = Buffer.concat([
      Buffer.from('\ufeffa,b\n1,', 'utf16le'),
      Buffer.from([0x00, 0xd8]),
      Buffer.from('\n2,x', 'utf16le'),
    ])
    for (const size of [1, 3, 1000]) {
      expect((await rowsOf(broken, {}, undefined, size)).map(({ problem }) => problem)).toEqual([
        'is not utf-16le',
        undefined,
      ])
    }
    const cut = Buffer.from('\ufeffa,b\n1,x\n2,y', 'utf16le').subarray(0, -1)
    expect((await rowsOf(cut)).map(({ problem }) => problem)).toEqual([undefined, 'is not utf-16le'])
    const undefinedBytes = Buffer.concat([Buffer.from('a,b\n1,'), Buffer.from([0x81, 0xff]), Buffer.from('\n2,x')])
    expect((await rowsOf(undefinedBytes, { encoding: 'shift_jis' })).map(({ problem }) => problem)).toEqual([
      'is not shift_jis',
      undefined,
    ])
  })

  it('may have quotes as text', async () => {
    const text = 'a\tb\n1\t"open\n2\t"x" y\n'
    expect((await rowsOf(Buffer.from(text))).map(({ problem }) => problem !== undefined)).toEqual([true, true])
    const plain = await rowsOf(Buffer.from(text), { quotes: false })
    expect(plain.map(({ value }) => value)).toEqual([
      { a: '1', b: '"open' },
      { a: '2', b: '"x" y' },
    ])
  })

  it('are refused whole where the file has no header that is one', async () => {
    await expect(rowsOf(Buffer.from(''), {}, 'a.csv')).rejects.toThrow('the CSV file a.csv is empty')
    await expect(rowsOf(Buffer.from('a,b,a\n'))).rejects.toThrow('the header names "a" twice')
    await expect(rowsOf(Buffer.from('a,__proto__\n'))).rejects.toThrow('the header names __proto__, which SDKs lose')
    await expect(rowsOf(Buffer.from('a,"b\n1,2'), {}, 'a.csv')).rejects.toThrow('the header of a.csv has a quote')
  })
})

describe('a compressed file', () => {
  const text = Buffer.from('{"a":1}\n'.repeat(1000))

  it('is read from the disk and from a pipe', async () => {
    for (const [name, bytes] of [
      ['a.jsonl.gz', gzipSync(text)],
      ['a.zip', await zipped(text, '__MACOSX/x', ['reviews/'].slice(1))],
      ['b.zip', await zipped(text, 'reviews/a.jsonl', ['__MACOSX/._a.jsonl'])],
    ] as const) {
      const path = join(folder, name)
      writeFileSync(path, bytes)
      const file = await decompressed({ name, path, chunks: createReadStream(path) }).catch((error: Error) => error)
      if (file instanceof Error) {
        expect([name, file.message]).toEqual(['a.zip', expect.stringContaining('holds no file')])
        continue
      }
      expect(file.name).toMatch(/a\.jsonl$/)
      const chunks: Buffer[] = []
      for await (const chunk of file.chunks) chunks.push(chunk)
      await file.close()
      expect(Buffer.concat(chunks)).toEqual(text)
    }
  })

  it('that is broken, or holds several files, is refused by name', async () => {
    const zip = await zipped(text, 'a.jsonl')
    const wrong: readonly (readonly [Buffer, string])[] = [
      [gzipSync(text).subarray(0, 30), "can't be decompressed"],
      [zip.subarray(0, zip.length - 30), "can't be decompressed"],
      [Buffer.concat([zip.subarray(0, 45), Buffer.from([1, 2, 3]), zip.subarray(48)]), "can't be decompressed"],
      [
        await zipped(text, 'a.jsonl', ['b.jsonl']),
        'holds 2 files (a.jsonl, b.jsonl); a zip file of one file can be imported',
      ],
      [await zipped(text, 'xl/workbook.xml', ['[Content_Types].xml']), 'is an Excel workbook; save it as CSV'],
    ]
    for (const [i, [bytes, message]] of wrong.entries()) {
      await expect(rowsOf(bytes, {}, `${i}.zip`)).rejects.toMatchObject({
        code: 'bad_request',
        message: expect.stringContaining(message),
      })
    }
  })
})
