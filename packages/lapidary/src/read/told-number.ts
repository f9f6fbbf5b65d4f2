import type { Collection } from '../model/collection.ts'
import { plainDecimal } from '../model/decimal.ts'
import { ownValue } from '../model/own-value.ts'

/** A number that was added up of an attribute: a text with all digits where the attribute's numbers are decimals, else a number of JavaScript. */
export type ToldNumber = number | bigint | string

/** Tells a sum as the attribute's numbers are declared; where they are not, as the nearest number of JavaScript. */
export function toldSum({ numbers }: Pick<Collection, 'numbers'>, attribute: string, exact: string): ToldNumber {
  const kind = ownValue(numbers, attribute)
  if (kind === 'decimal') return plainDecimal(exact)
  return kind === 'bigint' && !exact.includes('.') ? BigInt(exact) : Number(exact)
}

/** Tells an average: as a text where the attribute's numbers are decimals, else as the nearest number of JavaScript. */
export function toldAverage(
  { numbers }: Pick<Collection, 'numbers'>,
  attribute: string,
  exact: string,
): number | string {
  return ownValue(numbers, attribute) === 'decimal' ? plainDecimal(exact) : Number(exact)
}
