/** Decimals whose sums no double holds, and such as take more than 38 digits together. */
export const AWKWARD_DECIMALS: readonly string[] = [
  ...['0.1', '0.2', '-0.3', '0', '0.0000000001', '-0.0000000001', '100000000000000000000', '19.99', '-19.99'],
  ...['9'.repeat(38), `-${'9'.repeat(38)}`, '9007199254740993', `0.${'0'.repeat(99)}1`],
]

const DIGITS = 200

/** A decimal number as a whole number of 1e-200, by hand. */
export function unitsOf(decimal: string): bigint {
  const [whole = '', fraction = ''] = decimal.split('.')
  return BigInt(`${whole}${fraction.padEnd(DIGITS, '0')}`)
}

/** The decimal number of so many {@link unitsOf}. */
export function decimalOf(units: bigint): string {
  const digits = String(units < 0n ? -units : units).padStart(DIGITS + 1, '0')
  const fraction = digits.slice(-DIGITS).replace(/0+$/, '')
  return `${units < 0n ? '-' : ''}${digits.slice(0, -DIGITS)}${fraction === '' ? '' : `.${fraction}`}`
}

/** The sum of decimal numbers, by hand. */
export function sumOfDecimals(decimals: readonly string[]): string {
  return decimalOf(decimals.reduce((sum, decimal) => sum + unitsOf(decimal), 0n))
}
