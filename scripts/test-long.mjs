// Runs by hand what `npm test` draws little of, with many more draws: npm run test:long [FILTER…]
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { scriptArguments } from './script-arguments.mjs'

/** How much is drawn, unless the environment says otherwise; WHOLE has every pair of a matrix run. */
const DRAWS = {
  HISTORIES: 10_000,
  DECLARATIONS: 1_000,
  MIGRATIONS: 1_000,
  FC_RUNS: 200,
  WORKLOADS: 100,
  HOSTILE_TIMES: 20,
  CHAOS_SECONDS: 600,
  KILL_TIMES: 200,
  WHOLE: 1,
}
const TESTS = [
  'packages/lapidary/test/stream/histories.test.ts',
  'packages/lapidary/test/declarations/two-versions.test.ts',
  'packages/lapidary/test/backfill/migrations.test.ts',
  'packages/lapidary/test/conformance',
  'packages/adviser/test/advise-measured.test.ts',
  'test/hostile',
  'test/chaos',
  'test/kill',
  'packages/studio/test/browser.test.ts',
  'packages/studio/test/examples.test.ts',
  'packages/cli/test/signals.test.ts',
]

const names = Object.keys(DRAWS).join(', ')
const usage = `usage: npm run test:long [-- FILTER…], as in: npm run test:long -- histories
${names} say how much is drawn`
const { positionals: filters } = scriptArguments('test-long', usage, { allowPositionals: true })
const root = fileURLToPath(new URL('../', import.meta.url))
const { status } = spawnSync(
  process.execPath,
  [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', ...(filters.length > 0 ? filters : TESTS)],
  { cwd: root, env: { ...DRAWS, ...process.env }, stdio: 'inherit' },
)
process.exit(status ?? 1)
