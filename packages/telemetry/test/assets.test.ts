import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ALARMS, METRICS, type Metric } from 'lapidary-telemetry'
import { expect, test } from 'vitest'
import { sources } from '../../../test/architecture/sources.ts'
import { promtool } from '../../../test/engines/prometheus.ts'
import { assets, metricTable } from '../scripts/assets.ts'

const file = (name: string): string => fileURLToPath(new URL(`../assets/${name}`, import.meta.url))
const all: readonly Metric[] = Object.values(METRICS)

/** The texts under a key, anywhere in a document. */
function textsUnder(key: string, part: unknown): readonly string[] {
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([name, value]) =>
    name === key && typeof value === 'string' ? [value] : textsUnder(key, value),
  )
}

/** The queries of the dashboard, with what Grafana puts in place of its variables. */
const queries = textsUnder('expr', JSON.parse(readFileSync(file('grafana.json'), 'utf8'))).map((query) =>
  query.replaceAll('$__rate_interval', '5m').replaceAll('$job', '.*'),
)
const alerts = [...readFileSync(file('alerts.yml'), 'utf8').matchAll(/expr: (".*")/g)].map(
  ([, text]) => JSON.parse(text ?? '') as string,
)

/** The names in queries that are no metric of the list, and no word of the language or label of it. */
function unknownNames(expressions: readonly string[]): readonly string[] {
  const words = ['histogram_quantile', 'label_values', ...all.flatMap(({ labels }) => labels)]
  const known = new Set([
    ...words,
    ...all.flatMap(({ name, kind }) => (kind === 'histogram' ? [`${name}_bucket`, `${name}_count`] : [name])),
  ])
  return expressions.flatMap((text) => text.match(/[a-z]+(?:_[a-z]+)+/g) ?? []).filter((name) => !known.has(name))
}

test.each(Object.entries(assets()))('%s is what npm run dashboards writes', (name, text) => {
  expect(readFileSync(file(name), 'utf8')).toBe(text)
})

test('the documents name all metrics and attributes', () => {
  const page = readFileSync(new URL('../../../docs/observability.md', import.meta.url), 'utf8')
  expect(page).toContain(`<!-- metrics -->\n${metricTable()}<!-- /metrics -->`)
  const [spans] = sources(['packages/telemetry/src/opentelemetry/spans.ts'])
  const attributes = [...(spans?.text ?? '').matchAll(/'([a-z_]+(?:\.[a-z_]+)+)':/g)].map(([, name]) => name ?? '')
  expect(attributes.length).toBeGreaterThan(25)
  expect(attributes.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})

test('dashboards and alerts name only metrics that are in the list', () => {
  expect(queries.length).toBeGreaterThan(12)
  expect(alerts).toHaveLength(ALARMS.length + 3)
  expect(unknownNames([...queries, ...alerts])).toEqual([])
  expect(unknownNames(['rate(no_such_total[5m])'])).toEqual(['no_such_total'])

  const dashboard = readFileSync(file('cloudwatch.json'), 'utf8')
  const widgets = JSON.parse(dashboard).widgets as readonly { readonly properties: { readonly metrics: unknown[][] } }[]
  const named = widgets.flatMap(({ properties }) =>
    properties.metrics.map(([first, name]) =>
      first === 'Lapidary' ? name : /MetricName="(\w+)"/.exec((first as { expression: string }).expression)?.[1],
    ),
  )
  const sent = new Set<unknown>(all.map(({ cloudWatch }) => cloudWatch))
  expect(named.length).toBeGreaterThan(8)
  expect(named.filter((name) => name === undefined || !sent.has(name))).toEqual([])
})

test('each metric in the list is recorded somewhere, and shown on the dashboard', () => {
  const text = sources(['packages/telemetry/src', 'packages/http/src']).map((source) => source.text)
  const recorded = new Set(text.flatMap((each) => [...each.matchAll(/record\('(\w+)'/g)].map(([, key]) => key)))
  expect([...recorded].toSorted()).toEqual(Object.keys(METRICS).toSorted())
  // The counts of what is not complete are for alerts; the dashboard shows each part.
  const shown = queries.join()
  const absent = all.filter(({ name }) => !shown.includes(name)).map(({ name }) => name)
  expect(absent).toEqual(['derived_data_unready', 'indexes_unready'])
})

test('Prometheus takes the alerts, and each query of the dashboard', async () => {
  expect(await promtool(['check', 'rules', file('alerts.yml')])).toBe('')
  const folder = mkdtempSync(join(tmpdir(), 'lapidary-test-'))
  const checked = async (expressions: readonly string[]): Promise<string> => {
    const rules = expressions.map((expr, i) => ({ record: `query:${i}`, expr }))
    writeFileSync(join(folder, 'queries.yml'), JSON.stringify({ groups: [{ name: 'queries', rules }] }))
    return promtool(['check', 'rules', join(folder, 'queries.yml')])
  }
  expect(await checked(queries)).toBe('')
  expect(await checked(['sum by (job (up)'])).toContain('could not parse expression')
  rmSync(folder, { recursive: true })
})
