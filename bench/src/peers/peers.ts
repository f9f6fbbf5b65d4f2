import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { Bench, BenchContext } from '../bench.ts'
import { median, rounded, timed } from '../measure.ts'
import type { FigureTable, Report } from '../report.ts'
import { answerOf, type Domain, type Ordered, type Question, type Store } from './domain.ts'
import { auditDomain, ordersDomain, ticketsDomain } from './domains.ts'
import { fillDatabase, type StoredItem } from './fill.ts'
import { linesOf } from './lines-of.ts'
import { type Meter, metered } from './meter.ts'

const LIMIT = 20
const CREATED = 50
/** Pages of a question that are compared with the naive answer. */
const COMPARED = 100

/** A domain, written with Lapidary and with the entity libraries, asked the same on the same data in one run. */
export const peersOrders: Bench = (context) => report(ordersDomain(context), context)
export const peersTickets: Bench = (context) => report(ticketsDomain(context), context)
export const peersAuditLog: Bench = (context) => report(auditDomain(context), context)

async function report<Row extends Ordered>(domain: Domain<Row>, { quick }: BenchContext): Promise<Report> {
  const tables = await compared(domain as unknown as Domain<Ordered>, quick ? 3 : 15)
  return { tables, targets: [], figures: tables.map(({ title, rows }) => ({ title, rows })) }
}

async function compared(domain: Domain<Ordered>, samples: number): Promise<readonly FigureTable[]> {
  const { name, rows, peers: libraries } = domain
  const written: (string | number)[][] = []
  await using database = await fillDatabase(async (client) => {
    const meter = metered(client)
    const rest = new Map<string, AsyncIterable<StoredItem>>()
    for (const [library, { file, open }] of Object.entries(libraries)) {
      const store = open(client, tableName(name, library))
      await store.createTable()
      meter.reset()
      for (const row of rows.slice(0, CREATED)) await store.create(row)
      const { wcu, rcu } = meter.read()
      written.push([library, linesOf(file), rounded(wcu / CREATED, 2), rounded(rcu / CREATED, 2)])
      rest.set(tableName(name, library), storedItems(store, rows.slice(CREATED)))
    }
    return rest
  })
  const { client } = database
  const asked = await answers(domain, client, metered(client), samples)
  const count = rows.length.toLocaleString('en-US')
  return [
    {
      title: `${name}, ${count} items: the declaration and its list, and a create`,
      columns: ['library', 'lines', 'write units', 'read units'],
      rows: written,
    },
    {
      title: `${name}: the first page of ${LIMIT}`,
      columns: [
        'question',
        'library',
        'RCU',
        'requests',
        'rounds',
        'items',
        'ms',
        'pages right',
        'cursor of another query',
      ],
      rows: asked,
    },
  ]
}

async function answers(
  { name, rows, questions, peers: libraries }: Domain<Ordered>,
  client: DynamoDBClient,
  meter: Meter,
  samples: number,
): Promise<readonly (string | number)[][]> {
  const stores = Object.entries(libraries).map(
    ([library, { open }]) => [library, open(client, tableName(name, library))] as const,
  )
  const first = questions[0] as Question
  const asked: (string | number)[][] = []
  for (const question of questions) {
    const expected = answerOf(rows, question)
    const times = await timesOf(
      stores.map(([, store]) => store),
      question,
      samples,
    )
    for (const [i, [library, store]] of stores.entries()) {
      meter.reset()
      const page = await store.page(question, LIMIT, undefined)
      const { rcu, requests, rounds } = meter.read()
      const foreign = page.next === null || question === first ? '' : await foreignCursor(store, first, page.next)
      asked.push([
        ...[question.name, library, rcu, requests, rounds, page.ids.length],
        ...[rounded(times[i] ?? 0, 1), await pagesRight(store, question, expected), foreign],
      ])
    }
  }
  return asked
}

function tableName(domain: string, library: string): string {
  return `${domain.replace(' ', '-')}-${library}`
}

async function* storedItems(store: Store<Ordered>, rows: readonly Ordered[]): AsyncGenerator<StoredItem> {
  for (const row of rows) yield* await store.stored(row)
}

/** Median milliseconds of each store for the first page, in turns. */
async function timesOf(
  stores: readonly Store<Ordered>[],
  question: Question,
  samples: number,
): Promise<readonly number[]> {
  const taken = stores.map((): number[] => [])
  for (let sample = 0; sample < samples; sample++) {
    for (const [i, store] of stores.entries())
      taken[i]?.push((await timed(() => store.page(question, LIMIT, undefined))).ms)
  }
  return taken.map(median)
}

/** Whether the first pages are those of the naive answer, or all where there are fewer. */
async function pagesRight(store: Store<Ordered>, question: Question, expected: readonly string[]): Promise<string> {
  const seen: string[] = []
  let next: string | null | undefined
  for (let page = 0; page < COMPARED && next !== null; page++) {
    const { ids, next: following } = await store.page(question, LIMIT, next)
    seen.push(...ids)
    next = following
  }
  return seen.join() === expected.slice(0, next === null ? expected.length : seen.length).join() ? 'yes' : 'no'
}

/** Says what a list does with the cursor of another. */
async function foreignCursor(store: Store<Ordered>, question: Question, cursor: string): Promise<string> {
  try {
    const { ids } = await store.page(question, LIMIT, cursor)
    return `taken: ${ids.length} items`
  } catch {
    return 'refused'
  }
}
