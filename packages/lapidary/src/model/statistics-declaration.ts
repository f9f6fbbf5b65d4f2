import { isZone, UTC } from './day.ts'
import { shown } from './errors.ts'
import { invalidDeclaration } from './invalid-declaration.ts'
import { knownOptions, type OptionNames } from './known-options.ts'
import type { Order } from './order.ts'

/** What is counted beside the items of each scope; each is written only where it is declared. */
export interface StatisticsOptions<Attribute extends string = string> {
  /**
   * Counts the items of all scopes together, in so many shards, 1 to 64. Each takes what the counts of one scope take, one write for a batch of
   * changes, and a count reads them all.
   */
  readonly across?: number
  /** Counts the items of each scope by day, and with `across` of all scopes too. `true`: by UTC days of the default order, which is a time. */
  readonly days?: true | DaysOptions<Attribute>
}

/** By which days items are counted. */
export interface DaysOptions<Attribute extends string = string> {
  /** The attribute with the time, ISO 8601 in UTC; the one of the default order when not given. Items without it are in no day. */
  readonly of?: Attribute
  /** The zone whose days they are, as `Europe/Berlin`; UTC when not given. */
  readonly zone?: string
}

/** The declared statistics with everything filled in. */
export interface Statistics {
  readonly across: number | undefined
  readonly days: Days | undefined
}

/** The attribute and the zone by whose days items are counted. */
export interface Days {
  readonly attribute: string
  readonly zone: string
}

/** The most items over which counts of all scopes are spread: a count reads them all. */
export const MOST_ACROSS = 64

const NAMES: OptionNames<StatisticsOptions> = { across: true, days: true }
const DAYS_NAMES: OptionNames<DaysOptions> = { of: true, zone: true }

/** @throws {LapidaryError} `declaration_invalid` for shards, an attribute or a zone that is not usable. */
export function declaredStatistics(given: StatisticsOptions | undefined = {}, order: Order): Statistics {
  const { across, days } = knownOptions('statistics', given, NAMES, 'declaration_invalid')
  if (across !== undefined && !(Number.isInteger(across) && across >= 1 && across <= MOST_ACROSS))
    invalidDeclaration(`statistics are across ${shown(across)}; say a whole number of shards, 1 to ${MOST_ACROSS}`)
  return Object.freeze({ across, days: days === undefined ? undefined : declaredDays(days, order) })
}

function declaredDays(given: true | DaysOptions, order: Order): Days {
  const { of = order.attribute, zone = UTC } =
    given === true ? {} : knownOptions('the days of statistics', given, DAYS_NAMES, 'declaration_invalid')
  if (typeof of !== 'string' || of === '')
    invalidDeclaration(`items are counted by the days of ${shown(of)}; name an attribute whose values are times`)
  if (of === order.attribute && order.type !== 'time')
    invalidDeclaration(
      `items are counted by the days of ${of}, by which lists are ordered as a ${order.type}; name an attribute whose values are times: days: { of: … }`,
    )
  if (typeof zone !== 'string' || !isZone(zone))
    invalidDeclaration(`items are counted by the days of the zone ${shown(zone)}; name one as UTC or Europe/Berlin`)
  return Object.freeze({ attribute: of, zone })
}
