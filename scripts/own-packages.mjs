// Installs the packages of folders that have their own, when they are first used: `npm ci` of the repository does not wait for them.
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

/** Tells whether a folder has the packages of its lock file, in their versions. */
export function isInstalled(folder) {
  const installed = join(folder, 'node_modules', '.package-lock.json')
  if (!existsSync(installed)) return false
  const { packages } = JSON.parse(readFileSync(installed, 'utf8'))
  const locked = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')).packages
  // Both ways: a package that the lock file names since then is missing, and those for other systems always are.
  return (
    Object.entries(packages).every(([path, { version }]) => locked[path]?.version === version) &&
    Object.entries(locked).every(([path, { optional }]) => path === '' || optional || packages[path] !== undefined)
  )
}
