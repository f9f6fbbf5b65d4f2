import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { collect } from '../../../test/collect.ts'
import { LONGEST_LINE } from '../import-lines.ts'
import { type CsvDialect, type CsvRecord, csvRecords } from './csv-records.ts'

async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

function recordsOf(content: string | Buffer, size = 65_536, dialect?: CsvDialect): Promise<CsvRecord[]> {
  return collect(csvRecords(chunksOf(Buffer.from(content), size), dialect))
}

/** The texts of what was read, by line; what was refused is left out. */
function readIn(records: readonly CsvRecord[]): readonly (readonly [line: number, texts: readonly string[]])[] {
  return records.flatMap((record) =>
    'cells' in record ? [[record.line, record.cells.map(({ text }) => text)] as const] : [],
  )
}

function refusedIn(records: readonly CsvRecord[]): readonly (readonly [line: number, problem: string])[] {
  return records.flatMap((record) => ('problem' in record ? [[record.line, record.problem] as const] : []))
}

const ends = fc.constantFrom('\n', '\r\n')
const separators = fc.constantFrom(',', ';', '\t', '|', '§')
const chunkSize = fc.integer({ min: 1, max: 60 })
/** Whatever a cell can hold; a lone carriage return is text. */
const awkward = fc.string({
  unit: fc.constantFrom('"', ',', ';', '\t', '|', '\n', '\r\n', ' ', 'a', '5', 'é', '日', '😀', '\ufeff', "'"),
})
/** Quotes around it are told from the end of another. */
const told = awkward.map((text) => `t${text}`)
const WIDTH = 3
const tableOf = (cell: fc.Arbitrary<string>, size?: fc.SizeForArbitrary): fc.Arbitrary<string[][]> =>
  fc.array(fc.array(cell, { minLength: WIDTH, maxLength: WIDTH }), { minLength: 1, ...(size && { size }) })

describe('the records of a CSV file', () => {
  it('are the table that another writer wrote, whatever is in it and however the bytes are cut', async () => {
    await fc.assert(
      fc.asyncProperty(tableOf(awkward), ends, separators, chunkSize, async (table, end, separator, size) => {
        // A record of one empty line is nothing, and a mark at the beginning is none of the text.
        const head = ['first', ...Array(WIDTH - 1).fill('x')]
        const options = { record_delimiter: end, delimiter: separator, quoted_match: /[\r\n]/ }
        const text = stringify([head, ...table], options)
        expect(readIn(await recordsOf(text, size, { separator })).map(([, texts]) => texts)).toEqual([head, ...table])
      }),
    )
  })

  it('are lines, whatever quotes are in them, where quotes are text', async () => {
    const plain = fc.string({ unit: fc.constantFrom('"', ',', ' ', 'a', '5', 'é', '😀', "'") })
    await fc.assert(
      fc.asyncProperty(tableOf(plain), ends, chunkSize, async (table, end, size) => {
        const all = [['first', 'x', 'x'], ...table]
        const text = all.map((cells) => cells.join('\t')).join(end)
        const records = await recordsOf(text, size, { separator: '\t', quotes: false })
        expect(readIn(records).map(([, texts]) => texts)).toEqual(all)
      }),
    )
  })

  it('that are whole are all read, and each faulty line is refused once, by its number', async () => {
    const fault = fc.constantFrom(
      { text: 'tx,"never closed,ty', problem: /has a quote that/ },
      { text: '"never closed', problem: /has a quote that/ },
      { text: 'tx,"closed" too early,ty', problem: /has a quote that/ },
      { text: 'tx,"closed" ,ty', problem: /has a quote that/ },
      { text: 't\u0000,tx,ty', problem: /is not UTF-8/ },
    )
    const lines = fc.array(
      fc.oneof({ weight: 3, arbitrary: fc.array(told, { minLength: WIDTH, maxLength: WIDTH }) }, fault),
    )
    await fc.assert(
      fc.asyncProperty(lines, chunkSize, async (parts, size) => {
        let [line, text] = [2, 'ta,tb,tc\n']
        const whole: (readonly [number, readonly string[]])[] = [[1, ['ta', 'tb', 'tc']]]
        const faulty: (readonly [number, unknown])[] = []
        for (const part of parts) {
          const written = Array.isArray(part) ? stringify([part]) : `${part.text}\n`
          if (Array.isArray(part)) whole.push([line, part])
          else faulty.push([line, expect.stringMatching(part.problem)])
          line += written.split('\n').length - 1
          text += written
        }
        // A byte that no UTF-8 has.
        const bytes = Buffer.from(text.replaceAll('\u0000', '\u0001'))
        for (let at = bytes.indexOf(1); at !== -1; at = bytes.indexOf(1)) bytes[at] = 0xff
        const records = await recordsOf(bytes, size)
        expect(readIn(records)).toEqual(whole)
        expect(refusedIn(records)).toEqual(faulty)
      }),
    )
  })

  it('have every line of any text, read or refused, once and in order', async () => {
    const any = fc.string({ unit: fc.constantFrom('"', '"', ',', '\n', '\n', '\r', 'a', ' '), maxLength: 200 })
    await fc.assert(
      fc.asyncProperty(any, chunkSize, async (text, size) => {
        const records = await recordsOf(text, size)
        const lines = `${text}\n`.split(/\r?\n/).slice(0, -1)
        let next = 0
        for (const { line, raw } of records) {
          // What is passed over is empty.
          for (; next < line - 1; next++) expect(lines[next]).toBe('')
          for (const part of raw.toString().split(/\r?\n/)) expect(part).toBe(lines[next++])
        }
        for (; next < lines.length; next++) expect(lines[next]).toBe('')
      }),
      { numRuns: 1_000 },
    )
  })

  it('go on after a quote that stays open over 160,000 rows', async () => {
    const rows = Array.from({ length: 160_000 }, (_, i) => `${i},b,c`)
    const records = await recordsOf(['p,q,r', 'x,"open,y', ...rows, ''].join('\n'))
    expect(refusedIn(records)).toEqual([[2, 'has a quote that no later line closes']])
    expect(readIn(records)).toHaveLength(rows.length + 1)
    expect(readIn(records).at(-1)).toEqual([160_002, ['159999', 'b', 'c']])
  })

  it('keep no more of an open quote in memory than the longest item has', async () => {
    const row = Buffer.from(`${'x'.repeat(999)}\n`)
    let given = 0
    const chunks = (async function* () {
      yield Buffer.from('p\nx,"open\n')
      for (; given < 20 * LONGEST_LINE; given += row.length) yield row
    })()
    for await (const record of csvRecords(chunks)) {
      if ('problem' in record) break
    }
    expect(given).toBeGreaterThan(LONGEST_LINE)
    expect(given).toBeLessThan(3 * LONGEST_LINE)
  })

  it('of several lines with too many or too few fields are begun again with their second line', async () => {
    const records = await recordsOf('p,q,r\nx,"open\n1,2,3\n4,5,6"\n7,8,9\n')
    expect(readIn(records).map(([line]) => line)).toEqual([1, 3, 4, 5])
    expect(refusedIn(records)).toEqual([
      [2, 'has a quote that closes 2 lines later, where its record has 2 fields; the header names 3'],
    ])
  })

  it('are not ended by a line that is too long for an item', async () => {
    const records = await recordsOf(`p,q\n1,"open\n${'x'.repeat(LONGEST_LINE + 1)}\n2,b\n`)
    expect(refusedIn(records)).toEqual([
      [2, 'has a quote that no later line closes'],
      [3, expect.stringContaining(`the line has ${LONGEST_LINE + 1} bytes`)],
    ])
    expect(readIn(records).at(-1)).toEqual([4, ['2', 'b']])
  })
})
