const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i
const HEXADECIMAL = /^([+-]?)0x([0-9a-f]*)\.?([0-9a-f]*)(?:p([+-]?\d+))?$/i
const INFINITE = /^([+-]?)inf(inity)?$/i
const LEAST_LONG = -(2n ** 63n)
const MOST_LONG: bigint = 2n ** 63n - 1n

/**
 * Reads a whole text as a number as C's `strtod` does; undefined when it is none. A number that is too large becomes infinite, one that is too
 * small zero.
 */
export function parseDouble(text: string): number | undefined {
  if (DECIMAL.test(text)) return Number(text)
  const infinite = INFINITE.exec(text)
  if (infinite !== null) return infinite[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  const hexadecimal = HEXADECIMAL.exec(text)
  if (hexadecimal === null) return undefined
  const [, sign, whole = '', fraction = '', exponent = '0'] = hexadecimal
  if (whole + fraction === '') return undefined
  const value = Number(`0x${whole}${fraction}`) * 2 ** (Number(exponent) - 4 * fraction.length)
  return sign === '-' ? -value : value
}

/** Reads a score; undefined for a number that does not fit a double. */
export function parseScore(text: string): number | undefined {
  const value = parseDouble(text)
  if (value === undefined) return undefined
  const overflows = !Number.isFinite(value) && !INFINITE.test(text)
  const underflows = value === 0 && /[1-9a-f]/i.test(text.replace(/^[+-]?0x/i, '').replace(/[ep].*$/i, ''))
  return overflows || underflows ? undefined : value
}

/** Reads a whole number of 64 bits as Redis does: no plus, no leading zero, no space. Beyond 2^53 it is rounded. */
export function parseLong(text: string): number | undefined {
  if (!/^(0|-?[1-9]\d{0,18})$/.test(text)) return undefined
  const value = Number(text)
  if (Number.isSafeInteger(value)) return value
  const exact = BigInt(text)
  return exact >= LEAST_LONG && exact <= MOST_LONG ? value : undefined
}

/** Writes a score as Redis does since 7.2: the fewest digits that read back as the same double. */
export function formatScore(score: number): string {
  if (score === 0) return Object.is(score, -0) ? '-0' : '0'
  if (!Number.isFinite(score)) return score < 0 ? '-inf' : 'inf'
  if (Number.isSafeInteger(score)) return String(score)
  // Whole numbers get all of their digits, as far as Redis turns them into integers.
  if (Number.isInteger(score) && Math.abs(score) <= 2 ** 62) return String(BigInt(score))
  const [mantissa = '', power = ''] = Math.abs(score).toExponential().split('e')
  const digits = mantissa.replace('.', '')
  return (score < 0 ? '-' : '') + layOut(digits, Number(power), score < 0)
}

/** Places the point as Redis does, and writes an exponent where Redis does. */
function layOut(digits: string, power: number, isNegative: boolean): string {
  const trailing = power - digits.length + 1
  if (trailing >= 0 && Math.abs(power) < digits.length + 7) return digits + '0'.repeat(trailing)
  if (trailing < 0 && (trailing > -7 || Math.abs(power) < 4)) {
    const whole = digits.length + trailing
    return whole <= 0 ? `0.${'0'.repeat(-whole)}${digits}` : `${digits.slice(0, whole)}.${digits.slice(whole)}`
  }
  const shown = digits.slice(0, isNegative ? 17 : 18)
  const point = shown.length > 1 ? `.${shown.slice(1)}` : ''
  return `${shown[0]}${point}e${power < 0 ? '-' : '+'}${Math.abs(power)}`
}

const bits = new DataView(new ArrayBuffer(8))

/** Returns the least double above one; infinity has none above it, and stays. */
export function nextUp(value: number): number {
  if (value === Number.POSITIVE_INFINITY) return value
  if (value === 0) return Number.MIN_VALUE
  bits.setFloat64(0, value)
  bits.setBigInt64(0, bits.getBigInt64(0) + (value > 0 ? 1n : -1n))
  return bits.getFloat64(0)
}
