import { LapidaryError, shown } from '../model/errors.ts'

/** What DynamoDB charges in one region, in dollars. */
export interface Prices {
  readonly region: string
  /** The day on which they were taken from the source, as 2026-11-22. */
  readonly date: string
  readonly source: string
  readonly onDemand: { readonly millionWriteUnits: number; readonly millionReadUnits: number }
  /** A unit a second, for an hour. */
  readonly provisioned: { readonly writeUnitHour: number; readonly readUnitHour: number }
  readonly gigabyteMonth: number
}

/**
 * Prices of a standard table in us-east-1, as they have been since November 2024. Streams, Lambda, backups and transfer are extra.
 *
 * @example
 * ```ts run
 * const prices = { ...US_EAST_1, region: 'my-region', gigabyteMonth: 0.28 }
 * ```
 */
export const US_EAST_1: Prices = {
  region: 'us-east-1',
  date: '2026-11-22',
  source: 'https://aws.amazon.com/dynamodb/pricing/',
  onDemand: { millionWriteUnits: 0.625, millionReadUnits: 0.125 },
  provisioned: { writeUnitHour: 0.00065, readUnitHour: 0.00013 },
  gigabyteMonth: 0.25,
}

/** What a layout takes, whatever it is charged. */
export interface Usage {
  readonly writeUnitsPerSecond: number
  readonly readUnitsPerSecond: number
  readonly storedBytes: number
}

/** Dollars a month: of capacity in both modes, and of storage, which is in both. */
export interface MonthlyPrice {
  readonly writes: number
  readonly reads: number
  readonly storage: number
  /** Writes, reads and storage, on demand. */
  readonly onDemand: number
  /** Capacity that stands all month, and storage. */
  readonly provisioned: number
}

export const HOURS_A_MONTH = 730
const SECONDS_A_MONTH = HOURS_A_MONTH * 3600
const GIGABYTE = 2 ** 30

/** @param utilisation Share of provisioned capacity that the mean load uses. */
export function monthlyPrice(usage: Usage, prices: Prices, utilisation: number): MonthlyPrice {
  const { writeUnitsPerSecond, readUnitsPerSecond, storedBytes } = usage
  const { onDemand, provisioned, gigabyteMonth } = prices
  const writes = ((writeUnitsPerSecond * SECONDS_A_MONTH) / 1e6) * onDemand.millionWriteUnits
  const reads = ((readUnitsPerSecond * SECONDS_A_MONTH) / 1e6) * onDemand.millionReadUnits
  const storage = (storedBytes / GIGABYTE) * gigabyteMonth
  const hourly =
    (writeUnitsPerSecond / utilisation) * provisioned.writeUnitHour +
    (readUnitsPerSecond / utilisation) * provisioned.readUnitHour
  return { writes, reads, storage, onDemand: writes + reads + storage, provisioned: hourly * HOURS_A_MONTH + storage }
}

/**
 * Prices as a file or a caller gives them.
 *
 * @throws {LapidaryError} `bad_request` for what is no table of prices, with the field.
 * @example
 * ```ts run
 * const prices = checkedPrices(JSON.parse(JSON.stringify(US_EAST_1)))
 * ```
 */
export function checkedPrices(given: unknown): Prices {
  const field = (path: string): unknown =>
    path
      .split('.')
      .reduce<unknown>((value, name) => (value as Record<string, unknown> | null | undefined)?.[name], given)
  for (const path of ['region', 'date', 'source']) {
    if (typeof field(path) !== 'string') refuse(path, field(path), 'a text')
  }
  if (Number.isNaN(Date.parse(String(field('date'))))) refuse('date', field('date'), 'a day, as 2026-11-22')
  for (const path of [
    'onDemand.millionWriteUnits',
    'onDemand.millionReadUnits',
    'provisioned.writeUnitHour',
    'provisioned.readUnitHour',
    'gigabyteMonth',
  ]) {
    const value = field(path)
    if (typeof value !== 'number' || !(value >= 0 && Number.isFinite(value))) refuse(path, value, 'dollars, 0 or more')
  }
  return given as Prices
}

function refuse(path: string, value: unknown, wanted: string): never {
  throw new LapidaryError('bad_request', `the prices have ${shown(value)} as ${path}; it has to be ${wanted}`)
}
