import { ALARMS, type Alarm, METRICS, type Metric, type MetricKey, NAMESPACE } from 'lapidary-telemetry'

/** The files in `assets`, by their names: a dashboard for each of the two, and the alerts. */
export function assets(): Readonly<Record<string, string>> {
  return {
    'grafana.json': `${JSON.stringify(grafanaDashboard(), null, 2)}\n`,
    'cloudwatch.json': `${JSON.stringify(cloudWatchDashboard(), null, 2)}\n`,
    'alerts.yml': alertRules(),
  }
}

/** The metrics as a table, for the documents. */
export function metricTable(): string {
  const rows = Object.values(METRICS).map((metric: Metric) => {
    const { name, cloudWatch, kind, labels, help } = metric
    const coded = (texts: readonly string[]): string => texts.map((text) => `\`${text}\``).join(', ')
    return `| ${coded([name])} | ${coded(cloudWatch === undefined ? [] : [cloudWatch])} | ${kind} | ${coded(labels)} | ${help} |\n`
  })
  return `| Prometheus | CloudWatch | kind | labels | is |\n|---|---|---|---|---|\n${rows.join('')}`
}

const SELECTED = 'job=~"$job"'

const rate = (key: MetricKey, by: string, more = ''): string =>
  `sum by (${by}) (rate(${METRICS[key].name}{${SELECTED}${more}}[$__rate_interval]))`
const highest = (key: MetricKey, by?: string): string =>
  `max${by === undefined ? '' : ` by (${by})`} (${METRICS[key].name}{${SELECTED}})`
const quantile = (key: MetricKey, share: number, by: string): string =>
  `histogram_quantile(${share}, sum by (le, ${by}) (rate(${METRICS[key].name}_bucket{${SELECTED}}[$__rate_interval])))`

interface Panel {
  readonly title: string
  readonly unit: 's' | 'short' | 'reqps' | 'bool'
  /** Queries, each with how its series are named. */
  readonly queries: readonly (readonly [expression: string, legend: string])[]
  /** What it shows, for who has not read the documents. */
  readonly description: string
}

const requests = METRICS.requestDuration.name

const PANELS: readonly Panel[] = [
  {
    ...{ title: 'Requests', unit: 'reqps', description: 'Answers a second, by status.' },
    queries: [[`sum by (status) (rate(${requests}_count{${SELECTED}}[$__rate_interval]))`, '{{status}}']],
  },
  {
    ...{ title: 'Time of requests, 99 of 100', unit: 's', description: METRICS.requestDuration.help },
    queries: [[quantile('requestDuration', 0.99, 'route'), '{{route}}']],
  },
  {
    ...{ title: 'Time of operations, 99 of 100', unit: 's', description: METRICS.operationDuration.help },
    queries: [[quantile('operationDuration', 0.99, 'collection, operation'), '{{collection}} {{operation}}']],
  },
  {
    ...{ title: 'Read units a second', unit: 'short', description: METRICS.readUnits.help },
    queries: [[rate('readUnits', 'collection, operation, lists'), '{{collection}} {{operation}} {{lists}}']],
  },
  {
    ...{ title: 'Write units a second', unit: 'short', description: METRICS.writeUnits.help },
    queries: [[rate('writeUnits', 'collection, operation'), '{{collection}} {{operation}}']],
  },
  {
    ...{ title: 'Units a second by command', unit: 'short', description: METRICS.consumedUnits.help },
    queries: [[rate('consumedUnits', 'operation, kind'), '{{operation}} {{kind}}']],
  },
  {
    ...{ title: 'Short pages a second', unit: 'short', description: METRICS.shortPages.help },
    queries: [[rate('shortPages', 'collection, limit'), '{{collection}} {{limit}}']],
  },
  {
    ...{ title: 'Lag of derived data', unit: 's', description: METRICS.lag.help },
    queries: [[highest('lag'), 'slowest shard']],
  },
  {
    ...{
      title: 'Gaps and dead letters',
      unit: 'short',
      description: `${METRICS.gaps.help} ${METRICS.deadLetters.help}`,
    },
    queries: [
      [highest('gaps'), 'gaps'],
      [highest('deadLetters'), 'dead letters'],
    ],
  },
  {
    ...{ title: 'Commits a second', unit: 'short', description: METRICS.commits.help },
    queries: [
      [rate('commits', 'outcome'), '{{outcome}}'],
      [rate('refusedCommits', 'code'), 'refused: {{code}}'],
    ],
  },
  {
    ...{ title: 'Derived data that is complete', unit: 'bool', description: METRICS.derivedReady.help },
    queries: [[highest('derivedReady', 'collection, name'), '{{collection}} {{name}}']],
  },
  {
    ...{ title: 'Indexes that lists are read from', unit: 'bool', description: METRICS.indexReady.help },
    queries: [[highest('indexReady', 'collection, index'), '{{collection}} {{index}}']],
  },
]

function grafanaDashboard(): object {
  const datasource = { type: 'prometheus', uid: '$datasource' }
  return {
    ...{ title: 'Lapidary', uid: 'lapidary', tags: ['lapidary', 'dynamodb'], schemaVersion: 39, version: 1 },
    ...{ editable: true, refresh: '30s', time: { from: 'now-6h', to: 'now' }, timezone: 'browser' },
    templating: {
      list: [
        { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' },
        {
          ...{ name: 'job', label: 'Job', type: 'query', datasource, refresh: 2, multi: true, includeAll: true },
          ...{ allValue: '.*', query: { query: `label_values(${requests}_count, job)`, refId: 'job' } },
        },
      ],
    },
    panels: PANELS.map(({ title, description, unit, queries }, i) => ({
      ...{ id: i + 1, type: 'timeseries', title, description, datasource },
      gridPos: { x: 8 * (i % 3), y: 8 * Math.floor(i / 3), w: 8, h: 8 },
      fieldConfig: { defaults: { unit, min: unit === 's' ? null : 0 }, overrides: [] },
      options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
      targets: queries.map(([expr, legendFormat], j) => ({
        refId: String.fromCharCode(65 + j),
        datasource,
        expr,
        legendFormat,
      })),
    })),
  }
}

/** What a reader of the dashboard chooses; CloudWatch puts it in place of these words. */
const TABLE = 'TABLE_NAME'
const REGION = 'REGION_NAME'

function cloudWatchDashboard(): object {
  const chosen = (id: string, pattern: string, label: string, defaultValue: string): object => ({
    ...{ type: 'pattern', pattern, inputType: 'input', id, label, defaultValue, visible: true },
  })
  const widget = (title: string, metrics: readonly unknown[], i: number): object => ({
    ...{ type: 'metric', x: 8 * (i % 3), y: 6 * Math.floor(i / 3), width: 8, height: 6 },
    properties: { title, region: REGION, view: 'timeSeries', period: 60, metrics, yAxis: { left: { min: 0 } } },
  })
  const ofTable = (key: MetricKey, stat: string): unknown => [
    ...[NAMESPACE, cloudWatchName(METRICS[key]), 'table', TABLE],
    { stat, label: METRICS[key].help },
  ]
  const byCollection = (key: MetricKey): unknown => {
    const name = cloudWatchName(METRICS[key])
    const series = `{${NAMESPACE},table,collection} MetricName="${name}" table="${TABLE}"`
    return [{ expression: `SEARCH('${series}', 'Sum', 60)`, label: '', id: name.toLowerCase() }]
  }
  return {
    variables: [chosen('table', TABLE, 'Table', 'comments'), chosen('region', REGION, 'Region', 'us-east-1')],
    widgets: [
      widget('Lag of derived data', [ofTable('lag', 'Maximum')], 0),
      widget('Gaps and dead letters', [ofTable('gaps', 'Maximum'), ofTable('deadLetters', 'Maximum')], 1),
      widget('Refused commits', [ofTable('refusedCommits', 'Sum')], 2),
      widget('Read units a minute', [byCollection('readUnits')], 3),
      widget('Write units a minute', [byCollection('writeUnits')], 4),
      widget('Short pages a minute', [byCollection('shortPages')], 5),
      widget('Not complete', [ofTable('unready', 'Maximum'), ofTable('unreadyIndexes', 'Maximum')], 6),
    ],
  }
}

function cloudWatchName(metric: Metric): string {
  if (metric.cloudWatch === undefined) throw new Error(`${metric.name} is not sent to CloudWatch`)
  return metric.cloudWatch
}

function alertRules(): string {
  const unfollowed: Rule = {
    ...{ alert: 'LapidaryUnfollowed', expr: `max(${METRICS.lag.name}) < 0`, minutes: 15, severity: 'page' },
    summary: 'No process follows the change stream',
    description: 'Counts and page numbers stand still. Start a server, or the function that follows the stream.',
  }
  const unknown: Rule = {
    ...{ alert: 'LapidaryStatesUnknown', minutes: 15, severity: 'ticket' },
    expr: `absent(${METRICS.gaps.name}) and on () ${METRICS.lag.name}`,
    summary: 'The states of derived data can not be read',
    description:
      'The table does not answer the server, or the server may not describe it: its log and /readyz tell more.',
  }
  const failing = `sum(rate(${requests}_count{status=~"5.."}[5m]))`
  const errors: Rule = {
    ...{ alert: 'LapidaryErrors', expr: `${failing} / sum(rate(${requests}_count[5m])) > 0.01`, minutes: 10 },
    ...{ severity: 'page', summary: 'One request of a hundred is answered with an error of the server' },
    description: 'The log has each with the id that the client was told.',
  }
  const rules = [...ALARMS.map(ruleOf), unfollowed, unknown, errors].map(ruleText)
  return `# Alerts for Prometheus. Made from the list of alarms in lapidary-telemetry; see docs/observability.md.
groups:
  - name: lapidary
    rules:
${rules.join('')}`
}

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly minutes: number
  readonly severity: string
  readonly summary: string
  readonly description: string
}

function ruleOf({ name, metric, above, minutes, ...told }: Alarm): Rule {
  const isCounter = METRICS[metric].kind === 'counter'
  const value = isCounter ? `sum(increase(${METRICS[metric].name}[${minutes}m]))` : `max(${METRICS[metric].name})`
  return { alert: name, expr: `${value} > ${above}`, minutes: isCounter ? 0 : minutes, ...told }
}

function ruleText({ alert, expr, minutes, severity, summary, description }: Rule): string {
  return `      - alert: ${alert}
        expr: ${JSON.stringify(expr)}
        for: ${minutes}m
        labels:
          severity: ${severity}
        annotations:
          summary: ${JSON.stringify(summary)}
          description: ${JSON.stringify(description)}
`
}
