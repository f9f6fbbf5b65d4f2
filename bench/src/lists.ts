import type { BenchContext, StoredComments } from './bench.ts'
import { entryBytes, PRODUCT } from './comments.ts'
import { families } from './family-report.ts'
import { mean, median, quantile, rounded, timed } from './measure.ts'
import { filteredPage, naivePage, type PlainPage } from './plain-sdk.ts'
import type { Random } from './random.ts'
import { type RatingFilter, ratingFilters, whereOf } from './rating-filters.ts'
import type { FigureTable, Report } from './report.ts'

const PAGE = 20
const BLOCK_BYTES = 4096
const FILTERED_EVERY = 4

/** The figures of one way of reading a page. */
interface Sample {
  /** RCU over the least possible: `0.5 * ceil(bytes of the page / 4096)`. */
  readonly ratio: number
  readonly rcu: number
  readonly requests: number
  readonly rounds: number
  readonly ms: number
}

interface FilterSamples {
  readonly filter: RatingFilter
  readonly plan: string
  readonly library: readonly Sample[]
  readonly naive: readonly Sample[]
  readonly filtered: readonly Sample[]
}

/**
 * Pages of 20 under all 62 filters at random depths: the library, every list in full, and a filter expression, each page
 * read by all three and compared. Then pages of other data, against a reader that knows everything beforehand.
 */
export async function lists({ random, seed, quick, stored }: BenchContext): Promise<Report> {
  const table = await stored()
  const pages = quick ? 4 : 60
  const measured: FilterSamples[] = []
  for (const filter of ratingFilters()) measured.push(await measureFilter(table, filter, pages, random))
  const report = reportOf(measured, pages)
  const drawn = await families(seed, quick)
  return {
    tables: [drawn.table, ...report.tables],
    targets: [...report.targets, ...drawn.targets],
    figures: { filters: report.figures, families: drawn.figures },
  }
}

async function measureFilter(
  table: StoredComments,
  filter: RatingFilter,
  pages: number,
  random: Random,
): Promise<FilterSamples> {
  const { client, lapidary } = table
  const query = { scope: PRODUCT, where: whereOf(filter) }
  const samples = { library: [] as Sample[], naive: [] as Sample[], filtered: [] as Sample[] }
  const plan = (await lapidary.comments.plan(query)).text
  let cursor: string | undefined
  for (let attempt = 0; samples.library.length < pages && attempt < 20 * pages; attempt++) {
    // Some way on, by a page of another size: cursors do not depend on it.
    const skipped = await lapidary.comments.list({ ...query, limit: 1 + Math.floor(random() * 60), cursor })
    const last = skipped.items.at(-1)
    cursor = skipped.cursors.next ?? undefined
    if (cursor === undefined || last === undefined) continue
    const at = cursor
    const before = `${last.createdAt}#${last.id}`

    const library = await timed(() => lapidary.comments.list({ ...query, limit: PAGE, cursor: at }))
    cursor = library.value.cursors.next ?? undefined
    if (library.value.items.length < PAGE) continue
    const naive = await timed(() => naivePage(client, filter, before, PAGE))
    requireSame(filter, library.value.items, naive.value)
    // A rare rating takes a filter expression twenty rounds, so fewer pages have to do.
    if (samples.library.length % FILTERED_EVERY === 0) {
      const filtered = await timed(() => filteredPage(client, filter, before, PAGE))
      requireSame(filter, library.value.items, filtered.value)
      samples.filtered.push(sample(filtered.value, leastCapacity(filtered.value), filtered.ms))
    }

    const least = leastCapacity(naive.value)
    const { actual } = library.value.plan
    if (actual === null) throw new Error('a page that was read has no actual figures')
    samples.library.push(sample(actual, least, library.ms))
    samples.naive.push(sample(naive.value, least, naive.ms))
  }
  return { filter, plan, ...samples }
}

/** RCU of reading the page's entries and nothing else. */
function leastCapacity({ entries }: PlainPage): number {
  const bytes = entries.reduce((sum, entry) => sum + entryBytes(entry), 0)
  return 0.5 * Math.ceil(bytes / BLOCK_BYTES)
}

function sample({ rcu, requests, rounds }: Omit<PlainPage, 'entries'>, least: number, ms: number): Sample {
  return { ratio: rcu / least, rcu, requests, rounds, ms }
}

function requireSame(
  filter: RatingFilter,
  items: readonly { readonly id: string }[],
  ...pages: readonly PlainPage[]
): void {
  const ids = items.map(({ id }) => id).join()
  for (const { entries } of pages) {
    if (entries.map(({ i }) => i?.S).join() !== ids) throw new Error(`two ways gave different pages for ${filter.name}`)
  }
}

function reportOf(measured: readonly FilterSamples[], pages: number): Report {
  const ways = ['library', 'naive', 'filtered'] as const
  const meanOf = (way: (typeof ways)[number], field: keyof Sample): number =>
    mean(measured.map((one) => mean(one[way].map((each) => each[field]))))
  const worstFilter = Math.max(...measured.map(({ library }) => mean(library.map(({ ratio }) => ratio))))
  const all = (way: (typeof ways)[number]): readonly Sample[] => measured.flatMap((one) => one[way])
  const names = { library: 'library', naive: 'every list in full', filtered: 'filter expression' }
  const summary: FigureTable = {
    title: `Mean over the 62 filters, ${pages} pages of ${PAGE} each`,
    columns: ['way', 'RCU / least', 'worst filter', 'worst page', 'rounds', 'requests', 'ms p50', 'ms p95'],
    rows: ways.map((way) => [
      names[way],
      rounded(meanOf(way, 'ratio'), 2),
      rounded(Math.max(...measured.map((one) => mean(one[way].map(({ ratio }) => ratio)))), 2),
      rounded(Math.max(...all(way).map(({ ratio }) => ratio)), 2),
      rounded(meanOf(way, 'rounds'), 2),
      rounded(meanOf(way, 'requests'), 2),
      rounded(median(all(way).map(({ ms }) => ms)), 1),
      rounded(
        quantile(
          all(way).map(({ ms }) => ms),
          0.95,
        ),
        1,
      ),
    ]),
  }
  const each: FigureTable = {
    title: 'RCU over the least, and rounds, for each filter',
    columns: [
      'filter',
      'library',
      'rounds',
      'requests',
      'ms p50',
      'every list in full',
      'filter expression',
      'its rounds',
    ],
    rows: measured.map(({ filter, library, naive, filtered }) => [
      filter.name,
      rounded(mean(library.map(({ ratio }) => ratio)), 2),
      rounded(mean(library.map(({ rounds }) => rounds)), 2),
      rounded(mean(library.map(({ requests }) => requests)), 2),
      rounded(median(library.map(({ ms }) => ms)), 1),
      rounded(mean(naive.map(({ ratio }) => ratio)), 2),
      rounded(mean(filtered.map(({ ratio }) => ratio)), 2),
      rounded(mean(filtered.map(({ rounds }) => rounds)), 1),
    ]),
  }
  return {
    tables: [summary, each],
    targets: [
      {
        name: 'RCU over the least, mean of the filters',
        value: meanOf('library', 'ratio'),
        limit: 1.35,
        kind: 'at most',
      },
      { name: "RCU over the least, the worst filter's mean", value: worstFilter, limit: 2.1, kind: 'at most' },
      { name: 'rounds, mean of the filters', value: meanOf('library', 'rounds'), limit: 1.05, kind: 'at most' },
    ],
    figures: measured.map(({ filter, plan, ...samples }) => ({
      filter: filter.name,
      plan,
      pages: samples.library.length,
      ...Object.fromEntries(
        ways.map((way) => [
          way,
          Object.fromEntries(
            (['ratio', 'rcu', 'requests', 'rounds', 'ms'] as const).map((field) => [
              field,
              rounded(mean(samples[way].map((one) => one[field]))),
            ]),
          ),
        ]),
      ),
    })),
  }
}
