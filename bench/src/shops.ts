import type { Bench } from './bench.ts'
import { rowsOf } from './kept-tables.ts'
import { dollars, monthOf, POLLER, PRICE } from './prices.ts'

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

const BYTES = 500
const LEAST_RCU = 1.5
const COUNTS_RCU = 0.5
const INDEXES = 4
/** Units of a change that is counted by itself: two items of counts and a checkpoint, in a transaction. */
const COUNTING_WRU = 6

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
  return monthOf({ items: comments, bytes: BYTES, indexes, readUnits: pages * rcu, writeUnits: written * wru })
}
