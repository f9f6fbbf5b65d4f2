import type { UnknownReason } from '../model/unknown-reason.ts'
import type { ToldNumber } from './told-number.ts'

/** What the items that pass a filter have of an attribute together. */
export interface Summed<Sum extends ToldNumber = ToldNumber> {
  /**
   * The exact sum: a text with all digits where the attribute's numbers are decimals, a bigint where they are bigints, else the nearest number of
   * JavaScript.
   */
  readonly sum: Sum
  /** Rounded to 38 digits, and a text, where the attribute's numbers are decimals; else the nearest number. Null where no item has the attribute. */
  readonly average: (Sum extends string ? string : number) | null
  /** How many of the items have the attribute. */
  readonly count: number
  /** The lowest and the highest number; null where no item has the attribute. Absent where counters have counted, which don't know them: columns do. */
  readonly minimum?: Sum | null
  readonly maximum?: Sum | null
}

/** A part of a time line. */
export interface CountedPart<Sums = Readonly<Record<string, Summed>>> {
  /** Its first day, or the first that was asked for: `2026-01-31`. */
  readonly from: string
  readonly total: number
  readonly sums: Sums
}

/** How many items pass a filter, without reading any. */
export interface Counts<Sums = Readonly<Record<string, Summed>>> {
  /** Null where it is not known, see `unknown`. */
  readonly total: number | null
  /** For each counted facet, or each that was asked for, the count of each of its values, not narrowed by the facet's own selection; null where none are known. */
  readonly facets: Readonly<Record<string, Readonly<Record<string, number>>>> | null
  /** Of each attribute that was asked for; null where nothing is known. */
  readonly sums: Sums | null
  /** The parts of a time line, where it was asked for with `every`, those without an item too; null where nothing is known. */
  readonly series: readonly CountedPart<Sums>[] | null
  /** Up to when changes are counted, as ISO 8601; null when none ever was, and where nothing is known. */
  readonly asOf: string | null
  /**
   * Why nothing is known: counts of this declaration were never made (`absent`), they are being made (`filling`), a process that could not
   * keep them has counted past them (`abandoned`), the change stream has lost changes (`gap`), or no process has ever followed it (`uncounted`).
   * Null where they are known.
   */
  readonly unknown: UnknownReason | null
  /** RCU of the read; 0 when the counts were read a moment ago. */
  readonly rcu: number
}
