import { readFileSync } from 'node:fs'
import type { Bench } from './bench.ts'
import type { FigureTable } from './report.ts'

/** The items and the monthly load of a shop. */
interface Shop {
  readonly name: string
  readonly comments: number
  readonly pages: number
  readonly written: number
}

const SHOPS: readonly Shop[] = [
  { name: 'small', comments: 50_000, pages: 1_000_000, written: 5_000 },
  { name: 'middle', comments: 5_000_000, pages: 100_000_000, written: 500_000 },
  { name: 'large', comments: 200_000_000, pages: 2_000_000_000, written: 10_000_000 },
]

/** Dollars in us-east-1, on demand, as the price list has them since November 2024. */
const PRICE = { readUnit: 0.125e-6, writeUnit: 0.625e-6, gigabyteMonth: 0.25 }
/** A month's polling of four quiet shards and their leases: docs/costs.md. */
const POLLER = 2.91
const BYTES = 500
/** Bytes that DynamoDB adds to an item and to each index entry in storage. */
const OVERHEAD = 100
const LEAST_RCU = 1.5
const COUNTS_RCU = 0.5
const INDEXES = 4
/** Units of a change that is counted by itself: two items of counts and a checkpoint, in a transaction. */
const COUNTING_WRU = 6

interface Result {
  readonly tables: readonly FigureTable[]
}

/** Computes the monthly bills of shops of three sizes, from the units that the benches `lists` and `writes` have measured. */
export const shops: Bench = async () => {
  const overLeast = new Map(rowsOf('lists', 'Mean over the 62 filters').map(([way, over]) => [way, Number(over)]))
  const [, create = 0] =
    rowsOf('writes', 'Write units of a comment').find(([operation]) => operation === 'create') ?? []
  const library = LEAST_RCU * (overLeast.get('library') ?? 0)
  const filter = LEAST_RCU * (overLeast.get('filter expression') ?? 0)
  const rows = SHOPS.map((shop) => [
    shop.name,
    shop.comments.toLocaleString('en'),
    shop.pages.toLocaleString('en'),
    shop.written.toLocaleString('en'),
    dollars(month(shop, library + COUNTS_RCU, Number(create) + COUNTING_WRU, INDEXES) + POLLER),
    dollars(month(shop, filter, 2, 1)),
  ])
  return {
    tables: [
      {
        title: 'A page of 20, read units, mean of 62 filters',
        columns: ['way', 'read units', 'rounds'],
        rows: rowsOf('lists', 'Mean over the 62 filters').map(([way = '', over, , , rounds = '']) => [
          way,
          Number((LEAST_RCU * Number(over)).toFixed(2)),
          rounds,
        ]),
      },
      {
        title: 'Dollars a month, computed',
        columns: [
          'shop',
          'comments',
          'pages a month',
          'written a month',
          'Lapidary, with counts',
          'GSI and filter expression',
        ],
        rows,
      },
    ],
    targets: [],
    figures: { PRICE, POLLER, COUNTS_RCU, COUNTING_WRU, library, filter, create },
  }
}

function month({ comments, pages, written }: Shop, rcu: number, wru: number, indexes: number): number {
  const gigabytes = (comments * (BYTES + OVERHEAD) * (1 + indexes)) / 1e9
  return pages * rcu * PRICE.readUnit + written * wru * PRICE.writeUnit + gigabytes * PRICE.gigabyteMonth
}

function dollars(amount: number): string {
  return `$${amount < 10 ? amount.toFixed(2) : Math.round(amount).toLocaleString('en')}`
}

function rowsOf(bench: string, title: string): FigureTable['rows'] {
  const { tables } = JSON.parse(readFileSync(new URL(`../results/${bench}.json`, import.meta.url), 'utf8')) as Result
  const table = tables.find((each) => each.title.startsWith(title))
  if (table === undefined) throw new Error(`${bench} has no table ${title}; run it first`)
  return table.rows
}
