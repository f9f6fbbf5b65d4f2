import { BatchWriteItemCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { createLapidary, indexes, type Layout, nativeKeys } from 'lapidary'
import { openEngine } from 'lapidary-engine'
import { startDynamoDbLocal } from '../../test/engines/dynamodb-local.ts'
import type { BenchContext } from './bench.ts'
import { type Comment, comments, generateComments, PRODUCT } from './comments.ts'
import { mean, rounded } from './measure.ts'
import { ratingFilters, whereOf } from './rating-filters.ts'
import type { FigureTable, Report } from './report.ts'

const LIMIT = 20
const PAGES = 10
const BATCH = 25
/** Filters of each end that are shown. */
const SHOWN = 4

/** The mean figures of one filter's pages in one layout. */
interface Taken {
  readonly filter: string
  readonly rcu: number
  readonly rounds: number
  readonly bytes: number
  readonly pages: number
}

/** The same comments by the same 62 filters in both layouts, on DynamoDB Local, which can query keys of several attributes. */
export async function nativeKeysBench({ random, quick }: BenchContext): Promise<Report> {
  const all = generateComments(quick ? 500 : 5_000, random)
  await using local = await startDynamoDbLocal()
  await using engine = await openEngine({ endpoint: local.endpoint })
  const taken = []
  for (const layout of [indexes(), nativeKeys()]) {
    const client = new DynamoDBClient(engine.clientConfig)
    taken.push({ name: layout.name, filters: await measure(client, layout, all) })
    client.destroy()
  }
  const [texts, native] = taken.map(({ filters }) => filters) as [readonly Taken[], readonly Taken[]]
  const ratio = (of: 'rcu' | 'rounds'): number => mean(native.map((one) => one[of])) / mean(texts.map((one) => one[of]))
  const ratios = native.map((one, i) => one.rcu / (texts[i]?.rcu ?? 0))
  const pages = (filters: readonly Taken[]): number => filters.reduce((sum, one) => sum + one.pages, 0)
  return {
    tables: [
      {
        title: `The first ${PAGES} pages of ${LIMIT} of each of ${native.length} filters, ${all.length.toLocaleString('en')} comments, on DynamoDB Local`,
        columns: ['layout', 'pages', 'RCU a page', 'rounds a page', 'bytes a page'],
        rows: taken.map(({ name, filters }) => [
          ...[name, pages(filters)],
          ...(['rcu', 'rounds', 'bytes'] as const).map((of) => rounded(mean(filters.map((one) => one[of])), 3)),
        ]),
      },
      differing(texts, native),
    ],
    targets: [
      { name: 'RCU of native keys over indexes', value: ratio('rcu'), limit: 1, kind: 'at most' },
      {
        name: 'RCU of native keys over indexes, the worst filter',
        value: Math.max(...ratios),
        limit: 1.1,
        kind: 'at most',
      },
      { name: 'rounds of native keys over indexes', value: ratio('rounds'), limit: 1.01, kind: 'at most' },
    ],
    figures: taken,
  }
}

/** The filters of which a page took other units or rounds than by indexes, the dearest first. */
function differing(texts: readonly Taken[], native: readonly Taken[]): FigureTable {
  const pairs = native.map((one, i) => [texts[i] as Taken, one] as const)
  const others = pairs.filter(([text, one]) => one.rcu !== text.rcu || one.rounds !== text.rounds)
  const more = (of: 'rcu' | 'rounds'): number => pairs.filter(([text, one]) => one[of] > text[of]).length
  return {
    title: `Of ${pairs.length} filters ${pairs.length - others.length} took the same, ${more('rcu')} more RCU and ${more('rounds')} more rounds; those that differ most`,
    columns: ['filter', 'RCU a page, indexes', 'native keys', 'rounds, indexes', 'native keys'],
    rows: others
      .toSorted(([a, b], [c, d]) => d.rcu / c.rcu - b.rcu / a.rcu)
      .filter((_, i) => i < SHOWN || i >= others.length - SHOWN)
      .map(([text, one]) => [
        text.filter,
        ...[text.rcu, one.rcu, text.rounds, one.rounds].map((each) => rounded(each, 2)),
      ]),
  }
}

async function measure(client: DynamoDBClient, layout: Layout, all: readonly Comment[]): Promise<readonly Taken[]> {
  const tableName = `comments-${layout.name}`
  const { table, comments: list } = createLapidary({
    ...{ client, tableName, collections: { comments }, layout },
    cursorSecret: 'a secret that only the bench knows',
  })
  await table.create()
  const { layout: lists, codec } = list.context
  const entries = all.flatMap((comment) => lists.entriesOf(comment as never, codec.toEntry(comment as never)))
  for (let i = 0; i < entries.length; i += BATCH) {
    const puts = entries.slice(i, i + BATCH).map((entry) => ({ PutRequest: { Item: { ...entry } } }))
    await client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: puts } }))
  }
  const found: Taken[] = []
  for (const filter of ratingFilters()) {
    const actuals: { readonly rcu: number; readonly rounds: number; readonly bytes: number }[] = []
    let cursor: string | undefined
    do {
      const page = await list.list({ scope: PRODUCT, where: whereOf(filter), limit: LIMIT, cursor })
      if (page.plan.actual !== null) actuals.push(page.plan.actual)
      cursor = page.cursors.next ?? undefined
    } while (cursor !== undefined && actuals.length < PAGES)
    const of = (field: 'rcu' | 'rounds' | 'bytes'): number => mean(actuals.map((actual) => actual[field]))
    found.push({ filter: filter.name, rcu: of('rcu'), rounds: of('rounds'), bytes: of('bytes'), pages: actuals.length })
  }
  return found
}
