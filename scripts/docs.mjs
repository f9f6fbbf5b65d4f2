// Builds the documents as a site (npm run docs), or shows them while they are written (npm run docs -- serve).
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const site = fileURLToPath(new URL('../site/', import.meta.url))
const [command = 'build'] = process.argv.slice(2)
if (!['build', 'serve', 'install'].includes(command))
  fail(`there is no ${command}: npm run docs builds, npm run docs -- serve shows`)

// The generator is no part of `npm ci`: who only uses or tests the library does not wait for it.
if (!isInstalled()) run('npm', ['ci', '--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts'])
if (command !== 'install') {
  run(process.execPath, ['assemble.mjs'])
  run(process.execPath, ['node_modules/typedoc/bin/typedoc'])
  const vitepress = join('node_modules', 'vitepress', 'bin', 'vitepress.js')
  if (command === 'serve') run(process.execPath, [vitepress, 'dev', '--host', '127.0.0.1'])
  else {
    run(process.execPath, [vitepress, 'build'])
    console.log('docs: the site is in site/dist')
  }
}

/** Whether what the lock file names is installed, in the same versions. */
function isInstalled() {
  const installed = join(site, 'node_modules', '.package-lock.json')
  if (!existsSync(installed)) return false
  const { packages } = JSON.parse(readFileSync(installed, 'utf8'))
  const locked = JSON.parse(readFileSync(join(site, 'package-lock.json'), 'utf8')).packages
  return Object.entries(packages).every(([path, { version }]) => locked[path]?.version === version)
}

function run(program, options) {
  const { status } = spawnSync(program, options, { cwd: site, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

function fail(message) {
  console.error(`docs: ${message}`)
  process.exit(2)
}
