import { setImmediate } from 'node:timers/promises'
import {
  BatchGetItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  QueryCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import { createLapidary, type ExplainedPlan, type Lapidary, segments } from 'lapidary'
import { awsCommand, costParts, createRequestLog, roundsOf, type SentRequest } from 'lapidary-http/internal/pages'
import { chosenSeed, intercepted, seededRandom } from 'lapidary-testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSdkClient, dropTables, testEngines, uniqueTableName } from '../../../test/engines/index.ts'
import { PATIENCE } from '../../../test/engines/patience.ts'
import { type Comment, comment, comments } from '../../lapidary/test/comments-fixture.ts'
import { requestOf } from './aws-arguments.ts'

const seed = chosenSeed(process.env.FC_SEED)
console.log(`FC_SEED=${seed}`)

const PRODUCTS = ['42', `o'neill "$HOME" \`id\``] as const
/** What a process reads now and then for all its pages: no plan has it. */
const REGISTERS = /"~INDEXES|"~DERIVED|"~pages#[^"]*"\},"SK":\{"S":"~"\}/

const [engine] = testEngines()
if (engine === undefined) throw new Error('there is no engine')
const plain = createSdkClient(engine)
/** All that was read, as the client saw it. */
const seen = { rcu: 0, requests: 0 }
/** Requests that a page has not waited for, as one that had to end early. */
const pending = new Set<Promise<unknown>>()
const client = intercepted<DynamoDBClient>(plain, async (command, send) => {
  const sent = send(command)
  pending.add(sent)
  const answer = (await sent.finally(() => pending.delete(sent))) as { readonly ConsumedCapacity?: unknown }
  const isRead = command instanceof GetItemCommand || command instanceof QueryCommand || command instanceof ScanCommand
  const isBatch = command instanceof BatchGetItemCommand
  if (!isRead && !isBatch) return answer
  const consumed = [answer.ConsumedCapacity ?? []].flat() as readonly { readonly CapacityUnits?: number }[]
  seen.rcu += consumed.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0)
  seen.requests += 1
  return answer
})
async function settled(): Promise<void> {
  while (pending.size > 0) {
    await Promise.allSettled(pending)
    await setImmediate()
  }
}
const log = createRequestLog()
const options = {
  ...{ collections: { comments }, cursorSecret: 'a secret of the tests', tableName: uniqueTableName() },
  derived: { counts: true, pages: segments(), columns: true },
} as const
let later = 0
const lapidary: Lapidary<typeof options.collections> = createLapidary({
  ...{ ...options, client, observers: [log.observer], clock: () => Date.now() + later },
})

beforeAll(async () => {
  const writer = createLapidary({ ...options, client: plain })
  await writer.table.create()
  const random = seededRandom(seed)
  for (let i = 0; i < 160; i++)
    await writer.comments.create(
      comment({
        ...{ id: `c${i}`, productId: PRODUCTS[i % 5 === 0 ? 1 : 0] as string },
        language: random() < 0.7 ? 'en' : 'de',
        rating: (1 + Math.floor(random() * 5)) as Comment['rating'],
        createdAt: new Date(1_600_000_000_000 + i * 60_000).toISOString(),
        text: 'x'.repeat(Math.floor(random() * 600)),
      }),
    )
  await writer.stream.catchUp()
})
afterAll(() => dropTables(plain, [options.tableName]))

const query = fc.record({
  scope: fc.constantFrom(...PRODUCTS),
  where: fc.constantFrom(
    {},
    { language: 'en' },
    { rating: [5] as const },
    { rating: [1, 3, 5] as const },
    { language: 'de', rating: [2, 5] as const },
    // Columns alone answer it, or a filter.
    { OR: [{ language: 'de' }, { rating: [1] as const }] },
  ),
  limit: fc.integer({ min: 1, max: 25 }),
  order: fc.constantFrom('newest' as const, 'oldest' as const),
  maxCapacity: fc.constantFrom(undefined, undefined, 4, 30),
  written: fc.constantFrom([], ['c3'], ['c5', 'nowhere', 'c100']),
})

const rcuOf = (requests: readonly SentRequest[]): number => requests.reduce((sum, { rcu }) => sum + rcu, 0)

/** The requests of the page by the part of its plan, as the picture tells them apart. */
function partsOf(requests: readonly SentRequest[], { tree }: ExplainedPlan): Readonly<Record<string, number>> {
  const isGivenUp = tree.inputs.some(({ kind }) => kind === 'slice')
  const parts: Record<string, number> = {}
  for (const { step, list, isOfSlice, rcu } of requests.filter((request) => request.step !== 'register')) {
    const part =
      isGivenUp && isOfSlice ? 'slice' : step === 'list' ? `source ${list}` : step === 'total' ? 'pageIndex' : step
    parts[part] = (parts[part] ?? 0) + rcu
  }
  return parts
}

test(
  'each part of a picture is what the client was charged for it, and together they are the plan’s',
  PATIENCE,
  async () => {
    await fc.assert(
      fc.asyncProperty(query, fc.integer({ min: 0, max: 40 }), fc.boolean(), async (asked, number, isStale) => {
        if (isStale) later += 6_000
        await settled()
        Object.assign(seen, { rcu: 0, requests: 0 })
        const { value: page, requests } = await log.follow(() =>
          (number === 0 ? lapidary.comments.list(asked) : lapidary.comments.page(number, asked)).catch(
            (error: unknown) => {
              if (asked.maxCapacity === undefined) throw error
              expect(error).toMatchObject({ code: 'capacity_exhausted' })
            },
          ),
        )
        if (page === undefined) return
        const ofPage = requests.filter(({ step }) => step !== 'register')
        expect(rcuOf(requests)).toBe(seen.rcu)
        expect(requests).toHaveLength(seen.requests)
        expect(ofPage.filter(({ step }) => step === 'item')).toEqual([])
        for (const { step, input } of requests) expect(REGISTERS.test(JSON.stringify(input))).toBe(step === 'register')

        const { plan } = page
        const parts = costParts(plan.tree)
        expect(parts.reduce((sum, { rcu }) => sum + (rcu ?? 0), 0)).toBe(plan.actual?.rcu)
        expect(plan.actual?.rcu).toBe(rcuOf(ofPage))
        const noted = partsOf(requests, plan)
        const pictured: Record<string, number> = {}
        for (const { kind, list = 0, rcu } of parts) {
          const part = kind === 'source' ? `source ${list}` : kind
          if ((rcu ?? 0) > 0) pictured[part] = (pictured[part] ?? 0) + (rcu ?? 0)
        }
        expect(pictured).toEqual(Object.fromEntries(Object.entries(noted).filter(([, rcu]) => rcu > 0)))

        const rounds = roundsOf(requests)
        expect(rounds.flatMap((round) => round.requests).toSorted(byTime)).toEqual(ofPage.toSorted(byTime))
        expect(rounds).toHaveLength(plan.actual?.rounds ?? -1)
      }),
      { seed, numRuns: 120 },
    )
  },
)

const COMMANDS = { Query: QueryCommand, GetItem: GetItemCommand, BatchGetItem: BatchGetItemCommand }

test('each request as a command of the AWS CLI asks the same again', PATIENCE, async () => {
  const { requests } = await log.follow(async () => {
    later += 6_000
    for (const scope of PRODUCTS) {
      await lapidary.comments.list({ scope, where: { rating: [1, 3] }, limit: 5, written: ['c3'] })
      await lapidary.comments.list({ scope, where: { OR: [{ language: 'de' }, { rating: [1] }] }, limit: 5 })
      await lapidary.comments.page(7, { scope, where: { language: 'en' }, limit: 3, order: 'oldest' })
    }
  })
  expect(new Set(requests.map(({ name }) => name))).toEqual(new Set(Object.keys(COMMANDS)))
  for (const { name, input, rcu } of requests) {
    const asked = requestOf(awsCommand(name, input))
    expect(asked.name).toBe(name)
    const Command = COMMANDS[asked.name as keyof typeof COMMANDS] as typeof QueryCommand
    const { ConsumedCapacity } = await plain.send(new Command(asked.input as never))
    expect([ConsumedCapacity ?? []].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0)).toBe(rcu)
  }
})

function byTime(a: SentRequest, b: SentRequest): number {
  return a.startedAt - b.startedAt
}
