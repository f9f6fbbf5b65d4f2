import { readFileSync } from 'node:fs'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { openEngine } from 'lapidary-engine'
import type { Bench, BenchContext } from '../bench.ts'
import { median, rounded, timed } from '../measure.ts'
import type { FigureTable } from '../report.ts'
import * as auditElectro from './audit-log-electrodb.ts'
import * as auditLapidary from './audit-log-lapidary.ts'
import * as auditToolbox from './audit-log-toolbox.ts'
import { answerOf, type Domain, type Ordered, type Question, type Store } from './domain.ts'
import { type Meter, metered } from './meter.ts'
import * as ordersElectro from './orders-electrodb.ts'
import * as ordersLapidary from './orders-lapidary.ts'
import * as ordersToolbox from './orders-toolbox.ts'
import { type AuditRow, auditRows, type OrderRow, orderRows, type TicketRow, ticketRows } from './rows.ts'
import * as ticketsElectro from './tickets-electrodb.ts'
import * as ticketsLapidary from './tickets-lapidary.ts'
import * as ticketsToolbox from './tickets-toolbox.ts'

const LIMIT = 20
const CREATED = 50

function ordersDomain({ quick, random }: BenchContext): Domain<OrderRow> {
  const question = (name: string, where: Question['where'], range: object = {}): Question => ({
    name,
    scope: 'c1',
    where,
    ...range,
  })
  return {
    name: 'orders',
    rows: orderRows(quick ? 1_000 : 5_000, random),
    questions: [
      question('of a customer', {}),
      question('cancelled', { status: ['CANCELLED'] }),
      question('open or shipped', { status: ['OPEN', 'SHIPPED'] }),
      question('returned, in the shop', { status: ['RETURNED'], channel: ['shop'] }),
      question(
        'open or returned, early in 2025',
        { status: ['OPEN', 'RETURNED'] },
        { from: '2025-01-05T00:00:00.000Z', to: '2025-02-01T00:00:00.000Z' },
      ),
    ],
    peers: {
      Lapidary: { file: 'orders-lapidary.ts', open: ordersLapidary.openOrders },
      ElectroDB: { file: 'orders-electrodb.ts', open: ordersElectro.openOrders },
      'DynamoDB-Toolbox': { file: 'orders-toolbox.ts', open: ordersToolbox.openOrders },
    },
  }
}

function ticketsDomain({ quick, random }: BenchContext): Domain<TicketRow> {
  const question = (name: string, where: Question['where']): Question => ({ name, scope: 'large', where })
  return {
    name: 'tickets',
    rows: ticketRows(quick ? 1_000 : 5_000, random),
    questions: [
      question('of a tenant', {}),
      question('open and high', { status: ['open'], priority: ['high'] }),
      question('of one person', { assignee: ['person 7'] }),
      question('open or pending, low or high', { status: ['open', 'pending'], priority: ['low', 'high'] }),
      question('open, with a label', { status: ['open'], label: ['label 3'] }),
      question('with one of two labels', { label: ['label 0', 'label 11'] }),
    ],
    peers: {
      Lapidary: { file: 'tickets-lapidary.ts', open: ticketsLapidary.openTickets },
      ElectroDB: { file: 'tickets-electrodb.ts', open: ticketsElectro.openTickets },
      'DynamoDB-Toolbox': { file: 'tickets-toolbox.ts', open: ticketsToolbox.openTickets },
    },
  }
}

function auditDomain({ quick, random }: BenchContext): Domain<AuditRow> {
  const question = (name: string, where: Question['where'], range: object = {}): Question => ({
    name,
    scope: 'acme',
    where,
    ...range,
  })
  return {
    name: 'audit log',
    rows: auditRows(quick ? 1_000 : 30_000, random),
    questions: [
      question('the latest', {}),
      question('exports', { kind: ['export'] }),
      question('grants and exports', { kind: ['grant', 'export'] }),
      question('all but reads', { kind: ['login', 'write', 'grant', 'export'] }),
      question(
        'grants and exports of an hour',
        { kind: ['grant', 'export'] },
        { from: '2025-01-01T00:30:00.000Z', to: '2025-01-01T01:30:00.000Z' },
      ),
    ],
    peers: {
      Lapidary: { file: 'audit-log-lapidary.ts', open: auditLapidary.openAuditLog },
      ElectroDB: { file: 'audit-log-electrodb.ts', open: auditElectro.openAuditLog },
      'DynamoDB-Toolbox': { file: 'audit-log-toolbox.ts', open: auditToolbox.openAuditLog },
    },
  }
}

/** Three domains, each written with Lapidary and with the entity libraries, asked the same on the same data in one run. */
export const peers: Bench = async (context) => {
  await using engine = await openEngine()
  const client = new DynamoDBClient(engine.clientConfig)
  const meter = metered(client)
  try {
    const tables: FigureTable[] = []
    for (const domain of [ordersDomain(context), ticketsDomain(context), auditDomain(context)])
      tables.push(...(await compared(domain as unknown as Domain<Ordered>, client, meter, context.quick ? 3 : 15)))
    return { tables, targets: [], figures: tables.map(({ title, rows }) => ({ title, rows })) }
  } finally {
    client.destroy()
  }
}

async function compared(
  { name, rows, questions, peers: libraries }: Domain<Ordered>,
  client: DynamoDBClient,
  meter: Meter,
  samples: number,
): Promise<readonly FigureTable[]> {
  const stores = new Map<string, Store<Ordered>>()
  const written: (string | number)[][] = []
  for (const [library, { file, open }] of Object.entries(libraries)) {
    const store = await open(client, `${name.replace(' ', '-')}-${library}`)
    stores.set(library, store)
    meter.reset()
    for (const row of rows.slice(0, CREATED)) await store.create(row)
    const { wcu, rcu } = meter.read()
    await store.load(rows.slice(CREATED))
    written.push([library, linesOf(file), rounded(wcu / CREATED, 2), rounded(rcu / CREATED, 2)])
  }
  const first = questions[0] as Question
  const asked: (string | number)[][] = []
  for (const question of questions) {
    const expected = answerOf(rows, question)
    const times = await timesOf([...stores.values()], question, samples)
    for (const [i, [library, store]] of [...stores].entries()) {
      meter.reset()
      const page = await store.page(question, LIMIT, undefined)
      const { rcu, requests, rounds } = meter.read()
      const isRight = await givesAll(store, question, expected)
      const foreign = page.next === null || question === first ? '' : await foreignCursor(store, first, page.next)
      asked.push([
        ...[question.name, library, rcu, requests, rounds, page.ids.length],
        ...[rounded((times[i] ?? 0) / (times[0] ?? 1), 2), isRight ? 'yes' : 'no', foreign],
      ])
    }
  }
  return [
    {
      title: `${name}, ${rows.length} items: the declaration and its list, and a create`,
      columns: ['library', 'lines', 'write units', 'read units'],
      rows: written,
    },
    {
      title: `${name}: the first page of ${LIMIT}; time beside that of Lapidary in the same run`,
      columns: [
        'question',
        'library',
        'RCU',
        'requests',
        'rounds',
        'items',
        'time',
        'all pages right',
        'cursor of another query',
      ],
      rows: asked,
    },
  ]
}

/** Lines of code of a file: what is not empty, a comment or an import. */
function linesOf(file: string): number {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8')
  return text.split('\n').filter((line) => line.trim() !== '' && !/^(import|\s*\/\/|\/?\s*\*)/.test(line)).length
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

async function givesAll(store: Store<Ordered>, question: Question, expected: readonly string[]): Promise<boolean> {
  const seen: string[] = []
  for (let next: string | null | undefined; next !== null && seen.length <= expected.length; ) {
    const page = await store.page(question, LIMIT, next)
    seen.push(...page.ids)
    next = page.next
  }
  return seen.join() === expected.join()
}

/** What a list does with the cursor of another. */
async function foreignCursor(store: Store<Ordered>, question: Question, cursor: string): Promise<string> {
  try {
    const { ids } = await store.page(question, LIMIT, cursor)
    return `taken: ${ids.length} items`
  } catch {
    return 'refused'
  }
}
