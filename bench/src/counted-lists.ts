import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { entryBytes, generateComments, PRODUCT } from './comments.ts'
import { type CountedTable, openCountedTable } from './counted-table.ts'
import { mean, rounded } from './measure.ts'
import { naivePage } from './plain-sdk.ts'
import type { Random } from './random.ts'
import { ratingFilters, whereOf } from './rating-filters.ts'
import type { FigureTable, Target } from './report.ts'
import { entryOf, storeComments } from './stored-comments.ts'

const PAGE = 20
const BLOCK_BYTES = 4096

interface Figures {
  readonly table: FigureTable
  readonly targets: readonly Target[]
  readonly figures: unknown
}

/** Pages of 20 under all 62 filters at random depths, planned on real counts that a poller in this process keeps. */
export async function countedLists(random: Random, quick: boolean): Promise<readonly Figures[]> {
  const pages = quick ? 4 : 30
  await using table = await openCountedTable()
  const { client } = table
  await storeComments(client, generateComments(quick ? 4_000 : 42_000, random).map(entryOf))
  await using _poller = await table.startPoller()
  await table.counted()
  const { comments } = table.lapidary
  const statistics = countStatisticsReads(table.pollerClient)
  const measured = []
  for (const filter of ratingFilters()) {
    const query = { scope: PRODUCT, where: whereOf(filter) }
    const samples: { readonly ratio: number; readonly rounds: number; readonly rcu: number }[] = []
    let cursor: string | undefined
    for (let attempt = 0; samples.length < pages && attempt < 20 * pages; attempt++) {
      const skipped = await comments.list({ ...query, limit: 1 + Math.floor(random() * 60), cursor })
      const last = skipped.items.at(-1)
      cursor = skipped.cursors.next ?? undefined
      if (cursor === undefined || last === undefined) continue
      const page = await comments.list({ ...query, limit: PAGE, cursor })
      cursor = page.cursors.next ?? undefined
      if (page.items.length < PAGE) continue
      const naive = await naivePage(client, filter, `${last.createdAt}#${last.id}`, PAGE)
      if (naive.entries.map(({ i }) => i?.S).join() !== page.items.map(({ id }) => id).join()) {
        throw new Error(`two ways gave different pages for ${filter.name}`)
      }
      const bytes = naive.entries.reduce((sum, entry) => sum + entryBytes(entry), 0)
      const { actual, statisticsRcu } = page.plan
      if (actual === null) throw new Error('a page that was read has no actual figures')
      const rcu = actual.rcu - (statisticsRcu ?? 0)
      samples.push({
        ratio: rcu / (0.5 * Math.ceil(bytes / BLOCK_BYTES)),
        rounds: actual.rounds,
        rcu,
      })
    }
    measured.push({
      filter: filter.name,
      pages: samples.length,
      ratio: mean(samples.map(({ ratio }) => ratio)),
      rounds: mean(samples.map(({ rounds }) => rounds)),
      rcu: mean(samples.map(({ rcu }) => rcu)),
    })
  }
  const ratio = mean(measured.map((each) => each.ratio))
  const rounds = mean(measured.map((each) => each.rounds))
  const worst = Math.max(...measured.map((each) => each.ratio))
  const listed = measured.reduce((sum, each) => sum + each.pages, 0)
  if (statistics.reads === 0) throw new Error('no read of counts was seen, and there were some')
  const lists: Figures = {
    table: {
      title: `Planned on real counts: mean over the 62 filters, ${pages} pages of ${PAGE} each`,
      columns: ['RCU / least', 'worst filter', 'rounds', 'RCU a page', 'reads of counts', 'RCU of each', 'pages read'],
      rows: [
        [
          rounded(ratio, 3),
          rounded(worst, 2),
          rounded(rounds, 3),
          rounded(mean(measured.map((each) => each.rcu)), 2),
          statistics.reads,
          rounded(statistics.rcu / statistics.reads, 2),
          listed,
        ],
      ],
    },
    targets: [
      { name: 'RCU over the least on real counts, mean of the filters', value: ratio, limit: 1.3, kind: 'at most' },
    ],
    figures: { ratio, worst, rounds, statistics, listed, filters: measured },
  }
  return [lists, await missingRating(table, random)]
}

/** A product without two-star comments: asking for them has to cost no more than the least read. */
export async function missingRating(
  { client, lapidary: { comments }, counted }: CountedTable,
  random: Random,
): Promise<Figures> {
  const product = 'without-two-stars'
  const given = generateComments(400, random, { prefix: 'none' })
    .filter(({ rating }) => rating !== 2)
    .map((comment) => ({ ...comment, productId: product }))
  await storeComments(client, given.map(entryOf))
  await counted()
  const filters = [[2], [2, 3]] as const
  const rows = []
  for (const rating of filters) {
    // The first page reads the counts; a list is asked for many times while they are known.
    await comments.list({ scope: product })
    const { plan, items } = await comments.list({ scope: product, where: { rating }, limit: PAGE })
    const wanted = given.filter((comment) => rating.some((value) => value === comment.rating)).slice(-PAGE)
    if (items.length !== wanted.length) throw new Error(`rating ${rating} gave ${items.length} comments`)
    rows.push({
      rating: rating.join(', '),
      rcu: plan.actual?.rcu ?? 0,
      requests: plan.actual?.requests ?? 0,
      rounds: plan.actual?.rounds ?? 0,
      plan: plan.text,
    })
  }
  const [alone, withThree] = rows
  return {
    table: {
      title: 'Pages of a product without two-star comments',
      columns: ['ratings', 'RCU', 'requests', 'rounds', 'plan'],
      rows: rows.map(({ rating, rcu, requests, rounds, plan }) => [rating, rcu, requests, rounds, `\`${plan}\``]),
    },
    targets: [
      { name: 'RCU for a rating without comments', value: alone?.rcu ?? Number.NaN, limit: 0.5, kind: 'at most' },
      {
        name: 'requests for a rating without comments',
        value: alone?.requests ?? Number.NaN,
        limit: 1,
        kind: 'at most',
      },
      { name: 'rounds for it with another', value: withThree?.rounds ?? Number.NaN, limit: 1, kind: 'at most' },
    ],
    figures: rows,
  }
}

/** Queries of the table itself, not of an index, by the client that the library has, are reads of counts. */
function countStatisticsReads(client: DynamoDBClient): { reads: number; rcu: number } {
  const counts = { reads: 0, rcu: 0 }
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const result = await next(args)
        if (commandName === 'QueryCommand' && (args.input as { IndexName?: string }).IndexName === undefined) {
          const { ConsumedCapacity } = result.output as { ConsumedCapacity?: { CapacityUnits?: number } }
          counts.reads += 1
          counts.rcu += ConsumedCapacity?.CapacityUnits ?? 0
        }
        return result
      },
    { step: 'initialize', name: 'countStatisticsReads' },
  )
  return counts
}
