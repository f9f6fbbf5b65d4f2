import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { Comment } from 'comments/comment'
import { generateComments } from 'comments/demo'
import { ratingTrend } from 'comments/rating-trend'
import { createServices, type Services } from 'comments/services'
import { vote, votesOf, withdrawVote } from 'comments/votes'
import { type LayoutName, layoutNamed, segments } from 'lapidary'
import { importItems } from 'lapidary/transfer'
import { openEngine } from 'lapidary-engine'
import type { BenchContext } from './bench.ts'
import { BATCH, costOfChanges, observeWrites, type Step, type Units } from './change-costs.ts'
import { mean, rounded } from './measure.ts'
import type { FigureTable, Report } from './report.ts'

const PRODUCT = '42'
const SIZES: Readonly<Record<LayoutName, number>> = { indexes: 1_000, 'power-set': 100, 'native-keys': 0 }
const QUICK_SIZE = 100
/** The filters of the page, each in every order. */
const FILTERS = [
  {},
  { language: 'en' },
  { language: 'ja' },
  { rating: [5] },
  { rating: [1, 2] },
  { verified: [true] },
  { answered: [true] },
  { language: 'en', rating: [4, 5], verified: [true] },
  { rating: [1], answered: [true] },
] as const
const ORDERS = {
  newest: { order: 'newest' },
  helpful: { by: 'helpful', order: 'highest' },
  highest: { by: 'rating', order: 'highest' },
  lowest: { by: 'rating', order: 'lowest' },
} as const

/** What helpful votes cost, and the orders and filters that come with them: write units of each change, and RCU of each page. */
export async function votes({ quick }: BenchContext): Promise<Report> {
  const tables: FigureTable[] = []
  for (const layout of ['indexes', 'power-set'] as const)
    tables.push(...(await measured(layout, quick ? QUICK_SIZE : SIZES[layout])))
  return { tables, targets: [], figures: tables.map(({ rows }) => rows) }
}

async function measured(layout: LayoutName, size: number): Promise<readonly FigureTable[]> {
  const engine = await openEngine()
  const client = new DynamoDBClient(engine.clientConfig)
  try {
    const units = observeWrites(client)
    const services = createServices({
      ...{
        client,
        tableName: 'comments',
        layout: layoutNamed(layout),
        cursorSecret: 'a secret that only the bench knows',
      },
      derived: { counts: true, pages: segments() },
      stream: { immediate: true },
    })
    await services.database.table.create()
    const all = [...generateComments({ products: 1, comments: size + 4 * BATCH, seed: 42 })]
    const stored = all.slice(0, size)
    await importItems(services.comments, stored)
    await services.database.stream.catchUp()
    const title = `Write units of a change among ${size} comments, by ${layout}`
    const changes = await changesOf(services, units, { title, stored, others: all.slice(size) })
    if (layout !== 'indexes') return [changes]
    return [changes, await pagesOf(services, size), await readsOf(services)]
  } finally {
    client.destroy()
    await engine.close()
  }
}

async function changesOf(
  services: Services,
  units: Units,
  {
    title,
    stored,
    others,
  }: { readonly title: string; readonly stored: readonly Comment[]; readonly others: readonly Comment[] },
): Promise<FigureTable> {
  const { comments } = services
  const at = (i: number): Comment => stored[(i * 7919) % stored.length] as Comment
  const steps: readonly Step[] = [
    ['a comment is written', (i) => comments.create({ ...(others[i] as Comment), helpful: 0, attached: null })],
    ['a vote', (i) => vote(services, { id: 'ann' }, at(i).id)],
    ['the same vote again', (i) => vote(services, { id: 'ann' }, at(i).id)],
    ['a vote is taken back', (i) => withdrawVote(services, { id: 'ann' }, at(i).id)],
    ['the rating is edited', (i) => comments.patch(at(i).id, { rating: (at(i).rating % 5) + 1 })],
    ['the text is edited', (i) => comments.patch(at(i).id, { text: `${at(i).text}.` })],
    [
      'the shop answers',
      (i) =>
        comments.patch(at(BATCH + i).id, {
          attached: { answer: { text: 'Thank you.', answeredAt: at(i).createdAt } },
        }),
    ],
    ['a comment is deleted', (i) => comments.delete((others[i] as Comment).id)],
  ]
  return costOfChanges(services, units, { title, steps })
}

async function pagesOf({ comments }: Services, size: number): Promise<FigureTable> {
  const rows: (string | number)[][] = []
  for (const where of FILTERS) {
    const cells: (string | number)[] = []
    for (const order of Object.values(ORDERS)) {
      const page = await comments.list({ scope: PRODUCT, where, limit: 20, maxCapacity: 50, ...order } as never)
      const { rcu = 0, rounds = 0 } = page.plan.actual ?? {}
      cells.push(
        `${rounded(rcu, 1)}${rounds > 1 ? ` in ${rounds} rounds` : ''}${page.items.length < 20 && page.cursors.next !== null ? ', ends early' : ''}`,
      )
    }
    rows.push([nameOf(where), ...cells])
  }
  return {
    title: `RCU of the first page of 20 among ${size} comments, by indexes, MAX_CAPACITY being 50`,
    columns: ['filter', ...Object.keys(ORDERS)],
    rows,
  }
}

function nameOf(where: Readonly<Record<string, unknown>>): string {
  const names = Object.entries(where).map(([facet, value]) =>
    typeof value === 'string' ? value : `${facet} ${[value].flat().join(', ')}`,
  )
  return names.length === 0 ? 'none' : names.join('; ')
}

async function readsOf(services: Services): Promise<FigureTable> {
  const own = await votesOf(services, { id: 'ann' }, PRODUCT)
  const trend = await ratingTrend(services, PRODUCT)
  const page = await services.comments.list({ scope: PRODUCT, limit: 20, counts: false })
  const bytes = mean(page.items.map((item) => JSON.stringify(item).length))
  return {
    title: 'RCU of what a page reads beside its list',
    columns: ['read', 'RCU'],
    rows: [
      ['the votes of the reader on the product', rounded(own.rcu, 1)],
      ['the ratings of the last 24 months', rounded(trend.rcu, 1)],
      ['a page of 20, newest first, without counts', rounded(page.plan.actual?.rcu ?? 0, 1)],
      ['bytes of a comment as JSON, on average', Math.round(bytes)],
    ],
  }
}
