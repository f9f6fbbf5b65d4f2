// Folders with packages of their own, which no `npm ci` of the repository waits for: installed when they are first used.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Installs what a folder's lock file names, unless it is there already in the same versions. */
export function installOwnPackages(folder) {
  if (isInstalled(folder)) return
  const options = ['ci', '--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts']
  const { status } = spawnSync('npm', options, { cwd: folder, stdio: 'inherit' })
  if (status !== 0) throw new Error(`npm ${options.join(' ')} failed in ${folder}`)
}

function isInstalled(folder) {
  const installed = join(folder, 'node_modules', '.package-lock.json')
  if (!existsSync(installed)) return false
  const { packages } = JSON.parse(readFileSync(installed, 'utf8'))
  const locked = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')).packages
  return Object.entries(packages).every(([path, { version }]) => locked[path]?.version === version)
}
