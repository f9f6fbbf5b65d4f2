import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { chosenSeed } from './packages/testing/src/conformance/options.ts'
import { leftOut } from './test/engines/long-files.ts'
import { PATIENCE } from './test/engines/patience.ts'
import { SlowFirst } from './test/engines/slow-first.ts'
import { sourceAliases } from './test/engines/source-aliases.ts'
import { SummaryReporter } from './test/engines/summary-reporter.ts'

const LIMIT_MS = 300_000
/** Repeats what property tests draw: `FC_SEED=7 npx vitest run …`. */
const FC_SEED = String(chosenSeed(process.env.FC_SEED))
/** `npm run test:whole` has all files; `npm test` leaves four of five long ones to other seeds, unless they are named. */
const named = process.argv.slice(2).filter((word) => word !== 'run' && !word.startsWith('-'))
const LEFT_OUT = process.env.TEST_FILES === 'all' ? [] : leftOut(Number(FC_SEED), named)

export default defineConfig({
  resolve: {
    alias: sourceAliases(),
  },
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'packages/*/test/**/*.test.ts',
      'apps/*/src/**/*.test.{ts,tsx}',
      'apps/*/test/**/*.test.ts',
      'test/**/*.test.ts',
    ],
    exclude: [...configDefaults.exclude, ...LEFT_OUT],
    globalSetup: ['test/engines/global-setup.ts'],
    reporters: ['default', new SummaryReporter(FC_SEED, named.length === 0 ? LEFT_OUT.length : 0)],
    pool: 'forks',
    // One more than processors: a file that waits for a stream or a program leaves one idle.
    maxWorkers: availableParallelism() + 1,
    // A worker loads the SDK and the like once, and not for each file: half of the processor's time of many small files.
    isolate: false,
    sequence: { sequencer: SlowFirst },
    // A limit is there to end what hangs: a busy machine must not reach it.
    testTimeout: LIMIT_MS,
    hookTimeout: LIMIT_MS,
    expect: { poll: PATIENCE },
    teardownTimeout: LIMIT_MS,
    // The SDK's remark on Node versions, once for each worker, would bury what the tests say.
    env: { NODE_NO_WARNINGS: '1', FC_SEED },
    setupFiles: ['test/fast-check-seed.ts'],
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'hono/jsx' } },
})
