import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import * as conventions from '@opentelemetry/semantic-conventions/incubating'
import { createLapidary } from 'lapidary'
import { openTelemetry, traceIds } from 'lapidary-telemetry/opentelemetry'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createSdkClient, dropTables, testEngines, uniqueTableName } from '../../../test/engines/index.ts'
import { comment, comments } from '../../lapidary/test/comments-fixture.ts'

const [engine] = testEngines()
if (engine === undefined) throw new Error('there is no engine')
const exporter = new InMemorySpanExporter()
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
const client = createSdkClient(engine)
const options = {
  client,
  tableName: uniqueTableName(),
  collections: { comments },
  cursorSecret: 'a secret of the tests',
}
const lapidary = createLapidary({ ...options, observers: [openTelemetry()] })

beforeAll(async () => {
  provider.register()
  await lapidary.table.create()
  for (let i = 0; i < 20; i++)
    await lapidary.comments.create(comment({ id: `c${i}`, productId: `p${i % 4}`, rating: i % 2 === 0 ? 4 : 5 }))
})
beforeEach(() => exporter.reset())
afterAll(async () => {
  await provider.shutdown()
  // Other test files of this process trace nothing.
  for (const api of [trace, context, propagation]) api.disable()
  await dropTables(client, [options.tableName])
})

const parentOf = (span: ReadableSpan): ReadableSpan | undefined =>
  exporter.getFinishedSpans().find((each) => each.spanContext().spanId === span.parentSpanContext?.spanId)

/** The names of a span and of those that it lies within, the outermost first. */
const path = (span: ReadableSpan): string => {
  const parent = parentOf(span)
  return parent === undefined ? span.name : `${path(parent)} > ${span.name}`
}

test('a page is one trace, from the operation to the Queries, with units and counts', async () => {
  const page = await lapidary.comments.list({ scope: 'p1', where: { rating: [5] }, limit: 3 })
  const spans = exporter.getFinishedSpans()
  expect(new Set(spans.map((span) => span.spanContext().traceId)).size).toBe(1)
  expect(spans.map(path)).toContain('list COMMENT > plan')
  expect(spans.map(path)).toContain(`list COMMENT > round > Query ${options.tableName}`)

  const [list] = spans.filter(({ name }) => name === 'list COMMENT')
  expect(list?.attributes).toMatchObject({
    'lapidary.collection': 'COMMENT',
    'lapidary.read_units': page.plan.actual?.rcu,
    'lapidary.requests': page.plan.actual?.requests,
    'lapidary.items_returned': 3,
  })
  const [query] = spans.filter(({ name }) => name.startsWith('Query'))
  const units = query?.attributes['lapidary.read_units']
  expect(query?.kind).toBe(SpanKind.CLIENT)
  expect(query?.attributes).toMatchObject({
    'db.system.name': conventions.DB_SYSTEM_NAME_VALUE_AWS_DYNAMODB,
    'db.operation.name': 'Query',
    'aws.dynamodb.table_names': [options.tableName],
    'aws.dynamodb.count': expect.any(Number),
    'aws.dynamodb.consumed_capacity': [JSON.stringify({ TableName: options.tableName, CapacityUnits: units })],
  })
  expect(spans.every(({ attributes }) => attributes['lapidary.plan'] === undefined)).toBe(true)
})

test('attributes that are not of Lapidary alone are in the semantic conventions', async () => {
  await lapidary.comments.list({ scope: 'p1' })
  await lapidary.comments.get('c1')
  await openTelemetry().observe(
    { kind: 'request', method: 'GET', id: 'r', header: () => undefined },
    async () => 503,
    (status) => ({ route: '/comments', status }),
  )
  const known = new Set<unknown>(Object.values(conventions))
  const names = exporter.getFinishedSpans().flatMap(({ attributes }) => Object.keys(attributes))
  expect(names.filter((name) => !name.startsWith('lapidary.') && !known.has(name))).toEqual([])
  expect(names).toContain('http.route')
})

test('operations that run at once have traces of their own, below what was active where each began', async () => {
  const tracer = trace.getTracer('test')
  const asked = Array.from({ length: 24 }, (_, i) => `caller-${i}`)
  await Promise.all(
    asked.map((name, i) =>
      tracer.startActiveSpan(name, async (span) => {
        await lapidary.comments.list({ scope: `p${i % 4}`, where: { rating: [4, 5] }, limit: 2 })
        await lapidary.comments.get(`c${i % 20}`)
        span.end()
      }),
    ),
  )
  const spans = exporter.getFinishedSpans()
  for (const name of asked) {
    const caller = spans.find((each) => each.name === name)
    const own = spans.filter((each) => each.spanContext().traceId === caller?.spanContext().traceId).map(path)
    expect(own.toSorted()).toEqual(
      [
        name,
        `${name} > list COMMENT`,
        `${name} > list COMMENT > plan`,
        `${name} > list COMMENT > round`,
        ...own.filter((each) => each.includes('> round > Query ')),
        `${name} > get COMMENT`,
        `${name} > get COMMENT > GetItem ${options.tableName}`,
      ].toSorted(),
    )
  }
})

test('an error is told by its code, and no text of it', async () => {
  await expect(lapidary.comments.get('no such')).rejects.toMatchObject({ code: 'not_found' })
  const [get] = exporter.getFinishedSpans().filter(({ name }) => name === 'get COMMENT')
  expect(get?.status).toEqual({ code: SpanStatusCode.ERROR, message: 'not_found' })
  expect(get?.attributes['error.type']).toBe('not_found')
  expect(JSON.stringify(get?.attributes)).not.toContain('no such')
})

test('a plan has the values of a query only where that is asked for', async () => {
  const explained = createLapidary({ ...options, observers: [openTelemetry({ plans: true })] })
  const { plan } = await explained.comments.list({ scope: 'p1', where: { language: 'en' } })
  const [list] = exporter.getFinishedSpans().filter(({ name }) => name === 'list COMMENT')
  expect(list?.attributes['lapidary.plan']).toBe(plan.text)
})

test('a request goes on with the trace of its client', async () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const header = (name: string): string | undefined => (name === 'traceparent' ? traceparent : undefined)
  let logged = {}
  await openTelemetry().observe(
    { kind: 'request', method: 'GET', id: 'of-the-request', header },
    async () => {
      logged = traceIds()
      await lapidary.comments.get('c1')
    },
    () => ({ route: '/comments/:id', status: 200 }),
  )
  const spans = exporter.getFinishedSpans()
  const request = spans.find(({ kind }) => kind === SpanKind.SERVER)
  expect(request?.name).toBe('GET /comments/:id')
  expect(request?.spanContext().traceId).toBe('0af7651916cd43dd8448eb211c80319c')
  expect(request?.parentSpanContext?.spanId).toBe('b7ad6b7169203331')
  expect(request?.attributes['lapidary.request_id']).toBe('of-the-request')
  expect(logged).toEqual({ trace_id: request?.spanContext().traceId, span_id: request?.spanContext().spanId })
  expect(spans.map(path)).toContain('GET /comments/:id > get COMMENT')
})

test('a command of no work that is traced has no span', async () => {
  await lapidary.table.describe()
  expect(exporter.getFinishedSpans()).toEqual([])
})
