import type { Place } from 'lapidary'
import { packColumn, placesBytes } from 'lapidary/internal'

/**
 * Returns the bytes that a column of a block takes, for simulations.
 *
 * @param texts The value of each row.
 * @example
 * ```ts run
 * const bytes = columnBytes(['OPEN', 'PAID', 'OPEN'])
 * ```
 */
export function columnBytes(texts: readonly string[]): number {
  return packColumn(texts).byteLength
}

/**
 * Returns the bytes that the places of rows take, for simulations.
 *
 * @example
 * ```ts run
 * const bytes = placeBytes([{ score: 1_750_000_000_000, member: 'o1' }])
 * ```
 */
export function placeBytes(places: readonly Place[]): number {
  return placesBytes(places).byteLength
}
