import { configDefaults, defineConfig, mergeConfig } from 'vitest/config'
import base from './vitest.config.ts'

/** `npm run test:unit`: what stands beside its source, and needs no engine and nothing that has to be provisioned. */
const config = mergeConfig(base, defineConfig({}))
config.test.include = ['packages/*/src/**/*.test.ts', 'apps/*/src/**/*.test.{ts,tsx}', 'test/architecture/**/*.test.ts']
config.test.exclude = configDefaults.exclude
config.test.globalSetup = []
export default config
