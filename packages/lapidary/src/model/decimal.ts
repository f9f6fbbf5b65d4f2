/** Decimal numbers as DynamoDB holds them: 38 digits, magnitudes from 1e-130 to 9.99…e125. A double holds some 15 of any. */

export const MOST_DIGITS = 38
/** The magnitude of a decimal is 0.d × 10^point; 9.9e125 has the point 126, 1e-130 has -129. */
const LOWEST_POINT = -129
const HIGHEST_POINT = 126

interface Decimal {
  readonly negative: boolean
  /** The digits without zeros at either end; empty for 0. */
  readonly digits: string
  readonly point: number
}

/** Says what is wrong with a text that is to be a number of DynamoDB, if anything. */
export function decimalProblem(text: string): string | undefined {
  const decimal = parsedDecimal(text)
  if (decimal === undefined) return 'is no decimal number'
  if (decimal.digits.length > MOST_DIGITS) return `has more than ${MOST_DIGITS} digits`
  if (decimal.digits !== '' && (decimal.point < LOWEST_POINT || decimal.point > HIGHEST_POINT))
    return `is no number from 1e${LOWEST_POINT - 1} to 9.9e${HIGHEST_POINT - 1} either side of 0`
  return undefined
}

/** Tells whether a text is a decimal number, of however many digits. */
export function isDecimal(text: string): boolean {
  return parsedDecimal(text) !== undefined
}

/** Writes a number in one way: no exponent, no plus, and no needless zeros. */
export function plainDecimal(text: string): string {
  return plainText(known(text))
}

/** Returns the number that a decimal text stands for; undefined where JavaScript has only a number near it. */
export function exactNumber(text: string): number | undefined {
  const value = Number(text)
  return Number.isFinite(value) && plainDecimal(text) === plainDecimal(String(value)) ? value : undefined
}

/** Returns the exact sum of two numbers. */
export function addedDecimals(a: string, b: string): string {
  const [left, right] = [known(a), known(b)]
  const exponent = Math.min(exponentOf(left), exponentOf(right))
  const scaled = (decimal: Decimal): bigint => {
    const whole = BigInt(decimal.digits) * 10n ** BigInt(exponentOf(decimal) - exponent)
    return decimal.negative ? -whole : whole
  }
  return plainDecimal(`${scaled(left) + scaled(right)}e${exponent}`)
}

/** Returns the number on the other side of 0. */
export function negatedDecimal(text: string): string {
  const decimal = known(text)
  return plainText({ ...decimal, negative: !decimal.negative })
}

/** Returns the number so many times. */
export function multipliedDecimal(text: string, times: number): string {
  const decimal = known(text)
  if (decimal.digits === '' || times === 0) return '0'
  const digits = BigInt(decimal.digits) * BigInt(times)
  return plainDecimal(`${decimal.negative ? '-' : ''}${digits}e${exponentOf(decimal)}`)
}

/** Returns the number divided by a whole number above 0, rounded to the {@link MOST_DIGITS} digits of DynamoDB. */
export function dividedDecimal(text: string, by: number): string {
  const dividend = known(text)
  const { negative, digits } = dividend
  if (digits === '') return '0'
  const zeros = Math.max(0, MOST_DIGITS + String(by).length + 1 - digits.length)
  const scaled = BigInt(digits) * 10n ** BigInt(zeros)
  // One digit more than is kept, at least.
  const beyond = String(scaled / BigInt(by)).length - MOST_DIGITS
  const divisor = BigInt(by) * 10n ** BigInt(beyond)
  const rounded = (2n * scaled + divisor) / (2n * divisor)
  return plainDecimal(`${negative ? '-' : ''}${rounded}e${exponentOf(dividend) - zeros + beyond}`)
}

/** Returns the next number that DynamoDB holds. Next to the largest, that is one step beyond, which DynamoDB does not hold. */
export function nextDecimal(text: string, side: 'above' | 'below'): string {
  const { negative, digits, point } = known(text)
  const step = side === 'above' ? '1' : '-1'
  if (digits === '') return plainDecimal(`${step}e${LOWEST_POINT - 1}`)
  const isTowardsZero = negative === (side === 'above')
  const isPowerOfTen = digits === '1'
  if (isTowardsZero && isPowerOfTen && point === LOWEST_POINT) return '0'
  // Numbers just below a power of ten are ten times as close.
  return addedDecimals(text, `${step}e${point - MOST_DIGITS - (isTowardsZero && isPowerOfTen ? 1 : 0)}`)
}

function exponentOf({ digits, point }: Decimal): number {
  return point - digits.length
}

const [BELOW_ZERO, ZERO, ABOVE_ZERO] = ['0', '1', '2'] as const
/** A mark above every digit: among numbers below 0, the one with more digits sorts first. */
const END = '~'
const POINT_DIGITS = 3

/** Writes a number as a text that sorts bytewise as numbers do, at most 43 bytes: sign, place of the point, digits. */
export function sortableDecimal(text: string): string {
  const { negative, digits, point } = known(text)
  if (digits === '') return ZERO
  const magnitude = `${point - LOWEST_POINT}`.padStart(POINT_DIGITS, '0') + digits
  return negative ? BELOW_ZERO + complemented(magnitude) + END : ABOVE_ZERO + magnitude
}

/** Returns the number that {@link sortableDecimal} was given, written in its one way. */
export function decimalFrom(sortable: string): string {
  if (sortable === ZERO) return '0'
  const negative = sortable.startsWith(BELOW_ZERO)
  const magnitude = negative ? complemented(sortable.slice(1, -END.length)) : sortable.slice(1)
  const point = Number(magnitude.slice(0, POINT_DIGITS)) + LOWEST_POINT
  return plainText({ negative, digits: magnitude.slice(POINT_DIGITS), point })
}

function complemented(digits: string): string {
  return digits.replace(/\d/g, (digit) => String(9 - Number(digit)))
}

function known(text: string): Decimal {
  const decimal = parsedDecimal(text)
  if (decimal === undefined) throw new TypeError(`${text} is no decimal number`)
  return decimal
}

function parsedDecimal(text: string): Decimal | undefined {
  const match = /^([+-]?)(\d+\.?\d*|\.\d+)(?:[eE]([+-]?\d{1,4}))?$/.exec(text)
  if (match === null) return undefined
  const [, sign, written = '', exponent = '0'] = match
  const [whole = '', fraction = ''] = written.split('.')
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const short = digits.replace(/0+$/, '')
  if (short === '') return { negative: false, digits: '', point: 0 }
  const point = digits.length - fraction.length + Number(exponent)
  return { negative: sign === '-', digits: short, point }
}

function plainText({ negative, digits, point }: Decimal): string {
  if (digits === '') return '0'
  const sign = negative ? '-' : ''
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  if (point >= digits.length) return sign + digits + '0'.repeat(point - digits.length)
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}
