import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import { Hono } from 'hono'
import { indexes, segments } from 'lapidary'
import { type Engine, openEngine } from 'lapidary-engine'
import { observeCapacity } from 'lapidary-http/internal'
import { chosenSeed } from 'lapidary-testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createServices } from '../../src/services.ts'
import { POSTED_COOKIE } from '../../src/web/posted-comment.ts'
import { webRoutes } from '../../src/web/routes.tsx'
import { sampleComments } from './sample-comments.ts'

const seed = chosenSeed(process.env.FC_SEED)
console.log(`FC_SEED=${seed}`)

let engine: Engine
let client: DynamoDBClient
const app = new Hono()
/** RCU of all that was read, as the client was charged. */
let charged = 0

beforeAll(async () => {
  engine = await openEngine({})
  client = new DynamoDBClient(engine.clientConfig)
  observeCapacity(client, (_, kind, units) => {
    if (kind === 'read') charged += units
  })
  const services = createServices({
    ...{ client, tableName: 'comments', layout: indexes(), cursorSecret: 'a secret for the tests' },
    derived: { counts: true, pages: segments() },
    stream: { immediate: true },
  })
  await services.database.table.create()
  for (const sample of [...sampleComments('42', 130), ...sampleComments('few', 7)])
    await services.comments.create(sample)
  // Only a read of its own finds the criticism: the pages above are all praise.
  for (let i = 0; i < 30; i++)
    await services.comments.create({
      ...{ id: `p-${i}`, productId: 'praised', language: 'en', title: '', text: 'Words', author: 'Wren' },
      rating: i === 0 ? 1 : 5,
      createdAt: new Date(1_600_000_000_000 + i * 60_000).toISOString(),
    })
  await services.database.stream.catchUp()
  app.route('/', webRoutes(services, { authorize: () => undefined }))
})
afterAll(async () => {
  client.destroy()
  await engine.close()
})

interface Pictured {
  readonly parts: readonly number[]
  readonly all: number
  /** RCU of the requests on the line of time, and of those for all pages. */
  readonly sent: number
  readonly registers: number
}

const rcuIn = (html: string): readonly number[] =>
  [...html.matchAll(/<b>([\d.]+)(?: RCU)?<\/b>/g)].map(([, rcu]) => Number(rcu))
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

function picturedIn(html: string): Pictured {
  const [all = Number.NaN, ...parts] = rcuIn(/<ul class="cost-parts">.*?<\/ul>/s.exec(html)?.[0] ?? '')
  const rows = html.match(/<summary class="sent-row">.*?<\/summary>/gs) ?? []
  const isRegister = (row: string): boolean => row.includes('part-register')
  return {
    ...{ parts, all },
    sent: sum(rows.filter((row) => !isRegister(row)).flatMap(rcuIn)),
    registers: sum(rows.filter(isRegister).flatMap(rcuIn)),
  }
}

const pages = fc.record({
  product: fc.constantFrom('42', 'few', 'praised', 'nobody'),
  ratings: fc.subarray(['1', '2', '3', '4', '5'], { maxLength: 3 }),
  language: fc.constantFrom(undefined, 'en', 'de'),
  order: fc.constantFrom('newest', 'oldest'),
  page: fc.constantFrom(undefined, undefined, '2', '6', '99'),
  isNews: fc.boolean(),
})

test('what is shown of a page adds up to what the client was charged for it', { timeout: 120_000 }, async () => {
  const seen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(pages, async ({ product, ratings, language, order, page, isNews }) => {
      const search = new URLSearchParams({ order, ...(language && { language }), ...(page && { page }) })
      for (const rating of ratings) search.append('rating', rating)
      if (isNews) search.set('posted', '42-0129')
      charged = 0
      const response = await app.request(`/p/${product}?${search}`, {
        headers: isNews ? { cookie: `${POSTED_COOKIE}=42-0129` } : {},
      })
      expect(response.status).toBe(200)
      const html = await response.text()
      const { parts, all, sent, registers } = picturedIn(html)
      expect(sum(parts)).toBe(all)
      expect(sent).toBe(all)
      expect(sent + registers).toBe(charged)
      for (const [, name = ''] of html.matchAll(/(?:part-mark part-|list-number list-)(\w+)/g)) seen.add(name)
    }),
    { seed, numRuns: 60 },
  )
  expect([...seen]).toEqual(expect.arrayContaining(['0', 'source', 'counts', 'pageIndex', 'written', 'beside']))
})
