/** Dollars in us-east-1, on demand, as the price list has them since November 2024. */
export const PRICE = { readUnit: 0.125e-6, writeUnit: 0.625e-6, gigabyteMonth: 0.25 }
/** A month's polling of four quiet shards and their leases: docs/costs.md. */
export const POLLER = 2.91
/** Bytes that DynamoDB adds to an item and to each index entry in storage. */
const OVERHEAD = 100

/** What a month is billed by. */
export interface Month {
  readonly items: number
  /** Bytes of each. */
  readonly bytes: number
  readonly indexes: number
  readonly readUnits: number
  readonly writeUnits: number
}

export function monthOf({ items, bytes, indexes, readUnits, writeUnits }: Month): number {
  const gigabytes = (items * (bytes + OVERHEAD) * (1 + indexes)) / 1e9
  return readUnits * PRICE.readUnit + writeUnits * PRICE.writeUnit + gigabytes * PRICE.gigabyteMonth
}

export function dollars(amount: number): string {
  return `$${amount < 10 ? amount.toFixed(2) : Math.round(amount).toLocaleString('en')}`
}
