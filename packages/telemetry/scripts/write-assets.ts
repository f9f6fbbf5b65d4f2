import { readFileSync, writeFileSync } from 'node:fs'
import { assets, metricTable } from './assets.ts'

// npm run dashboards: after a change of the list of metrics or of alarms.
for (const [name, text] of Object.entries(assets())) writeFileSync(new URL(`../assets/${name}`, import.meta.url), text)

const page = new URL('../../../docs/observability.md', import.meta.url)
const told = readFileSync(page, 'utf8').replace(
  /(<!-- metrics -->\n)[\s\S]*?(<!-- \/metrics -->)/,
  (_, begin: string, end: string) => `${begin}${metricTable()}${end}`,
)
writeFileSync(page, told)
