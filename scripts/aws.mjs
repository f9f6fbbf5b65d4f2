// The comments application as a CDK stack: npm run aws -- synth | diff | deploy | destroy, or any other command of cdk.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { installOwnPackages } from './own-packages.mjs'

const folder = fileURLToPath(new URL('../apps/comments/aws/', import.meta.url))
const [command, ...options] = process.argv.slice(2)
if (command === undefined) {
  console.error('aws: say what to do: npm run aws -- synth, diff, deploy or destroy')
  process.exit(2)
}
installOwnPackages(folder)
if (command !== 'install') {
  const { status } = spawnSync('npx', ['--no-install', 'cdk', command, ...options], { cwd: folder, stdio: 'inherit' })
  process.exit(status ?? 1)
}
