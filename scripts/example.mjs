// Runs an example: npm run example -- orders
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { refuse, scriptArguments } from './script-arguments.mjs'

/** The engines that an example needs beside the embedded one, by their names in provision.mjs. */
const NEEDS = { attach: ['dynamodb-local'] }

const folder = new URL('../examples/', import.meta.url)
const programOf = (name) => fileURLToPath(new URL(`${name}/main.ts`, folder))
const names = readdirSync(folder).filter((name) => existsSync(programOf(name)))

const USAGE = `usage: npm run example -- NAME, one of ${names.join(', ')}`
const [name, ...others] = scriptArguments('example', USAGE, { allowPositionals: true }).positionals
if (name === undefined || others.length > 0 || !names.includes(name))
  refuse('example', 'give the name of one example', USAGE)
const needs = NEEDS[name] ?? []
if (needs.length > 0) {
  // It says what is missing.
  const provision = fileURLToPath(new URL('provision.mjs', import.meta.url))
  const { status } = spawnSync(process.execPath, [provision, ...needs], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
const { status, signal } = spawnSync(process.execPath, ['--import', 'tsx', programOf(name)], {
  stdio: 'inherit',
  env: { ...process.env, NODE_NO_WARNINGS: '1', AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
})
if (signal !== null) console.error(`example: ${name} was ended by ${signal}`)
process.exit(status ?? 1)
