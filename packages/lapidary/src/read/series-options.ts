import type { Span } from '../model/day.ts'

/** How counts are told over time. */
export interface SeriesOptions {
  /** The length of each part. Weeks begin on Monday. */
  readonly every?: Span | undefined
  /** The first day, as `2026-01-31`; the first one with an item when not given. */
  readonly from?: string | undefined
  /** The day after the last one; the one after the last day with an item when not given. */
  readonly to?: string | undefined
  /** The zone of the days, as `Europe/Berlin`: any by columns, else the declared one. UTC when not given and none is declared. */
  readonly zone?: string | undefined
}
