import { LapidaryError, shown } from 'lapidary'

/** DynamoDB's prices in one region, in dollars. */
export interface Prices {
  readonly region: string
  /** The day on which the prices were read from the source, as 2026-11-22. */
  readonly date: string
  readonly source: string
  readonly onDemand: { readonly millionWriteUnits: number; readonly millionReadUnits: number }
  /** The price of one unit a second, for an hour. */
  readonly provisioned: { readonly writeUnitHour: number; readonly readUnitHour: number }
  readonly gigabyteMonth: number
  /** Prices of page indexes outside of DynamoDB; those of {@link US_EAST_1} when not given. */
  readonly stores?: StorePrices
}

/** Prices of page-index stores outside of DynamoDB, in dollars. A price of 0 a month is for a server that exists anyway. */
export interface StorePrices {
  readonly date: string
  readonly source: string
  /** A node, and the gigabytes that it holds. */
  readonly redis: { readonly month: number; readonly gigabytes: number }
  readonly postgres: { readonly month: number; readonly gigabyteMonth: number }
  readonly disk: { readonly gigabyteMonth: number }
  readonly s3: { readonly thousandPuts: number; readonly thousandGets: number; readonly gigabyteMonth: number }
}

/** The smallest servers: cache.t4g.micro, and db.t4g.micro in one zone. Their prices were not read off AWS's pages; give your own where they decide. */
const STORES: StorePrices = {
  date: '2026-11-22',
  source: 'list prices of us-east-1 as others quote them, not checked with AWS',
  redis: { month: 11.68, gigabytes: 0.4 },
  postgres: { month: 11.68, gigabyteMonth: 0.115 },
  disk: { gigabyteMonth: 0.08 },
  s3: { thousandPuts: 0.005, thousandGets: 0.0004, gigabyteMonth: 0.023 },
}

/**
 * Prices of a standard table in us-east-1, as they have been since November 2024. Streams, Lambda, backups and transfer are extra.
 *
 * @example
 * ```ts run
 * const prices = { ...US_EAST_1, region: 'my-region', gigabyteMonth: 0.28 }
 * ```
 */
export const US_EAST_1: PricesOfAll = {
  region: 'us-east-1',
  date: '2026-11-22',
  source: 'https://aws.amazon.com/dynamodb/pricing/',
  onDemand: { millionWriteUnits: 0.625, millionReadUnits: 0.125 },
  provisioned: { writeUnitHour: 0.00065, readUnitHour: 0.00013 },
  gigabyteMonth: 0.25,
  stores: STORES,
}

/** Prices that include the page-index stores. */
export type PricesOfAll = Required<Prices>

/** The load of a layout, before it is priced. */
export interface Usage {
  readonly writeUnitsPerSecond: number
  readonly readUnitsPerSecond: number
  readonly storedBytes: number
}

/** Dollars a month. Each mode includes storage. */
export interface MonthlyPrice {
  readonly writes: number
  readonly reads: number
  readonly storage: number
  /** Writes, reads and storage, on demand. */
  readonly onDemand: number
  /** Provisioned capacity for the whole month, and storage. */
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
 * Checks prices from a file or a caller.
 *
 * @throws {LapidaryError} `bad_request` for anything else than a table of prices; it names the field.
 * @example
 * ```ts run
 * const prices = checkedPrices(JSON.parse(JSON.stringify(US_EAST_1)))
 * ```
 */
export function checkedPrices(given: unknown): PricesOfAll {
  const field = (path: string): unknown =>
    path
      .split('.')
      .reduce<unknown>((value, name) => (value as Record<string, unknown> | null | undefined)?.[name], given)
  for (const path of ['region', 'date', 'source']) {
    if (typeof field(path) !== 'string') refusePrice(path, field(path), 'a text')
  }
  if (Number.isNaN(Date.parse(String(field('date'))))) refusePrice('date', field('date'), 'a day, as 2026-11-22')
  for (const path of [...AMOUNTS, ...(field('stores') === undefined ? [] : STORE_AMOUNTS)]) {
    const value = field(path)
    if (typeof value !== 'number' || !(value >= 0 && Number.isFinite(value)))
      refusePrice(path, value, 'dollars, 0 or more')
  }
  return { stores: STORES, ...(given as Prices) }
}

const AMOUNTS = [
  'onDemand.millionWriteUnits',
  'onDemand.millionReadUnits',
  'provisioned.writeUnitHour',
  'provisioned.readUnitHour',
  'gigabyteMonth',
]
const STORE_AMOUNTS = [
  ...['stores.redis.month', 'stores.redis.gigabytes', 'stores.postgres.month', 'stores.postgres.gigabyteMonth'],
  ...['stores.disk.gigabyteMonth', 'stores.s3.thousandPuts', 'stores.s3.thousandGets', 'stores.s3.gigabyteMonth'],
]

function refusePrice(path: string, value: unknown, wanted: string): never {
  throw new LapidaryError('bad_request', `the prices have ${shown(value)} as ${path}; it has to be ${wanted}`)
}
