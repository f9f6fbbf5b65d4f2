import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasJournal, untilNoted } from './interrupted.ts'
import { type CliHome, finished, openCliHome } from './run-cli.ts'

/** Items whose import, batch after batch, takes long enough to be stopped in the middle. */
const LONG = 5_000

const comment = (id: string, more: object = {}): string =>
  JSON.stringify({
    id,
    productId: '42',
    language: 'en',
    rating: 5,
    title: 't',
    text: id,
    author: 'a',
    createdAt: '2024-01-01T00:00:00.000Z',
    ...more,
  })

describe('lapidary import and export', () => {
  let home: CliHome
  let table = 0
  beforeAll(async () => {
    home = await openCliHome()
  })
  afterAll(() => home[Symbol.asyncDispose]())

  /** A table of its own for a test. */
  const fresh = (): string[] => ['--table-name', `comments-${++table}`]

  it('give the same bytes after a way through an empty table', async () => {
    const [first, second] = [fresh(), fresh()]
    const generated = await home.run([
      'generate',
      '--products',
      '20',
      '--comments',
      '150',
      '--seed',
      '3',
      ...first,
      '--json',
    ])
    expect(generated.code).toBe(0)
    expect(JSON.parse(generated.stdout)).toMatchObject({ written: 150 })
    expect((await home.run(['export', home.file('one.jsonl'), ...first])).code).toBe(0)
    expect((await home.run(['import', home.file('one.jsonl'), ...second])).code).toBe(0)
    expect((await home.run(['export', home.file('two.jsonl.gz'), ...second])).code).toBe(0)
    const bytes = readFileSync(home.file('one.jsonl'))
    expect(gunzipSync(readFileSync(home.file('two.jsonl.gz')))).toEqual(bytes)
    expect((await home.run(['export', ...second])).stdout).toBe(bytes.toString())
    expect(readdirSync(home.folder).filter((name) => name.endsWith('.tmp'))).toEqual([])
    const output = await home.run(['generate', '--products', '20', '--comments', '150', '--seed', '3', '--output', '-'])
    expect(output.stdout.split('\n').sort()).toEqual(bytes.toString().split('\n').sort())
  })

  it('report each bad line, keep it, and lose nothing valid', async () => {
    const flags = fresh()
    const bad = [
      'nope',
      comment('b', { rating: 6 }),
      '[]',
      comment('c', { language: 'not a tag' }),
      `"${'x'.repeat(10_000_000)}"`,
    ]
    const lines = [comment('a'), ...bad, '', comment('é#~/😀'), comment('z')]
    writeFileSync(home.file('mixed.jsonl'), lines.join('\r\n'))
    const result = await home.run([
      'import',
      home.file('mixed.jsonl'),
      '--rejects',
      home.file('rejects'),
      '--json',
      ...flags,
    ])
    expect(result.code).toBe(1)
    expect(JSON.parse(result.stdout)).toMatchObject({
      lines: 9,
      written: 3,
      rejected: 5,
      failed: 0,
      interrupted: false,
    })
    for (const line of [2, 3, 4, 5, 6]) expect(result.stderr).toMatch(new RegExp(`^line ${line}: `, 'm'))
    expect(readFileSync(home.file('rejects'), 'utf8')).toBe(`${bad.join('\n')}\n`)
    const exported = (await home.run(['export', ...flags])).stdout.trim().split('\n')
    expect(exported.map((line) => JSON.parse(line).id).sort()).toEqual(['a', 'z', 'é#~/😀'])
  })

  it('lose only the line of a CSV file whose quote is never closed', async () => {
    const flags = fresh()
    const row = (i: number): string => `${i},42,en,5,t,t,Ann,2024-01-01T00:00:00.000Z`
    const rows = Array.from({ length: 3_000 }, (_, i) => (i === 1_000 ? `${i},42,en,5,"never closed,t,Ann,` : row(i)))
    writeFileSync(
      home.file('open.csv'),
      ['id,productId,language,rating,title,text,author,createdAt', ...rows].join('\n'),
    )
    const { code, stderr, stdout } = await home.run(['import', home.file('open.csv'), '--json', ...flags])
    expect(stderr).toContain('line 1002: has a quote that no later line closes')
    expect(JSON.parse(stdout)).toMatchObject({ written: 2_999, rejected: 1 })
    expect(code).toBe(1)
  })

  it('read CSV, compressed files and standard input', async () => {
    const flags = fresh()
    const header = 'id,productId,language,rating,title,text,author,createdAt,updatedAt,version'
    const rows = [
      '1,42,en,5,t,"a ""quoted"" text, in\ntwo lines",Ann,2024-01-01T00:00:00.000Z,,',
      '2,42,EN,x,t,t,Ann,,,',
      '3,42,de,4,,t,Ann,2024-01-02T00:00:00+01:00,2024-02-01T00:00:00.000Z,7',
    ]
    writeFileSync(home.file('comments.csv.gz'), gzipSync([header, ...rows].join('\n')))
    const csv = await home.run([
      'import',
      home.file('comments.csv.gz'),
      '--rejects',
      home.file('rejects.csv'),
      ...flags,
    ])
    expect(csv.code).toBe(1)
    expect(csv.stderr).toContain('line 4: rating')
    expect(readFileSync(home.file('rejects.csv'), 'utf8')).toBe(`${header}\n${rows[1]}\n`)
    expect((await home.runAlone(['import', '-', ...flags], { input: `${comment('4')}\n` })).code).toBe(0)
    const items = (await home.run(['export', ...flags])).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(items).toEqual([
      expect.objectContaining({
        id: '1',
        rating: 5,
        text: 'a "quoted" text, in\ntwo lines',
        updatedAt: null,
        version: 1,
      }),
      expect.objectContaining({ id: '3', rating: 4, title: '', createdAt: '2024-01-01T23:00:00.000Z', version: 7 }),
      expect.objectContaining({ id: '4' }),
    ])
  })

  it('write nothing in a dry run', async () => {
    const flags = fresh()
    writeFileSync(home.file('dry.jsonl'), `${comment('a')}\nbad\n`)
    const result = await home.run(['import', home.file('dry.jsonl'), '--dry-run', '--json', ...flags])
    expect(result.code).toBe(1)
    expect(JSON.parse(result.stdout)).toMatchObject({ dryRun: true, written: 1, rejected: 1 })
    expect((await home.run(['export', ...flags])).stderr).toContain('there is no table')
  })

  it('stop at Ctrl-C, say how far they came, and go on from there', async () => {
    const flags = fresh()
    const file = home.file('long.jsonl')
    await home.run(['generate', '--products', '5', '--comments', String(LONG), '--output', file])
    const child = home.start(['import', file, '--json', '--concurrency', '1', ...flags])
    const ended = finished(child)
    await untilNoted(home, child, flags[1] ?? '')
    child.kill('SIGINT')
    const first = await ended
    expect(first.code).toBe(1)
    const stopped = JSON.parse(first.stdout)
    expect(stopped).toMatchObject({ interrupted: true, resumable: true })
    expect(stopped.written).toBeLessThan(LONG)
    const second = await home.run(['import', file, '--json', ...flags])
    expect(second.stderr).toMatch(/going on after line [1-9]/)
    expect(JSON.parse(second.stdout)).toMatchObject({ lines: LONG, written: LONG, interrupted: false })
    expect((await home.run(['export', ...flags])).stdout.trim().split('\n')).toHaveLength(LONG)
    expect(hasJournal(home)).toBe(false)
  })

  it('go on after being killed', async () => {
    const flags = fresh()
    const file = home.file('long.jsonl')
    const child = home.start(['import', file, '--concurrency', '1', ...flags])
    const ended = finished(child)
    await untilNoted(home, child, flags[1] ?? '')
    child.kill('SIGKILL')
    await ended
    expect((await home.run(['import', file, ...flags])).code).toBe(0)
    expect((await home.run(['export', ...flags])).stdout.trim().split('\n')).toHaveLength(LONG)
  })

  it('end quietly when nobody reads on', async () => {
    const child = home.start(['generate', '--comments', '50000', '--output', '-'])
    child.stderr?.resume()
    const [chunk] = await once(child.stdout ?? child, 'data')
    expect(String(chunk)).toContain('"id"')
    child.stdout?.destroy()
    const [code] = await once(child, 'close')
    expect(code).toBe(0)
  })

  it.each([
    ['a missing file', 'missing.jsonl', 'does not exist'],
    ['a folder without files', 'nothing', 'is a folder with no file to import'],
    ['a binary file', 'binary.jsonl', 'is not UTF-8'],
    ['a cut compressed file', 'cut.jsonl.gz', "can't be decompressed"],
    ['an empty CSV file', 'empty.csv', 'is empty'],
    ['a CSV file with an unknown column', 'columns.csv', '"colour"'],
  ])('say what is wrong with %s', async (_, name, message) => {
    writeFileSync(home.file('binary.jsonl'), Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7919) % 256)))
    writeFileSync(home.file('cut.jsonl.gz'), gzipSync(comment('a')).subarray(0, 60))
    writeFileSync(home.file('empty.csv'), '')
    mkdirSync(home.file('nothing'), { recursive: true })
    writeFileSync(home.file('columns.csv'), 'productId,language,rating,colour\n')
    const { code, stderr } = await home.run(['import', home.file(name), ...fresh()])
    expect(code).toBe(1)
    expect(stderr).toContain(message)
    expect(stderr).not.toMatch(/\n\s+at /)
  })

  it('leave no part of a file when the export fails', async () => {
    mkdirSync(home.file('out'))
    const { code, stderr } = await home.run(['export', home.file('out/all.jsonl'), '--table-name', 'nowhere'])
    expect(code).toBe(1)
    expect(stderr).toContain('there is no table nowhere')
    expect((await home.run(['export', home.file('out/no/all.jsonl'), '--table-name', 'comments-1'])).code).toBe(1)
    expect(readdirSync(home.file('out'))).toEqual([])
  })
})
