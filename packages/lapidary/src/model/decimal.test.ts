import fc from 'fast-check'
import { chosenSeed } from 'lapidary-testing'
import { expect, test } from 'vitest'
import {
  addedDecimals,
  decimalFrom,
  decimalProblem,
  dividedDecimal,
  exactNumber,
  isDecimal,
  MOST_DIGITS,
  negatedDecimal,
  nextDecimal,
  plainDecimal,
  sortableDecimal,
} from './decimal.ts'
import { compareBytes } from './key-text.ts'

const seed = chosenSeed(process.env.FC_SEED)
console.info(`decimals: FC_SEED=${seed}`)

/** A number as a whole one times a power of ten, which BigInt compares and adds exactly. */
interface Whole {
  readonly mantissa: bigint
  readonly exponent: number
}

const wholes: fc.Arbitrary<Whole> = fc
  .record({
    mantissa: fc.oneof(
      fc.bigInt({ min: -(10n ** BigInt(MOST_DIGITS)) + 1n, max: 10n ** BigInt(MOST_DIGITS) - 1n }),
      fc.bigInt({ min: -120n, max: 120n }),
    ),
    exponent: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.integer({ min: -130, max: 88 })),
  })
  .map(({ mantissa, exponent }) => ({ mantissa, exponent: mantissa === 0n ? 0 : exponent }))

const textOf = ({ mantissa, exponent }: Whole): string => `${mantissa}e${exponent}`

function scaled({ mantissa, exponent }: Whole): bigint {
  return mantissa * 10n ** BigInt(exponent + 130)
}

function isAs(a: Whole, b: Whole): number {
  const [left, right] = [scaled(a), scaled(b)]
  return left < right ? -1 : left > right ? 1 : 0
}

test('texts of 38 digits sort bytewise as the numbers do, also before the end of a key', () => {
  fc.assert(
    fc.property(wholes, wholes, (a, b) => {
      const [left, right] = [a, b].map((each) => `${sortableDecimal(textOf(each))}#`) as [string, string]
      expect(Math.sign(compareBytes(left, right))).toBe(isAs(a, b))
      expect(left.length).toBeLessThanOrEqual(44)
    }),
    { seed, numRuns: 3_000 },
  )
})

test('a number is read back from its text with all its digits, in one way of writing it', () => {
  fc.assert(
    fc.property(wholes, (whole) => {
      const text = textOf(whole)
      expect(decimalProblem(text)).toBeUndefined()
      expect(decimalFrom(sortableDecimal(text))).toBe(plainDecimal(text))
      expect(plainDecimal(text)).toMatch(/^(0|-?(0|[1-9]\d*)(\.\d*[1-9])?)$/)
      expect(Number(plainDecimal(text))).toBe(Number(text))
    }),
    { seed, numRuns: 2_000 },
  )
})

test('a sum has all digits of both', () => {
  fc.assert(
    fc.property(wholes, wholes, (a, b) => {
      const sum = { mantissa: scaled(a) + scaled(b), exponent: -130 }
      expect(addedDecimals(textOf(a), textOf(b))).toBe(plainDecimal(textOf(sum)))
    }),
    { seed, numRuns: 1_000 },
  )
})

test.each([
  ['', 'is no decimal number'],
  ['1,5', 'is no decimal number'],
  ['0x1', 'is no decimal number'],
  ['1e', 'is no decimal number'],
  [' 1', 'is no decimal number'],
  ['Infinity', 'is no decimal number'],
  ['123456789012345678901234567890123456789', 'has more than 38 digits'],
  ['1e126', 'is no number from 1e-130 to 9.9e125 either side of 0'],
  ['1e-131', 'is no number from 1e-130 to 9.9e125 either side of 0'],
])('%j %s', (text, problem) => {
  expect(decimalProblem(text)).toBe(problem)
})

test.each(['0', '-0', '0.000', '5.00', '+5', '1E+2', '.5', '5.', '9.9e125', '1e-130', '1e0001'])(
  '%s is a number',
  (text) => {
    expect(decimalProblem(text)).toBeUndefined()
  },
)

test.each([
  ['0', '-1e-130', '1e-130'],
  ['1e-130', '0', `1.${'0'.repeat(36)}1e-130`],
  ['1', `0.${'9'.repeat(38)}`, `1.${'0'.repeat(36)}1`],
  ['-1', `-1.${'0'.repeat(36)}1`, `-0.${'9'.repeat(38)}`],
  ['9'.repeat(38), `${'9'.repeat(37)}8`, `1${'0'.repeat(38)}`],
  ['1e125', `${'9'.repeat(38)}e87`, `1.${'0'.repeat(36)}1e125`],
])('beside %s are %s and %s', (text, below, above) => {
  expect([nextDecimal(text, 'below'), nextDecimal(text, 'above')]).toEqual([plainDecimal(below), plainDecimal(above)])
})

test('between a number and the next one there is no number of 38 digits, and back again it is itself', () => {
  fc.assert(
    fc.property(wholes.map(textOf), (text) => {
      const above = nextDecimal(text, 'above')
      expect(nextDecimal(above, 'below')).toBe(plainDecimal(text))
      expect(compareBytes(sortableDecimal(text), sortableDecimal(above))).toBeLessThan(0)
      // The middle of the two takes a digit more, or is nearer to 0 than any number.
      const middle = addedDecimals(text, above)
      const half = plainDecimal(
        `${BigInt(middle.replace(/[-.]/g, '')) * 5n}e-${(middle.split('.')[1] ?? '').length + 1}`,
      )
      expect(decimalProblem(half)).toBeDefined()
    }),
    { seed, numRuns: 500 },
  )
})

test('a number of which JavaScript has only one near it is told from those that it has', () => {
  for (const text of ['0', '-0', '1', '100', '1E+2', '0.1', '-1.50', '1e-130', String(Math.PI), '1600000000000'])
    expect(exactNumber(text), text).toBe(Number(text))
  for (const text of ['9007199254740993', '1600000000000000001', '0.1000000000000000055', '1.00000000000000000001'])
    expect(exactNumber(text), text).toBeUndefined()
})

test('a quotient is the nearest number of 38 digits, and the same on both sides of 0', () => {
  fc.assert(
    fc.property(
      wholes,
      fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 10 ** 12 })),
      (whole, by) => {
        const quotient = dividedDecimal(textOf(whole), by)
        expect(dividedDecimal(negatedDecimal(textOf(whole)), by)).toBe(negatedDecimal(quotient))
        const digits = quotient.replace(/[-.]/g, '').replace(/^0+/, '').replace(/0+$/, '')
        expect(digits.length).toBeLessThanOrEqual(MOST_DIGITS)
        // Twice what it is off, times the divisor, is within the last of 38 digits; all in units of 1e-300.
        const units = 10n ** 300n
        const [, fraction = ''] = quotient.split('.')
        const told = BigInt(quotient.replace('.', '')) * (units / 10n ** BigInt(fraction.length))
        const off = told * BigInt(by) - (scaled(whole) * units) / 10n ** 130n
        const size = String(told).replace('-', '').length
        const last = 10n ** BigInt(Math.max(0, size - MOST_DIGITS))
        expect(2n * (off < 0n ? -off : off) <= last * BigInt(by)).toBe(true)
      },
    ),
    { seed, numRuns: 2_000 },
  )
  expect(dividedDecimal('2', 3)).toBe(`0.${'6'.repeat(37)}7`)
  expect([dividedDecimal('10', 4), dividedDecimal('0', 7), dividedDecimal('-1', 1)]).toEqual(['2.5', '0', '-1'])
})

test('sums of more than 38 digits sort and are read back as others do', () => {
  const sums = [
    '-1e139',
    `-${'9'.repeat(60)}.1`,
    `-${'9'.repeat(60)}`,
    `0.${'0'.repeat(128)}1`,
    `${'9'.repeat(60)}.5`,
    '1e139',
  ]
  for (const [i, sum] of sums.entries()) {
    expect(decimalFrom(sortableDecimal(sum))).toBe(plainDecimal(sum))
    expect(isDecimal(sum)).toBe(true)
    for (const other of sums.slice(0, i))
      expect(compareBytes(sortableDecimal(other), sortableDecimal(sum))).toBeLessThan(0)
  }
  expect([isDecimal(''), isDecimal('by hand'), isDecimal('NaN')]).toEqual([false, false, false])
})
