import { type AttributeValue, type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb'
import { sumOfDecimals } from '../decimal-units.ts'
import { withoutDigest } from '../derived-keys.ts'

type Entry = Record<string, AttributeValue>

/** Derived data by key without its digest, as plain values: what there is, and what a recount of the reviews says there should be. */
export interface Recount {
  readonly found: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly expected: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly deadLetters: readonly Entry[]
}

const DERIVED = /^~(counts|leaders)\./

/** Reads a whole table and counts again by hand, with nothing of the library's own counting. */
export async function recount(client: DynamoDBClient, TableName: string): Promise<Recount> {
  const entries = await scan(client, TableName)
  const isReview = ({ PK, SK }: Entry): boolean => SK?.S === '~' && PK?.S?.startsWith('REVIEW#') === true
  const derived = entries.filter((entry) => DERIVED.test(entry.PK?.S ?? ''))
  return {
    found: Object.fromEntries(
      derived.map((entry) => [`${withoutDigest(entry.PK?.S ?? '')} ${entry.SK?.S}`, plain(entry)]),
    ),
    expected: expectedOf(entries.filter(isReview)),
    deadLetters: entries.filter(({ PK }) => PK?.S === '~DEADLETTER'),
  }
}

/** What was found without the bytes: how many items there are of each kind. */
export function countsOf(found: Recount['found']): Recount['found'] {
  const counts = Object.entries(found).map(([key, counters]) => [
    key,
    Object.fromEntries(Object.entries(counters).filter(([name]) => !/^(bytes|sized|sum|summed)_/.test(name))),
  ])
  return Object.fromEntries(counts)
}

export async function scan(client: DynamoDBClient, TableName: string): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  let ExclusiveStartKey: Entry | undefined
  do {
    const page = await client.send(
      new ScanCommand({ TableName, ConsistentRead: true, ...(ExclusiveStartKey && { ExclusiveStartKey }) }),
    )
    entries.push(...(page.Items ?? []))
    ExclusiveStartKey = page.LastEvaluatedKey
  } while (ExclusiveStartKey !== undefined)
  return entries
}

function expectedOf(reviews: readonly Entry[]): Record<string, Record<string, unknown>> {
  const expected: Record<string, Record<string, number | string>> = {}
  for (const review of reviews.filter(isWellFormed)) {
    const { productId, language, rating, price } = review
    const add = (counts: Record<string, number | string>, counter: string, amount: number): void => {
      counts[counter] = Number(counts[counter] ?? 0) + amount
    }
    for (const part of ['~', language?.S ?? '%~']) {
      const key = `~counts#REVIEW#${productId?.S?.replace('#', '%23').replace('/', '%2F')} ${part}`
      const counts = expected[key] ?? {}
      // Without a rating, or with one that is none, it counts in totals, and under no rating.
      const value = rating === undefined ? '%~' : /^[1-5]$/.test(rating.N ?? '') ? rating.N : '%00other'
      for (const name of [value, 'total']) {
        add(counts, `count_${name}`, 1)
        add(counts, `bytes_${name}`, bytesOf(review))
        if (price?.N === undefined) continue
        add(counts, `summed_${name}.price`, 1)
        const sum = sumOfDecimals([String(counts[`sum_${name}.price`] ?? 0), price.N])
        counts[`sum_${name}.price`] = sum
      }
      add(counts, 'sized_total', 1)
      expected[key] = counts
    }
  }
  const withoutZeros = Object.entries(expected).map(([key, counts]): [string, Record<string, number | string>] => [
    key,
    Object.fromEntries(Object.entries(counts).filter(([, amount]) => amount !== '0')),
  ])
  const boards = withoutZeros.flatMap(([key, counts]) => boardsOf(key, counts))
  return Object.fromEntries([...withoutZeros, ...boards])
}

/** As the table weighs it: names and texts in UTF-8, numbers a byte for two digits plus one. */
export function bytesOf(entry: Entry): number {
  return Object.entries(entry).reduce((sum, [name, { S, N }]) => {
    const digits = (N ?? '').replace(/[-.]/g, '').length
    return sum + Buffer.byteLength(name) + (S === undefined ? Math.ceil(digits / 2) + 1 : Buffer.byteLength(S))
  }, 0)
}

function isWellFormed({ productId, language }: Entry): boolean {
  return Boolean(productId?.S) && (language === undefined || language.S !== undefined)
}

function boardsOf(key: string, counts: Readonly<Record<string, number | string>>): [string, Record<string, unknown>][] {
  const [, product = '', part = ''] = /^~counts#REVIEW#(.*) (.*)$/.exec(key) ?? []
  const suffix = part === '~' ? '' : `#${part}`
  const place = (name: string, count: unknown, more: object): [string, Record<string, unknown>][] => {
    if (count === undefined) return []
    const value = { board: `~leaders${suffix}/REVIEW/${name}`, count, product: decodeURIComponent(product), ...more }
    return [[`~leaders#REVIEW#${product} ${name}${suffix}`, value]]
  }
  const sum = counts['sum_total.price']
  return [
    ...place('five-star', counts.count_5, {}),
    ...place('revenue', counts['summed_total.price'], sum === undefined ? {} : { sum }),
  ]
}

/** Counters as numbers; a leaderboard item as the board that it stands on, and what its sort key says. */
function plain(entry: Entry): Record<string, unknown> {
  if (entry.PK?.S?.startsWith('~leaders.')) {
    const { k, s, count: held, sum } = entry
    const [place = '', name = ''] = s?.S?.split('#') ?? []
    const [inverted, product] = [place.slice(-12), decodeURIComponent(name)]
    const count = 999_999_999_999 - Number(inverted)
    return {
      board: withoutDigest(k?.S ?? '').replace(/\/[01]$/, ''),
      count: count === Number(held?.N) ? count : [count, held],
      product,
      ...(sum === undefined ? {} : { sum: sum.S }),
    }
  }
  const counters = Object.entries(entry).filter(([name]) => !['PK', 'SK', 'asOf', 'rev'].includes(name))
  return Object.fromEntries(counters.map(([name, value]) => [name, value.S ?? Number(value.N)]))
}
