import { writeFileSync } from 'node:fs'
import { assets } from './assets.ts'

// npm run dashboards: after a change of the list of metrics or of alarms.
for (const [name, text] of Object.entries(assets())) writeFileSync(new URL(`../assets/${name}`, import.meta.url), text)
