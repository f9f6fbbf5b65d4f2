// Runs an example: npm run example -- orders
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = new URL('../examples/', import.meta.url)
const programOf = (name) => fileURLToPath(new URL(`${name}/main.ts`, folder))
const names = readdirSync(folder).filter((name) => existsSync(programOf(name)))

const [name, ...others] = process.argv.slice(2)
if (name === undefined || others.length > 0 || !names.includes(name)) {
  console.error(`example: give the name of one example: ${names.join(', ')}`)
  process.exit(2)
}
const { status, signal } = spawnSync(process.execPath, ['--import', 'tsx', programOf(name)], {
  stdio: 'inherit',
  env: { ...process.env, NODE_NO_WARNINGS: '1', AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
})
if (signal !== null) console.error(`example: ${name} was ended by ${signal}`)
process.exit(status ?? 1)
