// The comments application as a CDK stack: npm run aws -- synth | diff | deploy | destroy, or any other command of cdk.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { installOwnPackages } from './own-packages.mjs'
import { helpFirst, refuse } from './script-arguments.mjs'

const folder = fileURLToPath(new URL('../packages/cdk/', import.meta.url))
const USAGE = 'usage: npm run aws -- synth | diff | deploy | destroy [what cdk takes]'
helpFirst(USAGE)
const [command, ...options] = process.argv.slice(2)
if (command === undefined || command.startsWith('-')) refuse('aws', 'say what to do first', USAGE)
installOwnPackages(folder)
if (command !== 'install') {
  const { status } = spawnSync('npx', ['--no-install', 'cdk', command, ...options], { cwd: folder, stdio: 'inherit' })
  process.exit(status ?? 1)
}
