import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { compareBytes } from '../model/key-text.ts'
import { type Row, SortedRows } from './sorted-rows.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lapidary-test-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

async function sorted(rows: readonly Row[], most: number, size = 3): Promise<readonly Row[]> {
  await using held = new SortedRows(most, folder)
  for (const [key, value] of rows) {
    held.add(key, value)
    await held.settle()
  }
  const found: Row[] = []
  for await (const part of held.inOrder(size)) {
    expect(part.length).toBeLessThanOrEqual(size)
    found.push(...part)
  }
  return found
}

const texts = fc.string({ unit: 'binary', maxLength: 12 }).map((text) => text.toWellFormed())

test('gives every row once, in the order of the bytes of keys, in memory or from many runs on disk', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(texts, texts), { maxLength: 60 }),
      fc.integer({ min: 0, max: 3_000 }),
      async (rows, most) => {
        const found = await sorted(rows, most)
        const inOrder = (all: readonly Row[]): readonly Row[] =>
          [...all].sort(([a, x], [b, y]) => compareBytes(a, b) || compareBytes(x, y))
        expect(inOrder(found)).toEqual(inOrder(rows))
        expect(found.map(([key]) => key)).toEqual(rows.map(([key]) => key).sort(compareBytes))
      },
    ),
  )
  expect(readdirSync(folder)).toEqual([])
})

test('a row may be longer than what is read of a run at once', async () => {
  const long = 'é'.repeat(300_000)
  expect(
    await sorted(
      [
        ['b', long],
        [long, 'x'],
        ['a', ''],
      ],
      0,
    ),
  ).toEqual([
    ['a', ''],
    ['b', long],
    [long, 'x'],
  ])
})

test('names the folder that has no room, and what to do', async () => {
  const rows = new SortedRows(0, join(folder, 'gone'))
  rows.add('a', 'b')
  await expect(rows.settle()).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/gone can't take what is sorted.*set TMPDIR/),
  })
})
