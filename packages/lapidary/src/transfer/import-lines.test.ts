import { describe, expect, it } from 'vitest'
import { collect } from '../../test/collect.ts'
import { jsonLines, splitLines } from './import-lines.ts'
import type { ImportRecord } from './import-record.ts'

async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function recordsOf(content: string | Buffer, size = 7, after = 0): Promise<ImportRecord[]> {
  return collect(jsonLines(chunksOf(Buffer.from(content), size), after))
}

describe('lines', () => {
  it('are the same however the bytes are cut', async () => {
    const bytes = Buffer.from('a\r\n\nß日本\nlast')
    for (let size = 1; size <= bytes.length; size++) {
      const lines = await collect(splitLines(chunksOf(bytes, size)))
      expect(lines.map(({ number, bytes: line }) => [number, line.toString()])).toEqual([
        [1, 'a'],
        [2, ''],
        [3, 'ß日本'],
        [4, 'last'],
      ])
    }
  })
})

describe('JSON Lines', () => {
  it('are read without a byte order mark, carriage returns and empty lines, under their own numbers', async () => {
    const records = await recordsOf('\ufeff{"a":1}\r\n\r\n  \n{"a":2}')
    expect(records.map(({ line, value }) => [line, value])).toEqual([
      [1, { a: 1 }],
      [4, { a: 2 }],
    ])
  })

  it('go on after a line that is not JSON or not UTF-8', async () => {
    const content = Buffer.concat([Buffer.from('{\n"'), Buffer.from([0xff, 0xfe]), Buffer.from('"\n[1]')])
    const records = await recordsOf(content)
    expect(records.map(({ line, problem }) => [line, problem?.replace(/: .*/, '')])).toEqual([
      [1, 'is not JSON'],
      [2, 'is not UTF-8'],
      [3, undefined],
    ])
    expect(records[1]?.raw).toEqual(Buffer.from([0x22, 0xff, 0xfe, 0x22]))
  })

  it('hold no line that is too long for an item, and hand it back whole', async () => {
    const long = 'x'.repeat(10_000_000)
    const [first, second] = await recordsOf(`${long}\n{}`, 65_536)
    expect(first?.problem).toContain('the line has 10000000 bytes')
    expect(first?.raw?.length).toBe(long.length)
    expect(second?.value).toEqual({})
  })

  it('keep no more than the beginning of a line without end', async () => {
    const [first, second] = await recordsOf(`${'x'.repeat(40_000_000)}\n{}`, 1 << 20)
    expect(first?.problem).toContain('40000000 bytes')
    expect(first?.raw?.length).toBe(16 * 1024 * 1024)
    expect(second?.value).toEqual({})
  })

  it('go on after a line that was read before', async () => {
    expect((await recordsOf('1\nnope\n3\n', 7, 2)).map(({ line }) => line)).toEqual([3])
  })
})
