import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ROOT } from '../../../test/architecture/sources.ts'
import { PATIENCE } from '../../../test/engines/patience.ts'
import { start } from './server-process.ts'

/** A span as OTLP has it in JSON. */
interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[]
}

interface Exported {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly Span[] }[] }[]
}

const spans: Span[] = []
const folder = join(ROOT, '.cache', `tracing-${process.pid}`)
const dataDir = join(tmpdir(), `lapidary-test-tracing-${process.pid}`)
const ADMIN_TOKEN = 'the-admin-token-1'
let receiver: Server

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    const { resourceSpans } = (await json(request)) as Exported
    spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((each) => each.spans)))
    response.setHeader('content-type', 'application/json').end('{}')
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  // In the repository, where its packages are found.
  mkdirSync(folder, { recursive: true })
  const page = readFileSync(join(ROOT, 'docs/observability.md'), 'utf8')
  writeFileSync(join(folder, 'tracing.mjs'), /```js\n\/\/ tracing\.mjs\n([\s\S]*?)```/.exec(page)?.[1] ?? '')
})
afterAll(() => {
  receiver.close()
  for (const made of [folder, dataDir]) rmSync(made, { recursive: true, force: true })
})

/** The names of a span and of those that it lies within, the outermost first. */
const path = ({ parentSpanId, name }: Span): string => {
  const parent = spans.find(({ spanId }) => spanId === parentSpanId)
  return parent === undefined ? name : `${path(parent)} > ${name}`
}

test('a server with the file of the documents is traced over OTLP, and its log has the ids of request and trace', async () => {
  const server = await start({
    ...{ DATA_DIR: dataDir, ADMIN_TOKEN, NODE_OPTIONS: `--import ${join(folder, 'tracing.mjs')}` },
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`,
    OTEL_BSP_SCHEDULE_DELAY: '100',
  })
  const body = { rating: 5, language: 'en', title: '', text: 'Seen.', author: 'Ada' }
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }
  await fetch(`${server.address}/products/42/comments`, { method: 'POST', headers, body: JSON.stringify(body) })
  const listed = await fetch(`${server.address}/products/42/comments?rating=4,5`)
  expect(listed.status).toBe(200)
  const id = listed.headers.get('x-request-id')

  const wanted = [
    /^POST \/products\/:\w+\/comments > create COMMENT > PutItem comments$/,
    /^GET \/products\/:\w+\/comments > list COMMENT > plan$/,
    /^GET \/products\/:\w+\/comments > list COMMENT > round > Query comments$/,
    /^commit > TransactWriteItems comments$/,
  ]
  await vi.waitFor(() => {
    const paths = spans.map(path)
    for (const each of wanted) expect(paths).toContainEqual(expect.stringMatching(each))
  }, PATIENCE)
  expect(await server.end()).toBe(0)

  const request = spans.find(({ attributes }) =>
    attributes.some(({ key, value }) => key === 'lapidary.request_id' && value.stringValue === id),
  )
  const lines = server.log().split('\n').filter(Boolean)
  const logged = lines.map((line) => JSON.parse(line)).find((line) => line.id === id)
  expect(logged).toMatchObject({ method: 'GET', status: 200, trace_id: request?.traceId, span_id: request?.spanId })
})

test('a server without an SDK of OpenTelemetry loads nothing that traces', async () => {
  const loaded = join(folder, 'loaded')
  const server = await start({ DATA_DIR: dataDir, ADMIN_TOKEN, NODE_V8_COVERAGE: loaded })
  await fetch(`${server.address}/products/42/comments`)
  const metrics = await (await fetch(`${server.address}/metrics`)).text()
  expect(metrics).toMatch(/^collection_read_units_total\{collection="COMMENT",operation="list",lists="\w+"\} \d/m)
  expect(metrics).toMatch(/^index_ready\{collection="COMMENT",index="byRating"\} 1$/m)
  expect(await server.end()).toBe(0)
  // The coverage of a process names every module that it has loaded.
  const modules = readdirSync(loaded).flatMap((file) => {
    const { result } = JSON.parse(readFileSync(join(loaded, file), 'utf8')) as { readonly result: { url: string }[] }
    return result.map(({ url }) => url)
  })
  const named = (part: string): readonly string[] => modules.filter((url) => url.includes(part))
  expect(named('packages/telemetry/dist/index.js')).toHaveLength(1)
  expect(named('packages/telemetry/dist/opentelemetry/')).toEqual([])
})
