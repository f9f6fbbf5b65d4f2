import { QueryCommand } from '@aws-sdk/client-dynamodb'
import {
  type AnyCollection,
  defineCollection,
  indexes,
  lookup,
  type Page,
  type PowerSetOptions,
  powerSet,
  powerSetSize,
} from 'lapidary'
import { importItems } from 'lapidary/transfer'
import type { BenchContext } from './bench.ts'
import { type Comment, comments, entryBytes, generateComments, PRODUCT } from './comments.ts'
import { type DuplicatesLag, duplicatesLag, lagRow } from './duplicates-lag.ts'
import { rounded } from './measure.ts'
import { openPowerSetTable, type PowerSetTable } from './power-set-table.ts'
import type { Random } from './random.ts'
import { ratingFilters, whereOf } from './rating-filters.ts'
import type { FigureTable, Report } from './report.ts'

type Entry = Parameters<typeof entryBytes>[0]

const COMMENTS = 2_000
const QUICK_COMMENTS = 200
const LIMIT = 20
const BLOCK_BYTES = 4096
const UNIT_BYTES = 1024
/** A transaction doubles its units (AWS Developer Guide), and a look at the item in it is one, doubled. */
const TRANSACTION = 2
const CHECK = 2
/** The characters of a comment's text, where lists show its beginning only. */
const LONG_TEXT = 2_000
/** Each write is 32 entries and more. */
const LAG_RATES = [5, 20]
const LAG_SECONDS = 30
/** Share of the writes that create. */
const CREATED = 0.75

/** The power set of five ratings and a language: what pages, writes and bytes are, and how far the stream is behind. */
export async function powerSetBench({ random, quick }: BenchContext): Promise<Report> {
  const all = generateComments(quick ? QUICK_COMMENTS : COMMENTS, random)
  const read = await pages(all)
  const written = await writes(all.slice(0, 1))
  const lag = await lags(all, random, quick ? 3 : LAG_SECONDS)
  return {
    tables: [read.table, written, bytes(all[0] as Comment), lag.table],
    targets: [
      { name: 'RCU of a page over the least of one list', value: read.ratio, limit: 1, kind: 'at most' },
      {
        name: 'write units of a create, a transaction’s doubling aside',
        value: powerSetSize(comments).units,
        limit: 64,
        kind: 'at most',
      },
      {
        name: 'ms until lists show a write that the stream keeps, median at 5 a second',
        ...{ value: lag.found[0]?.p50 ?? Number.NaN, limit: 1000, kind: 'at most' },
      },
      {
        name: 'differences after the writes',
        value: lag.found.reduce((sum, { differences }) => sum + differences, 0),
        ...{ limit: 0, kind: 'at most' },
      },
    ],
    figures: { ratio: read.ratio, lags: lag.found },
  }
}

/** Three pages of each of the 62 filters, by both layouts, and the least that one list can take. */
async function pages(all: readonly Comment[]): Promise<{ readonly table: FigureTable; readonly ratio: number }> {
  await using bySets = await openPowerSetTable(powerSet())
  await using byIndexes = await openPowerSetTable(indexes())
  for (const { lapidary } of [bySets, byIndexes]) await importItems(lapidary.comments, all)
  await byIndexes.lapidary.derived.rebuild()
  const sum = { sets: 0, indexes: 0, least: 0, pages: 0, setRequests: 0, indexRequests: 0 }
  for (const filter of ratingFilters()) {
    let cursor: string | undefined
    let other: string | undefined
    for (let page = 0; page < 3; page++) {
      const query = { scope: PRODUCT, where: whereOf(filter), limit: LIMIT }
      const found: Page<Comment> = await bySets.lapidary.comments.list({ ...query, cursor })
      const compared: Page<Comment> = await byIndexes.lapidary.comments.list({ ...query, cursor: other })
      sum.pages += 1
      sum.sets += found.plan.actual?.rcu ?? Number.NaN
      sum.indexes += compared.plan.actual?.rcu ?? Number.NaN
      sum.setRequests += found.plan.actual?.requests ?? Number.NaN
      sum.indexRequests += compared.plan.actual?.requests ?? Number.NaN
      // Its items, and the one by which it is known whether there are more.
      sum.least += 0.5 * Math.max(1, Math.ceil((found.plan.actual?.bytes ?? 0) / BLOCK_BYTES))
      if (found.items.length + (found.cursors.next === null ? 0 : 1) !== found.plan.actual?.itemsRead)
        throw new Error(`a page of ${filter.name} read more than it shows`)
      cursor = found.cursors.next ?? undefined
      other = compared.cursors.next ?? undefined
      if (cursor === undefined || other === undefined) break
    }
  }
  const row = (layout: string, rcu: number, requests: number): (string | number)[] => [
    layout,
    rounded(rcu / sum.pages),
    rounded(rcu / sum.least),
    rounded(requests / sum.pages),
  ]
  return {
    ratio: sum.sets / sum.least,
    table: {
      title: `A page of ${LIMIT} of ${all.length.toLocaleString('en')} comments of 500 bytes: the mean of ${sum.pages} pages of the 62 filters`,
      columns: ['layout', 'RCU', 'over the least of one list', 'requests'],
      rows: [row('power set', sum.sets, sum.setRequests), row('indexes', sum.indexes, sum.indexRequests)],
    },
  }
}

async function partition({ client }: PowerSetTable, id: string): Promise<Map<string, Entry>> {
  const { Items = [] } = await client.send(
    new QueryCommand({
      ...{ TableName: 'comments', ConsistentRead: true, KeyConditionExpression: 'PK = :pk' },
      ExpressionAttributeValues: { ':pk': { S: `COMMENT#${id}` } },
    }),
  )
  return new Map(Items.map((entry) => [entry.SK?.S ?? '', entry]))
}

/** Returns the units that bring an item's entries from `before` to `after`, by DynamoDB's rule: in the table and the index. */
function unitsBetween(before: Entry | undefined, after: Entry | undefined): number {
  const size = Math.max(
    ...[before, after].map((entry) => (entry === undefined ? 1 : Math.ceil(entryBytes(entry) / UNIT_BYTES))),
  )
  if (before === undefined || after === undefined) return 2 * size
  if (JSON.stringify(before) === JSON.stringify(after)) return 0
  const moved = before['k.lists']?.S !== after['k.lists']?.S || before['s.lists']?.S !== after['s.lists']?.S
  return (moved ? 3 : 2) * size
}

async function writes([first]: readonly Comment[]): Promise<FigureTable> {
  if (first === undefined) throw new Error('no comment')
  await using table = await openPowerSetTable(powerSet())
  const { comments: target } = table.lapidary
  const operations: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['create', () => target.create(first)],
    ['rating edited', () => target.patch(first.id, { rating: (first.rating % 5) + 1 })],
    ['language edited', () => target.patch(first.id, { language: first.language === 'en' ? 'de' : 'en' })],
    ['both edited', () => target.patch(first.id, { language: 'ja', rating: first.rating })],
    ['text edited', () => target.patch(first.id, { text: 'y'.repeat(first.text.length) })],
    ['delete', () => target.delete(first.id)],
  ]
  const rows: (string | number)[][] = []
  for (const [name, run] of operations) {
    const before = await partition(table, first.id)
    await run()
    const after = await partition(table, first.id)
    const keys = [...new Set([...before.keys(), ...after.keys()])]
    const units = new Map(keys.map((key) => [key, unitsBetween(before.get(key), after.get(key))]))
    const all = [...units.values()].reduce((sum, each) => sum + each, 0)
    const own = units.get('~') ?? 0
    const others = [...units].filter(([key, each]) => key !== '~' && each > 0).length
    rows.push([name, others + 1, all, TRANSACTION * all, own + TRANSACTION * (all - own) + CHECK])
  }
  return {
    title:
      'Write units of a comment of 500 bytes with five ratings and a language, by rule from the entries before and after',
    columns: [
      'operation',
      'entries',
      'units',
      'kept by the write (one transaction)',
      'kept by the stream (the item, then a transaction)',
    ],
    rows,
  }
}

/** A comment with a long text, of which lists show the rest. */
function bytes(comment: Comment): FigureTable {
  const { attributes: _, ...rest } = comments
  const declared = defineCollection({
    ...(rest as unknown as Parameters<typeof defineCollection>[0]),
    attributes: { id: 'i', productId: 'p', language: 'l', rating: 'r', createdAt: 'c', title: 't', text: lookup('x') },
  }) as unknown as AnyCollection
  const stored = {
    ...{ i: { S: comment.id }, p: { S: comment.productId }, l: { S: comment.language }, r: { N: `${comment.rating}` } },
    ...{ c: { S: comment.createdAt }, t: { S: 'x'.repeat(60) }, x: { S: 'x'.repeat(LONG_TEXT) } },
  }
  const row = (duplicates: PowerSetOptions['duplicates'] & string): (string | number)[] => {
    const entries = powerSet({ duplicates })
      .of(declared)
      .entriesOf(comment as never, stored)
    const inTable = entries.reduce((sum, entry) => sum + entryBytes(entry as Entry), 0)
    const units = entries.reduce((sum, entry) => sum + Math.ceil(entryBytes(entry as Entry) / UNIT_BYTES) + 1, 0)
    return [duplicates, inTable.toLocaleString('en'), units]
  }
  return {
    title: `Duplicates of a comment with a text of ${LONG_TEXT.toLocaleString('en')} bytes that lists do not show`,
    columns: ['duplicates', 'bytes in the table', 'write units of a create, a transaction’s doubling aside'],
    rows: [row('whole'), row('compact')],
  }
}

/** Measures the lags of writes at each rate, in a table of their own. */
async function lags(all: readonly Comment[], random: Random, seconds: number) {
  const found: DuplicatesLag[] = []
  let first = 0
  for (const perSecond of LAG_RATES) {
    await using table = await openPowerSetTable(powerSet({ kept: 'stream' }))
    const created = all.slice(first, first + Math.round(perSecond * seconds * CREATED))
    first += created.length
    found.push(await duplicatesLag(table, created, perSecond, random))
  }
  return {
    found,
    table: {
      title:
        'Milliseconds from the answer to a write until the list that it belongs to shows it, and the one that it was in does not, kept by a poller of the same process on the embedded engine',
      columns: ['writes a second', 'creates', 'edits of both facets', 'median', '95 %', 'most', 'differences after'],
      rows: found.map(lagRow),
    },
  }
}
