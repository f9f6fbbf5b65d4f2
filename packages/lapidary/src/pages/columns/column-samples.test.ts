import { expect, test } from 'vitest'
import { seededRandom } from '../../model/seeded-random.ts'
import { emptyBlock } from './block.ts'
import { packColumn, unpackColumn } from './column.ts'
import { ColumnSamples } from './column-samples.ts'
import type { RowTest } from './row-test.ts'

const ROWS = 2_000
const random = seededRandom(7)

/** Reads blocks of two columns, of which the second tells the first where `isTold`. */
function read(isTold: boolean): ColumnSamples {
  const samples = new ColumnSamples()
  for (let i = 0; i < 8; i++) {
    const first = Array.from({ length: ROWS }, () => String(Math.floor(random() * 10)))
    const second = first.map((text) => (isTold ? text : String(Math.floor(random() * 10))))
    const packed = [first, second].map(packColumn)
    samples.learn(
      '42',
      [0, 1],
      [
        {
          block: { ...emptyBlock(String(i), 1), rows: ROWS },
          ...{ columns: packed.map(unpackColumn), bytes: packed.map((bytes) => bytes.byteLength) },
        },
      ],
    )
  }
  return samples
}

const asked = (column: number, text: string): RowTest => ({
  columns: [column],
  mask: ([read]) => read?.mask({ text: (each) => each === text }) ?? expect.fail(),
  passes: () => expect.fail(),
})
const never = (): number => expect.fail('all columns were read')

test('a share is that of the rows that were seen, of columns apart and together', () => {
  const apart = read(false)
  expect(apart.shareOf('42', [asked(0, '3')], never)).toBeCloseTo(0.1, 1)
  const both = apart.shareOf('42', [asked(0, '3'), asked(1, '4')], never)
  expect(both).toBeGreaterThan(0.004)
  expect(both).toBeLessThan(0.02)
  const told = read(true)
  expect(told.shareOf('42', [asked(0, '3'), asked(1, '3')], never)).toBeGreaterThan(0.06)
  expect(told.shareOf('42', [asked(0, '3'), asked(1, '4')], never)).toBeLessThan(0.002)
})

test('of columns that were not read the share is what is expected, and the weight is not known', () => {
  const samples = read(false)
  expect(samples.shareOf('42', [asked(0, '3'), asked(2, 'x')], () => 0.5)).toBeCloseTo(0.05, 1)
  expect(samples.shareOf('other', [asked(0, '3')], () => 0.25)).toBe(0.25)
  expect(samples.weightOf(2)).toBeUndefined()
  expect(samples.weightOf(0)).toBeGreaterThan(0.3)
  expect(samples.weightOf(0)).toBeLessThan(0.6)
})

test('what was read of a column is known until more was read of it, whatever was read of others', () => {
  const samples = new ColumnSamples()
  const learn = (column: number, blocks: readonly string[]): void => {
    const packed = packColumn(Array.from({ length: ROWS }, (_, i) => String(i % 10)))
    const [columns, bytes] = [[unpackColumn(packed)], [packed.byteLength]]
    samples.learn(
      ...(['42', [column]] as const),
      blocks.map((fence) => ({ block: { ...emptyBlock(fence, 1), rows: ROWS }, columns, bytes })),
    )
  }
  const blocks = Array.from({ length: 40 }, (_, i) => `${i}`)
  learn(0, ['newest'])
  learn(1, blocks)
  expect(samples.shareOf('42', [asked(0, '3'), asked(1, '4')], never)).toBeCloseTo(0.01, 2)
})

test('rows that lie together take fewer chunks', () => {
  const samples = new ColumnSamples()
  expect(samples.chunksOf('42')).toBe(1)
  samples.placed('42', 20, 5)
  expect(samples.chunksOf('42')).toBe(0.25)
  samples.placed('42', 20, 13)
  expect(samples.chunksOf('42')).toBe(0.3)
})
