import { createLapidary, type Poller } from 'lapidary'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createSdkClient, dropTables, testEngines, uniqueTableName } from '../../../test/engines/index.ts'
import { PATIENCE } from '../../../test/engines/patience.ts'
import { promtool, startPrometheus, type TestPrometheus } from '../../../test/engines/prometheus.ts'
import { assets } from '../../telemetry/scripts/assets.ts'
import { byTokens } from '../src/index.ts'
import { createMetrics, observeCapacity } from '../src/internal.ts'
import { createApi, createHttpServer, observeDerivedData, startDerivedData } from '../src/internal-server.ts'
import { COLLECTIONS, ordersOf } from './collections.ts'

const [engine] = testEngines()
if (engine === undefined) throw new Error('no engine')
const client = createSdkClient(engine)
const tableName = uniqueTableName()
// Those of the process are prom-client's, some of which promtool would call otherwise.
const metrics = createMetrics({ process: false })
observeCapacity(client, metrics.observeCapacity)
const lapidary = createLapidary({
  ...{ client, tableName, collections: COLLECTIONS, cursorSecret: 'a secret of the tests' },
  ...{ derived: { counts: true }, stream: { immediate: true }, observers: [metrics.observer] },
})
const logger = { info() {}, warn() {}, error() {} }
const server = createHttpServer()
let poller: Poller
let prometheus: TestPrometheus
let address: string

beforeAll(async () => {
  await lapidary.table.create()
  poller = await startDerivedData({ database: lapidary }, logger)
  observeDerivedData(metrics, { database: lapidary }, poller)
  const api = createApi(lapidary, { authorize: byTokens({ admin: 'the-admin-token-1' }), logger, metrics })
  address = `127.0.0.1:${await server.listen(api.fetch, { host: '127.0.0.1', port: 0 })}`
  const rules = new URL('../../telemetry/assets/alerts.yml', import.meta.url).pathname
  prometheus = await startPrometheus(address, rules)
})
afterAll(async () => {
  await prometheus[Symbol.asyncDispose]()
  await server.drain(500)
  await poller.close()
  await dropTables(client, [tableName])
})

interface Vector {
  readonly result: readonly { readonly metric: Readonly<Record<string, string>>; readonly value: [number, string] }[]
}

const query = async (expression: string): Promise<Vector['result']> =>
  (await prometheus.ask<Vector>(`/api/v1/query?query=${encodeURIComponent(expression)}`)).result

test('Prometheus scrapes the server, and its dashboard and alerts have data', async () => {
  const text = async (path: string): Promise<string> => (await fetch(`http://${address}${path}`)).text()
  for (const order of ordersOf(20)) await lapidary.orders.create(order as never)
  await vi.waitUntil(async () => (await text('/readyz')).includes('"ok":true'), PATIENCE)
  await text('/orders?scope=c1&limit=5')
  const exposed = await text('/metrics')
  expect(await promtool(['check', 'metrics'], exposed)).toBe('')

  await vi.waitUntil(async () => (await query('up == 1')).length === 1, PATIENCE)
  await vi.waitUntil(
    async () => (await query('collection_write_units_total{operation="create"} > 0')).length > 0,
    PATIENCE,
  )
  expect(await query('derived_data_gaps')).toMatchObject([
    { metric: { job: 'lapidary' }, value: [expect.any(Number), '0'] },
  ])

  const dashboard = JSON.parse(assets()['grafana.json'] ?? '') as {
    readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[]
  }
  const isQuiet = /Short pages|Commits/
  for (const { title, targets } of dashboard.panels) {
    const [first] = targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '1m').replaceAll('$job', '.*'))
    await vi.waitUntil(async () => isQuiet.test(title) || (await query(first ?? '')).length > 0, PATIENCE)
  }
  const { groups } = await prometheus.ask<{ groups: { rules: { name: string; health: string; state: string }[] }[] }>(
    '/api/v1/rules',
  )
  const rules = groups.flatMap((group) => group.rules)
  expect(rules.length).toBeGreaterThanOrEqual(10)
  expect(rules.filter(({ health }) => health !== 'ok')).toEqual([])
  expect(rules.filter(({ state }) => state === 'firing')).toEqual([])
})
