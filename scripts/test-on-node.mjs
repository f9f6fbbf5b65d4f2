// Runs the tests, or a part of them, on another Node: node scripts/test-on-node.mjs MAJOR [what vitest takes]
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { helpFirst, refuse } from './script-arguments.mjs'

const root = fileURLToPath(new URL('../', import.meta.url))
const USAGE = 'usage: npm run test:node -- MAJOR [what vitest takes], as in: npm run test:node -- 22 test/engines'
helpFirst(USAGE)
const [major = '', ...options] = process.argv.slice(2)
if (!/^\d+$/.test(major)) refuse('test-on-node', 'name a major version of Node', USAGE)

const node = binaryOf(major)
// Tests start `node` and programs that name it in their first line, so it is the first on the path too.
const env = { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}` }
const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' })
console.log(`test-on-node: ${stdout.trim()}`)
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const { status } = spawnSync(node, [vitest, 'run', ...options], { cwd: root, env, stdio: 'inherit' })
process.exit(status ?? 1)

/** Returns the binary of a version: the package `node` has those of every version, and npx keeps what it fetched. */
function binaryOf(version) {
  const print = ['node', '-p', 'process.execPath']
  const found = spawnSync('npx', ['--yes', '--package', `node@${version}`, '--', ...print], { encoding: 'utf8' })
  const path = found.stdout?.trim() ?? ''
  if (found.status === 0 && path !== '') return path
  console.error(
    `test-on-node: Node ${version} can't be had: ${(found.stderr ?? String(found.error)).trim().slice(0, 300)}`,
  )
  process.exit(1)
}
