import { execFileSync } from 'node:child_process'
import { createWriteStream, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ZipFile } from 'yazl'
import { untilNoted } from './interrupted.ts'
import { type CliHome, finished, openCliHome } from './run-cli.ts'

/** Rows whose import, batch after batch, takes long enough to be stopped in the middle. */
const LONG = 1_200

const COLUMNS = ['Who', 'Stars', 'Words', 'When', 'Item', 'Colour']
const FLAGS = [
  ...['--map', 'author=Who,rating=Stars,text=Words,createdAt=When,productId=Item'],
  ...['--set', 'language=pt_BR', '--default', 'title=', '--dates', 'dd/MM/yyyy HH:mm', '--zone', 'Europe/Berlin'],
]

const row = (i: number): string[] => [
  `Ann, ${i % 50}`,
  `${(i % 5) + 1},0 von 5 Sternen`,
  // Every row is there three times.
  `says "${Math.floor(i / 3)}" – déjà vu`,
  `${String((Math.floor(i / 3) % 28) + 1).padStart(2, '0')}/07/2021 09:30`,
  '42',
  'red',
]

const csvOf = (rows: readonly string[][], separator = ','): string =>
  [COLUMNS, ...rows].map((cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(separator)).join('\r\n')
const objectsOf = (rows: readonly string[][]) =>
  rows.map((cells) => Object.fromEntries(COLUMNS.map((column, i) => [column, cells[i]])))

const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le')

function zipped(bytes: Buffer, name: string): Promise<Buffer> {
  const zip = new ZipFile()
  zip.addBuffer(bytes, name)
  zip.end()
  return buffer(zip.outputStream as NodeJS.ReadableStream)
}

describe('lapidary import of columns with other names', () => {
  let home: CliHome
  let table = 0
  beforeAll(async () => {
    home = await openCliHome()
  })
  afterAll(() => home[Symbol.asyncDispose]())

  const fresh = (): [string, string] => ['--table-name', `mapped-${++table}`]
  const itemsOf = async (flags: readonly string[]) =>
    (await home.run(['export', ...flags])).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))

  const rows = Array.from({ length: LONG }, (_, i) => row(Math.floor(i / 3) * 3))

  it.each<[string, (file: string) => Promise<void>]>([
    ['CSV in UTF-16, compressed', async (file) => writeFileSync(file, gzipSync(utf16(csvOf(rows, ';'))))],
    [
      'a JSON list in a zip file',
      async (file) => writeFileSync(file, await zipped(Buffer.from(JSON.stringify(objectsOf(rows))), 'a.json')),
    ],
    [
      'a folder of both',
      async (file) => {
        mkdirSync(file)
        writeFileSync(join(file, '1.csv'), csvOf(rows.slice(0, 100)))
        writeFileSync(join(file, '2.json'), JSON.stringify(objectsOf(rows.slice(100, 700))))
        writeFileSync(
          join(file, '3.jsonl'),
          objectsOf(rows.slice(700))
            .map((each) => `${JSON.stringify(each)}\n`)
            .join(''),
        )
      },
    ],
  ])('goes on exactly where it was after being killed, with equal rows apart: %s', async (name, write) => {
    const file = home.file(name.replaceAll(' ', '-'))
    await write(file)
    const [flags, whole] = [fresh(), fresh()]
    const command = ['import', file, ...FLAGS, '--ignore-unknown', '--json']
    const child = home.start([...command, '--concurrency', '1', ...flags])
    const ended = finished(child)
    await untilNoted(home, child, flags[1])
    child.kill('SIGKILL')
    await ended
    const resumed = await home.run([...command, ...flags])
    expect(resumed.stderr).toMatch(/going on after line [1-9]/)
    expect(JSON.parse(resumed.stdout)).toMatchObject({ written: LONG, rejected: 0, interrupted: false })
    expect(JSON.parse((await home.run([...command, ...whole])).stdout)).toMatchObject({ written: LONG })
    const exported = await home.run(['export', ...flags])
    expect(exported.stdout.trim().split('\n')).toHaveLength(LONG)
    expect(exported.stdout).toBe((await home.run(['export', ...whole])).stdout)
  })

  it('writes nothing of a folder of which one file has other columns, and names each such file', async () => {
    const folder = home.file('other-columns')
    mkdirSync(folder)
    writeFileSync(join(folder, '1.csv'), csvOf(rows.slice(0, 10)))
    writeFileSync(join(folder, '2.csv.gz'), gzipSync(csvOf(rows.slice(0, 10)).replace('Stars', 'Points')))
    writeFileSync(join(folder, '3.json'), JSON.stringify(objectsOf(rows.slice(0, 10))))
    writeFileSync(join(folder, '4.csv'), '')
    const flags = fresh()
    const command = ['import', folder, ...FLAGS, '--ignore-unknown', ...flags]
    const { code, stderr } = await home.run(command)
    expect(code).toBe(1)
    expect(stderr).toContain(`nothing was imported, since 2 of 4 files can't be read`)
    expect(stderr).toContain(`2.csv.gz: there is no column "Stars" in`)
    expect(stderr).toContain('4.csv: the CSV file')
    expect(stderr).not.toContain('1.csv:')
    writeFileSync(join(folder, '4.csv'), csvOf([]))
    writeFileSync(join(folder, '2.csv.gz'), gzipSync(csvOf(rows.slice(0, 10))))
    expect(JSON.parse((await home.run([...command, '--json'])).stdout)).toMatchObject({ written: 30, rejected: 0 })
  })

  it('begins at the start when the same file is read in another way', async () => {
    const file = home.file('again.csv')
    writeFileSync(file, csvOf(rows))
    const flags = fresh()
    const command = ['import', file, ...FLAGS, '--ignore-unknown', ...flags]
    const child = home.start([...command, '--concurrency', '1'])
    const ended = finished(child)
    await untilNoted(home, child, flags[1])
    child.kill('SIGKILL')
    await ended
    const other = await home.run([...command, '--set', 'title=Other'])
    expect(other.stderr).not.toContain('going on after')
    expect(other.code).toBe(0)
  })

  it('takes pipes of anything: a list, gzip, UTF-16, a zip file, a named pipe', async () => {
    const few = rows.slice(0, 6)
    const flags = fresh()
    const command = ['import', '-', ...FLAGS, '--ignore-unknown', '--json', ...flags]
    const inputs = [
      Buffer.from(JSON.stringify(objectsOf(few))),
      gzipSync(csvOf(few, '\t')),
      utf16(csvOf(few)),
      await zipped(Buffer.from(csvOf(few, ';')), 'a.csv'),
      Buffer.from(`${JSON.stringify(objectsOf(few)[0])}\n`),
    ]
    for (const [i, input] of inputs.entries()) {
      const { code, stdout, stderr } = await home.runAlone(command, { input })
      expect([code, JSON.parse(stdout).written, stderr.includes('goes on')]).toEqual([0, i === 4 ? 1 : 6, false])
    }
    // The same reviews whatever they came in.
    expect(await itemsOf(flags)).toHaveLength(6)
    const fifo = home.file('fifo')
    execFileSync('mkfifo', [fifo])
    const child = home.start(command.with(1, fifo))
    const ended = finished(child)
    createWriteStream(fifo).end(csvOf(few))
    expect(await ended).toMatchObject({ code: 0, stdout: expect.stringContaining('"written":6') })
    expect(await itemsOf(flags)).toHaveLength(6)
  })

  it('makes values of what cells say, and equal reviews one when asked', async () => {
    const file = home.file('values.csv')
    writeFileSync(file, csvOf(rows.slice(0, 6)))
    const [flags, deduped, hashed] = [fresh(), fresh(), fresh()]
    const command = ['import', file, ...FLAGS, '--ignore-unknown', '--json']
    expect((await home.run([...command, ...flags])).code).toBe(0)
    const items = await itemsOf(flags)
    expect(items).toHaveLength(6)
    expect(items[0]).toMatchObject({
      ...{ productId: '42', language: 'pt-br', rating: expect.any(Number), title: '', author: 'Ann, 0' },
      ...{ text: 'says "0" – déjà vu', createdAt: '2021-07-01T07:30:00.000Z' },
    })
    expect(new Set(items.map(({ id }) => id)).size).toBe(6)
    await home.run([...command, '--dedupe', ...deduped])
    expect(await itemsOf(deduped)).toHaveLength(2)
    await home.run([...command, '--id', 'hash(author,createdAt,Words)', ...hashed])
    const ids = (await itemsOf(hashed)).map(({ id }) => id)
    expect(ids).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), expect.stringMatching(/^[0-9a-f]{32}$/)])
  })

  it('lists columns that no flag maps, and passes over them when asked', async () => {
    const file = home.file('unknown.csv')
    writeFileSync(file, csvOf(rows.slice(0, 3)))
    const { code, stderr } = await home.run(['import', file, ...FLAGS, ...fresh()])
    expect(code).toBe(1)
    expect(stderr).toContain('the header names "Colour"; the columns can be id, productId, ')
    expect(stderr).toContain(
      '--map attribute=COLUMN takes a column, --ignore-unknown passes over those that no flag maps',
    )
    const passed = await home.run(['import', file, ...FLAGS, '--ignore-unknown', ...fresh()])
    expect(passed.code).toBe(0)
    expect(passed.stderr).toContain('passed over, since no flag maps them: Colour')
    const json = home.file('unknown.json')
    writeFileSync(json, JSON.stringify(objectsOf(rows.slice(0, 3))))
    const refused = await home.run(['import', json, ...FLAGS, ...fresh()])
    expect(refused.stderr).toContain(
      'item 1 in line 1: has Colour, which no flag maps; --ignore-unknown passes over it',
    )
  })

  it('refuses a name that is lost, and takes those that every object has', async () => {
    const config = home.file('names.config.mjs')
    const [zod, lapidary] = ['zod', 'lapidary'].map((name) => import.meta.resolve(name))
    const text = `import { z } from ${JSON.stringify(zod)}
import { defineCollection } from ${JSON.stringify(lapidary)}
const schema = z.looseObject({ id: z.string(), shop: z.string(), at: z.string() })
  export default { tableName: 'names', collections: { names: defineCollection({
  name: 'NAME', schema, id: 'id', scope: { name: 'SHOP', attribute: 'shop' }, order: 'at', facets: {},
}) } }
`
    writeFileSync(config, text)
    const row = '"id":"a","shop":"1","at":"2024-01-01T00:00:00.000Z"'
    writeFileSync(home.file('names.jsonl'), `{${row},"__proto__":"x"}\n{${row},"constructor":"y","toString":"z"}\n`)
    const flags = ['--config', config]
    const { code, stderr } = await home.run(['import', home.file('names.jsonl'), '--map', 'shop=shop', ...flags])
    expect([code, stderr]).toEqual([1, expect.stringContaining('line 1: __proto__')])
    const exported = JSON.parse((await home.run(['export', ...flags])).stdout)
    expect(exported).toMatchObject({ id: 'a', constructor: 'y', toString: 'z' })
  })

  it('shows the first ten as they would be stored, and refusals by kind, in a dry run', async () => {
    const file = home.file('dry.csv')
    const bad = [row(0).with(1, 'none'), row(0).with(1, '6'), row(0).with(3, '2021'), row(0).with(2, ''), ['a']]
    writeFileSync(file, csvOf([...rows.slice(0, 12), ...bad, row(0).with(1, 'six')]))
    const command = ['import', file, ...FLAGS, '--ignore-unknown', '--dry-run']
    const { code, stdout, stderr } = await home.run([...command, ...fresh()])
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /^the first 10 as they would be stored:\n(\{"id":"01F.*\}\n){10}\nread 19 lines: 12 could be written, 6 refused; .*\nrefused:\n/,
    )
    expect(stdout).toContain(
      '  2 × column "Stars" (rating): Invalid input: expected number, received string (line 14, line 19)\n',
    )
    expect(stdout).toContain('  1 × has N field; the header names N (line 18)\n')
    expect(stderr).toContain(
      'line 14: column "Stars" (rating) "none": Invalid input: expected number, received string; it takes 1, 2, 3, 4, 5',
    )
    expect(stderr).toContain('line 15: column "Stars" (rating) "6": Too big')
    expect(stderr).toContain('line 16: column "When" (createdAt) "2021": ')
    expect(stderr).toContain('line 17: column "Words" (text) is empty: ')
    const json = JSON.parse((await home.run([...command, '--json', ...fresh()])).stdout)
    expect(json).toMatchObject({ passedOver: ['Colour'], rejected: 6 })
    expect(json.rows).toHaveLength(10)
    expect(json.refusals[0]).toEqual({
      reason: 'column "Stars" (rating): Invalid input: expected number, received string',
      count: 2,
      places: ['line 14', 'line 19'],
    })
  })

  it('keeps refused rows so that they can be mended and imported by the same command', async () => {
    const file = home.file('rejected.csv')
    const rejects = home.file('rejected-rows.csv')
    const text = csvOf([row(0), row(3).with(1, 'fünf'), row(6)])
    writeFileSync(file, Buffer.from(text, 'latin1'))
    const command = [...FLAGS, '--ignore-unknown', '--encoding', 'latin1', '--json', ...fresh()]
    const first = await home.run(['import', file, '--rejects', rejects, ...command])
    expect(JSON.parse(first.stdout)).toMatchObject({ written: 2, rejected: 1 })
    writeFileSync(rejects, readFileSync(rejects, 'utf8').replace('fünf', '5'))
    const second = await home.run(['import', rejects, ...command])
    expect(JSON.parse(second.stdout)).toMatchObject({ written: 1, rejected: 0 })
  })

  it('has default() and transform() of the schema for CSV as for JSON Lines', async () => {
    const config = home.file('lapidary.config.mjs')
    const [zod, lapidary] = ['zod', 'lapidary'].map((name) => import.meta.resolve(name))
    writeFileSync(
      config,
      `import { z } from ${JSON.stringify(zod)}
import { anyOf, defineCollection } from ${JSON.stringify(lapidary)}
const schema = z
  .object({ id: z.string(), shop: z.string(), at: z.string(), Score: z.number().default(3), tags: z.string().transform((text) => text.split('|')) })
  .transform(({ Score, ...rest }) => ({ ...rest, stars: Score }))
  export default { tableName: 'notes', collections: { notes: defineCollection({
  name: 'NOTE', schema, id: 'id', scope: { name: 'SHOP', attribute: 'shop' }, order: 'at', facets: { stars: anyOf([1, 2, 3, 4, 5]) },
  attributes: { id: 'i', shop: 'p', at: 'a', stars: 'r', tags: 't' },
}) } }
`,
    )
    const flags = ['--config', config]
    const values = [
      { id: 'a', shop: '1', at: '2024-01-01T00:00:00.000Z', Score: 5, tags: 'x|y' },
      { id: 'b', shop: '1', at: '2024-01-02T00:00:00.000Z', tags: 'z' },
    ]
    writeFileSync(home.file('notes.jsonl'), values.map((value) => `${JSON.stringify(value)}\n`).join(''))
    const csv = values.map(({ id, shop, at, Score = '', tags }) => [id, shop, at, Score, tags].join(',')).join('\n')
    writeFileSync(home.file('notes.csv'), `id,shop,at,Score,tags\n${csv}\n`)
    const items = []
    for (const file of ['notes.jsonl', 'notes.csv']) {
      const tableFlags = [...flags, ...fresh()]
      const { code, stderr } = await home.run(['import', home.file(file), ...tableFlags])
      expect([code, stderr]).toEqual([0, expect.any(String)])
      items.push((await home.run(['export', ...tableFlags])).stdout)
    }
    expect(items[1]).toBe(items[0])
    expect(items[0]).toContain('"stars":3')
  })

  it.each<[string, readonly string[], string]>([
    [
      'an unknown preset',
      ['--preset', 'etsy'],
      'Allowed choices are woocommerce, judgeme, yotpo, trustpilot, google-play, app-store, amazon',
    ],
    ['an unknown format', ['--format', 'xml'], 'Allowed choices are csv, tsv, jsonl, json'],
    ['an unknown encoding', ['--encoding', 'klingon'], '--encoding "klingon" is not known; there are utf-8'],
    ['a separator of two characters', ['--separator', '::'], '--separator "::" is not one character'],
    ['a separator of JSON', ['--separator', ';', '--format', 'json'], '--separator is of CSV'],
    ['a format of no date', ['--dates', 'MM/dd'], '--dates "MM/dd" has no place for a year (yyyy)'],
    ['no zone', ['--zone', 'Mars/Base'], '--zone "Mars/Base" is no time zone'],
    ['a map of nothing', ['--map', 'rating='], '--map "rating=" is not attribute=Column'],
    ['a map file that is not there', ['--map', 'nowhere.map'], `"nowhere.map" can't be read`],
    [
      'an attribute that items do not have',
      ['--map', 'stars=Stars'],
      '--map names "stars", which no COMMENT has; there are id, productId, language, rating',
    ],
    ['a value of no attribute', ['--set', 'stars=5'], '--set names "stars", which no COMMENT has'],
    ['a value of nothing', ['--set', 'language'], '--set "language" is not attribute=value'],
    ['no hash', ['--id', 'author'], "as in --id 'hash(author,createdAt,text)'"],
    [
      'rejects within the folder that is imported',
      ['--rejects', 'FOLDER/rejects.csv'],
      '--rejects names what is imported',
    ],
  ])('tells %s as wrong usage', async (_, flags, message) => {
    mkdirSync(home.file('usage'), { recursive: true })
    writeFileSync(home.file('usage/a.csv'), 'a,b\n')
    const { code, stderr } = await home.run([
      'import',
      home.file('usage'),
      ...flags.map((flag) => flag.replace('FOLDER', home.file('usage'))),
    ])
    expect(stderr).toContain(message)
    expect(code).toBe(2)
  })

  it.each<[string, readonly string[], string]>([
    ['that the file does not have', ['--map', 'rating=Score'], 'there is no column "Score" in'],
    [
      'that every item has',
      ['--map', 'rating=Stars', '--ignore-unknown'],
      'the header does not name productId, which every COMMENT has; --map productId=COLUMN takes a column, --set productId=VALUE gives every item the same',
    ],
    ['of which the id is made', [...FLAGS, '--id', 'hash(author,Nick)'], 'there is no column "Nick" in'],
  ])('names a column %s', async (_, flags, message) => {
    const file = home.file('columns.csv')
    writeFileSync(file, csvOf(rows.slice(0, 1)))
    const { code, stderr } = await home.run(['import', file, ...flags, ...fresh()])
    expect(stderr).toContain(message)
    expect(code).toBe(1)
  })
})
