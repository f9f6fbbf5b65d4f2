import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escapeComponent, unescapeComponent } from '../../model/key-text.ts'
import { packColumn, unpackColumn } from './column.ts'

const text = fc.oneof(
  fc.constantFrom('%~', 'a', 'b/c', 'null', '', '0', '-0', '007', '1e21', '%2E'),
  fc.string().map(escapeComponent),
  fc.integer().map((n) => escapeComponent(String(n))),
  fc.double({ noNaN: true }).map((n) => escapeComponent(String(n))),
  fc.date({ noInvalidDate: true }).map((time) => escapeComponent(time.toISOString())),
)
const alike = fc.oneof(
  fc.array(fc.integer({ min: -1e6, max: 1e9 }).map((n) => escapeComponent(String(n / 100)))),
  fc.array(fc.integer({ min: 0, max: 2e12 }).map((n) => escapeComponent(new Date(n).toISOString()))),
  fc.array(fc.constantFrom('OPEN', 'PAID', '%~'), { maxLength: 3000 }),
)

test('a column gives each row the text that it was given, and marks those that pass', () => {
  fc.assert(
    fc.property(fc.oneof(fc.array(text), alike), fc.func(fc.boolean()), (texts, passes) => {
      const column = unpackColumn(packColumn(texts))
      expect(column.rows).toBe(texts.length)
      expect(texts.map((_, row) => column.textOf(row))).toEqual(texts)
      const mask = column.mask({ text: passes })
      expect([...mask]).toEqual(texts.map((each) => Number(passes(each))))
    }),
    { numRuns: 500 },
  )
})

test('numbers that are far from each other keep their last digits', () => {
  const texts = ['-9007199254740991', '9007199254740990'].flatMap((each) => Array<string>(100).fill(each))
  const column = unpackColumn(packColumn(texts))
  expect(texts.map((_, row) => column.textOf(row))).toEqual(texts)
})

test('numbers are compared as numbers', () => {
  const column = unpackColumn(packColumn(['9', '10', '%~', '2%2E5'].flatMap((each) => Array(100).fill(each))))
  const number = (value: number): boolean => value >= 2.5 && value < 10
  const mask = column.mask({ text: (each) => number(Number(unescapeComponent(each))), number })
  expect([0, 100, 200, 300].map((row) => mask[row])).toEqual([1, 0, 0, 1])
})

test('few values take few bits, one value none, and numbers what is between the least and the highest', () => {
  const rows = (textOf: (i: number) => string): number =>
    packColumn(Array.from({ length: 2000 }, (_, i) => textOf((i * 7919) % 2000))).byteLength
  expect(rows(() => 'OPEN')).toBeLessThan(20)
  expect(rows((i) => ['OPEN', 'PAID', 'SHIPPED', 'DONE'][i % 4] as string)).toBeLessThan(540)
  expect(rows((i) => String(1_000_000 + i))).toBeLessThan(2_800)
  expect(rows((i) => escapeComponent(new Date(Date.UTC(2026, 0, 1) + i * 60_000).toISOString()))).toBeLessThan(2_800)
})

test('a sample has rows spread over the column', () => {
  const column = unpackColumn(packColumn(Array.from({ length: 1000 }, (_, i) => String(Math.floor(i / 100)))))
  const sample = column.sample(20)
  expect(Array.from({ length: 20 }, (_, row) => Number(sample.textOf(row)))).toEqual(
    Array.from({ length: 20 }, (_, row) => Math.floor(row / 2)),
  )
  expect([...sample.mask({ text: (text) => text === '3' })].filter((mark) => mark === 1)).toHaveLength(2)
  const texts = unpackColumn(packColumn(Array.from({ length: 1000 }, (_, i) => `value ${i % 500}`))).sample(10)
  expect(Array.from({ length: 10 }, (_, row) => texts.textOf(row))).toEqual(
    Array.from({ length: 10 }, (_, row) => `value ${(row * 100) % 500}`),
  )
  expect(texts.tally(texts.mask({ text: (text) => text !== 'value 0' }))).toEqual(
    new Map(['value 100', 'value 200', 'value 300', 'value 400'].map((text) => [text, 2])),
  )
})
