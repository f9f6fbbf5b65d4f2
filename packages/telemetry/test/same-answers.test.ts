import type { ConsumedCapacity, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { context, propagation, trace } from '@opentelemetry/api'
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import fc from 'fast-check'
import { createLapidary, type Lapidary } from 'lapidary'
import { measuring } from 'lapidary-telemetry'
import { openTelemetry } from 'lapidary-telemetry/opentelemetry'
import { prometheusMetrics } from 'lapidary-telemetry/prometheus'
import { chosenSeed } from 'lapidary-testing'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSdkClient, dropTables, testEngines, uniqueTableName } from '../../../test/engines/index.ts'
import { type Comment, comment, comments } from '../../lapidary/test/comments-fixture.ts'

const seed = chosenSeed(process.env.FC_SEED)
console.log(`FC_SEED=${seed}`)

type Database = Lapidary<{ comments: typeof comments }>
const [engine] = testEngines()
if (engine === undefined) throw new Error('there is no engine')
const at = engine
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(new InMemorySpanExporter())] })
beforeAll(() => provider.register())
afterAll(async () => {
  await provider.shutdown()
  for (const api of [trace, context, propagation]) api.disable()
})

const scope = fc.constantFrom('p1', 'p2')
const rating = fc.constantFrom<Comment['rating']>(1, 2, 3, 4, 5)
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('create' as const), scope, rating, size: fc.nat(3_000) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      ...{ kind: fc.constant('list' as const), scope, limit: fc.integer({ min: 1, max: 12 }) },
      ...{ ratings: fc.subarray([1, 2, 3, 4, 5] as const, { minLength: 1 }), maxCapacity: fc.constantFrom(0.3, 1, 50) },
    }),
  },
  fc.record({ kind: fc.constant('patch' as const), item: fc.nat(12), rating }),
  fc.record({ kind: fc.constant('get' as const), item: fc.nat(12) }),
  fc.record({ kind: fc.constant('delete' as const), item: fc.nat(12) }),
  fc.record({ kind: fc.constant('iterate' as const), scope, limit: fc.integer({ min: 1, max: 7 }) }),
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

/** Takes a step; returns all that the caller sees of it, without times. */
async function take({ comments: client }: Database, given: Step, made: { count: number }): Promise<unknown> {
  switch (given.kind) {
    case 'create': {
      made.count += 1
      const item = { id: `c${made.count}`, productId: given.scope, rating: given.rating, text: 'x'.repeat(given.size) }
      const { updatedAt: _, ...answer } = await client.create(comment(item))
      return answer
    }
    case 'list': {
      const { scope: of, limit, ratings, maxCapacity } = given
      const query = { scope: of, where: { rating: ratings }, limit, maxCapacity } as const
      const { items, page, plan } = await client.list(query)
      return {
        items: withoutTimes(items),
        page,
        text: plan.text,
        limits: plan.limits,
        actual: { ...plan.actual, ms: 0 },
      }
    }
    case 'iterate': {
      const ids: string[] = []
      for await (const { id } of client.iterate({ scope: given.scope, limit: given.limit })) ids.push(id)
      return ids
    }
    case 'get':
      return withoutTimes([await client.get(`c${given.item}`)])
    case 'patch':
      return withoutTimes([await client.patch(`c${given.item}`, { rating: given.rating })])
    case 'delete':
      return client.delete(`c${given.item}`)
  }
}

const withoutTimes = (items: readonly Comment[]): unknown => items.map(({ updatedAt: _, ...item }) => item)

/** Counts what the engine charges, whatever the command asks to be told. */
function charging(client: DynamoDBClient): { units: number; commands: string[] } {
  const spent = { units: 0, commands: [] as string[] }
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const isTold = /^(GetItem|Query|Scan|BatchGet|Put|Update|Delete(?!Table)|Transact|BatchWrite)/.test(
          commandName ?? '',
        )
        const input = isTold ? { ...args.input, ReturnConsumedCapacity: 'TOTAL' } : args.input
        spent.commands.push(commandName ?? '')
        const result = await next({ ...args, input: input as never })
        const { ConsumedCapacity: told } = result.output as { ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[] }
        spent.units += [told ?? []].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0)
        return result
      },
    { step: 'initialize', name: 'charging' },
  )
  return spent
}

/** Takes all steps on a table of its own. */
async function run(steps: readonly Step[], isWatched: boolean): Promise<unknown> {
  const client = createSdkClient(at)
  const spent = charging(client)
  const tableName = uniqueTableName()
  const observers = isWatched ? [openTelemetry({ plans: true }), measuring(prometheusMetrics(new Registry()))] : []
  const database = createLapidary({
    ...{ client, tableName, collections: { comments }, cursorSecret: 'a secret of the tests', random: () => 0.5 },
    observers,
  })
  await database.table.create()
  const made = { count: 0 }
  const answers: unknown[] = []
  for (const given of steps)
    answers.push(
      await take(database, given, made).catch(({ code, message }) => ({
        code,
        message: message.replace(tableName, ''),
      })),
    )
  await dropTables(client, [tableName])
  return { answers, units: spent.units, commands: spent.commands }
}

test('answers, errors, commands and capacity are the same with traces and metrics and without', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const [plain, watched] = await Promise.all([run(steps, false), run(steps, true)])
      expect(watched).toEqual(plain)
    }),
    { seed, numRuns: 30 },
  )
})
