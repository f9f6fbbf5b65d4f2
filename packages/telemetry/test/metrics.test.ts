import { createLapidary, LapidaryError, type Observer } from 'lapidary'
import { embeddedMetrics, METRICS, measuredFunction, measuring, recordStates } from 'lapidary-telemetry'
import { prometheusMetrics } from 'lapidary-telemetry/prometheus'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSdkClient, dropTables, testEngines, uniqueTableName } from '../../../test/engines/index.ts'
import { comment, comments } from '../../lapidary/test/comments-fixture.ts'

const [engine] = testEngines()
if (engine === undefined) throw new Error('there is no engine')
const client = createSdkClient(engine)
const options = {
  ...{ client, tableName: uniqueTableName(), collections: { comments }, cursorSecret: 'a secret of the tests' },
  ...{ derived: { counts: true }, stream: { immediate: true } },
} as const
const registry = new Registry()
const metrics = prometheusMetrics(registry)
const lapidary = createLapidary({ ...options, observers: [measuring(metrics)] })

beforeAll(async () => {
  await lapidary.table.create()
  const items = Array.from({ length: 30 }, (_, i) => comment({ id: `c${i}`, text: 'x'.repeat(3_000) }))
  await Promise.all(items.map((item) => lapidary.comments.create(item)))
})
afterAll(() => dropTables(client, [options.tableName]))

const value = async (name: string, labels: Readonly<Record<string, string>>): Promise<number> => {
  const { values = [] } = (await registry.getSingleMetric(name)?.get()) ?? {}
  const found = values.filter((each) => Object.entries(labels).every(([label, of]) => each.labels[label] === of))
  return found.reduce((sum, each) => sum + each.value, 0)
}

test('units are told by collection, operation and lists, and are those that the plan tells', async () => {
  const before = await value('collection_read_units_total', { operation: 'list' })
  const pages = await Promise.all([5, 10, 15].map((limit) => lapidary.comments.list({ scope: '42', limit })))
  const told = pages.reduce((sum, { plan }) => sum + (plan.actual?.rcu ?? 0), 0)
  const after = await value('collection_read_units_total', { operation: 'list' })
  // Beside the lists it reads, now and then, which indexes there are.
  expect(after - before).toBeGreaterThanOrEqual(told)
  expect(after - before).toBeLessThan(told + 5)
  expect(await value('collection_read_units_total', { collection: 'COMMENT', lists: 'all' })).toBeGreaterThan(0)
  expect(await value('collection_write_units_total', { operation: 'create' })).toBeGreaterThanOrEqual(30)
})

test('pages that a budget ended are counted, and those of which it left nothing', async () => {
  await lapidary.comments.list({ scope: '42', limit: 30, maxCapacity: 4 })
  await expect(lapidary.comments.list({ scope: '42', limit: 30, maxCapacity: 0.1 })).rejects.toMatchObject({
    code: 'capacity_exhausted',
  })
  expect(await value('collection_short_pages_total', { collection: 'COMMENT', limit: 'maxCapacity' })).toBe(2)
  expect(
    await value('collection_operation_duration_seconds', { operation: 'list', code: 'capacity_exhausted' }),
  ).toBeGreaterThan(0)
})

test('commits are told by their outcome, and those that were refused by their code', async () => {
  const lines: string[] = []
  const embedded = embeddedMetrics({ table: 't', write: (line) => lines.push(line) })
  const { observe }: Observer = measuring(embedded)
  const work = { kind: 'commit', table: 't', writes: 3 } as const
  await observe(
    work,
    async () => 'written',
    (outcome) => ({ outcome }),
  )
  const refuse = async (): Promise<never> => {
    throw new LapidaryError('unavailable', 'no')
  }
  await expect(observe(work, refuse, () => ({}))).rejects.toMatchObject({ code: 'unavailable' })
  embedded.flush()
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ RefusedCommits: 1, code: 'unavailable', table: 't' }])
})

test('states are read from the table; a gauge that is forgotten is absent', async () => {
  await recordStates(metrics, lapidary)
  const text = await registry.metrics()
  expect(text).toMatch(/^derived_data_gaps 0$/m)
  expect(text).toMatch(/^derived_data_dead_letters 0$/m)
  expect(text).toMatch(/^index_ready\{collection="COMMENT",index="all"\} 1$/m)
  expect(text).toMatch(/^derived_data_ready\{collection="COMMENT",name="counts"\} [01]$/m)
  expect(text).not.toMatch(/^derived_data_lag_seconds /m)
  metrics.forget('gaps')
  metrics.forget('indexReady')
  expect(await registry.metrics()).not.toMatch(/^(derived_data_gaps|index_ready)[ {]/m)
})

test('a line of embedded metrics is as CloudWatch takes it, and only for metrics that it keeps', () => {
  const lines: string[] = []
  const embedded = embeddedMetrics({
    table: 'comments',
    write: (line) => lines.push(line),
    clock: () => 1_700_000_000_000,
  })
  embedded.record('lag', 1.5, {})
  embedded.record('lag', 2.5, {})
  embedded.record('deadLetters', 0, {})
  embedded.record('requestDuration', 1, { route: '/', method: 'GET', status: '200' })
  for (const units of [1, 2]) embedded.record('readUnits', units, { collection: 'C', operation: 'list', lists: 'all' })
  embedded.flush()
  embedded.flush()
  expect(lines.every((line) => line.endsWith('}\n'))).toBe(true)
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      _aws: {
        Timestamp: 1_700_000_000_000,
        CloudWatchMetrics: [
          {
            Namespace: 'Lapidary',
            Dimensions: [['table']],
            Metrics: [
              { Name: 'Lag', Unit: 'Seconds' },
              { Name: 'DeadLetters', Unit: 'Count' },
            ],
          },
        ],
      },
      ...{ table: 'comments', Lag: 2.5, DeadLetters: 0 },
    },
    {
      _aws: {
        Timestamp: 1_700_000_000_000,
        CloudWatchMetrics: [
          {
            Namespace: 'Lapidary',
            Dimensions: [['table'], ['table', 'collection']],
            Metrics: [{ Name: 'ReadUnits', Unit: 'Count' }],
          },
        ],
      },
      ...{ table: 'comments', collection: 'C', operation: 'list', lists: 'all', ReadUnits: 3 },
    },
  ])
})

test('a function writes its metrics when an invocation ends, also one that fails, and the states once a minute', async () => {
  const lines: string[] = []
  const embedded = embeddedMetrics({ table: options.tableName, write: (line) => lines.push(line) })
  const handler = measuredFunction(
    async (event: string) => {
      if (event === 'bad') throw new Error('failed')
      embedded.record('lag', 3, {})
      return event
    },
    { metrics: embedded, database: lapidary },
  )
  expect(await handler('good')).toBe('good')
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ Lag: 3, Gaps: 0, DeadLetters: 0, table: options.tableName })
  await expect(handler('bad')).rejects.toThrow('failed')
  expect(lines).toHaveLength(1)
  await handler('good')
  expect(JSON.parse(lines[1] ?? '')).not.toHaveProperty('Gaps')

  const away = createLapidary({ ...options, tableName: 'no-such-table' })
  const told: unknown[] = []
  const blind = measuredFunction(async () => 'counted', {
    ...{ metrics: embedded, database: away, onError: (error: unknown) => told.push(error) },
  })
  expect(await blind()).toBe('counted')
  expect(told).toHaveLength(1)
})

test('no two metrics have one name, and each name is in the style of its kind', () => {
  const all = Object.values(METRICS)
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
  const cloud = all.flatMap((metric) => ('cloudWatch' in metric ? metric.cloudWatch : []))
  expect(new Set(cloud).size).toBe(cloud.length)
  for (const { name, kind, unit } of all) {
    expect(name.endsWith('_total'), name).toBe(kind === 'counter')
    expect(name.endsWith('_seconds'), name).toBe(unit === 'Seconds')
  }
})
