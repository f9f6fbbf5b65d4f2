import { configDefaults, defineConfig, mergeConfig } from 'vitest/config'
import { QuickFirst } from './test/mutation/quick-first.ts'
import { UnloadableFails } from './test/mutation/unloadable-fails.ts'
import base from './vitest.config.ts'

/** A test that waits for what a mutant keeps from coming has failed; without one the slowest takes a few seconds. */
const LIMIT_MS = 20_000

/** The tests that `scripts/mutate.mjs` names, with the engine that it asks for. */
const config = mergeConfig(
  base,
  defineConfig({ test: { setupFiles: ['test/mutation/setup.ts'], sequence: { sequencer: QuickFirst } } }),
)
config.test.include = JSON.parse(process.env.MUTATION_TESTS ?? '[]')
config.test.exclude = configDefaults.exclude
config.test.globalSetup = process.env.MUTATION_TABLE === 'engine' ? ['test/mutation/engine.ts'] : []
config.test.reporters = [new UnloadableFails()]
config.test.testTimeout = LIMIT_MS
export default config
