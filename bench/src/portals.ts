import type { Bench } from './bench.ts'
import { rowsOf } from './kept-tables.ts'
import { mean } from './measure.ts'
import { dollars, monthOf, POLLER } from './prices.ts'

/** The listings and the monthly load of a portal: each search is a page and the exact number of what it finds. */
interface Portal {
  readonly name: string
  readonly regions: number
  readonly searches: number
}

const PORTALS: readonly Portal[] = [
  { name: 'small', regions: 1, searches: 1_000_000 },
  { name: 'middle', regions: 10, searches: 10_000_000 },
  { name: 'large', regions: 100, searches: 100_000_000 },
]
/** As many as the bench `peers-listings` has measured. */
const LISTINGS_OF_A_REGION = 100_000
/** Times that a listing is written in a month: made, or changed. */
const WRITTEN = 2
/** Of an entry of an index with its keys, as the whole lists that the bench reads have it. */
const BYTES = 600
const INDEXES = 2
/** OpenSearch Serverless in us-east-1, by the price list of spring 2026. */
const OCU_HOUR = 0.24
const HOURS = 730
/** The least that runs: one OCU for indexing and search without redundancy, or two with it, and one for the pipeline. */
const LEAST_OCUS = { single: 1 + 1, redundant: 2 + 1 }

/** Computes the monthly bills of portals of three sizes, from the units that the bench `peers-listings` has measured. */
export const portals: Bench = async () => {
  const [lapidary, filter] = ['Lapidary, columns', 'ElectroDB'] as const
  const pages = rowsOf('peers-listings', 'listings: the first page')
  const counts = rowsOf('peers-listings', 'listings: the exact number')
  const created = rowsOf('peers-listings', 'listings, ')
  const meanOf = (rows: typeof pages, library: string): number =>
    mean(rows.filter((row) => row[1] === library).map((row) => Number(row[2])))
  const [, , create = 0, derived = 0] = created.find(([library]) => library === lapidary) ?? []
  const units = {
    search: meanOf(pages, lapidary) + meanOf(counts, lapidary),
    change: Number(create) + Number(derived),
    filter: meanOf(pages, filter),
    filterWithNumber: meanOf(pages, filter) + meanOf(counts, filter),
  }
  const rows = PORTALS.map(({ name, regions, searches }) => {
    const items = regions * LISTINGS_OF_A_REGION
    const stored = { items, bytes: BYTES, indexes: INDEXES }
    const written = items * WRITTEN
    const filtered = (rcu: number): number =>
      monthOf({ ...stored, readUnits: searches * rcu, writeUnits: written * (1 + INDEXES) })
    const bare = monthOf({ items, bytes: BYTES, indexes: 0, readUnits: 0, writeUnits: written })
    return [
      ...[name, items.toLocaleString('en'), searches.toLocaleString('en'), written.toLocaleString('en')],
      dollars(POLLER + monthOf({ ...stored, readUnits: searches * units.search, writeUnits: written * units.change })),
      dollars(filtered(units.filter)),
      dollars(filtered(units.filterWithNumber)),
      dollars(LEAST_OCUS.single * OCU_HOUR * HOURS + bare),
      dollars(LEAST_OCUS.redundant * OCU_HOUR * HOURS + bare),
    ]
  })
  return {
    tables: [
      {
        title: 'Units that it is computed from, mean of the searches',
        columns: ['way', 'RCU of a page', 'RCU of the exact number'],
        rows: [lapidary, filter].map((library) => [
          library === filter ? 'one index and a filter' : library,
          ...[pages, counts].map((rows) => Number(meanOf(rows, library).toFixed(1))),
        ]),
      },
      {
        title: 'Dollars a month, computed',
        columns: [
          ...['portal', 'listings', 'searches a month', 'written a month', 'Lapidary, columns'],
          ...['index and filter, no number', 'index and filter, with the number'],
          ...['OpenSearch Serverless, least', 'with redundancy, least'],
        ],
        rows,
      },
    ],
    targets: [],
    figures: { units, OCU_HOUR, WRITTEN, POLLER },
  }
}
