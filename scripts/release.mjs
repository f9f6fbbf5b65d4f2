// Makes a release of all packages together: npm run release -- 0.2.0 names it, npm run release -- publish [--dry-run] publishes what is named.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { refuse, scriptArguments } from './script-arguments.mjs'

const USAGE = 'usage: npm run release -- VERSION, or: npm run release -- publish [--dry-run]'
const { values, positionals } = scriptArguments('release', USAGE, {
  options: { 'dry-run': { type: 'boolean' } },
  allowPositionals: true,
})
const [asked, ...more] = positionals
if (asked === undefined || more.length > 0) refuse('release', 'it takes one version, or the word publish', USAGE)

const ROOT = fileURLToPath(new URL('../', import.meta.url))
// A folder that is no workspace has a lock file of its own.
const places = json('package.json').workspaces.filter((place) => !place.startsWith('!'))
const workspaces = places.flatMap((place) => {
  const folder = place.replace('/*', '')
  return folder === place ? [place] : readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`)
})
const manifests = workspaces.map((folder) => ({ folder, manifest: json(`${folder}/package.json`) }))
const published = manifests.filter(({ manifest }) => manifest.private !== true)
const names = new Set(published.map(({ manifest }) => manifest.name))

if (asked === 'publish') publish()
else name(asked)

/** Gives every package the version, and each the others of exactly that version; dates the changelog, commits and tags. */
function name(version) {
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) refuse('release', `${version} is no version, such as 0.2.0`, USAGE)
  if (values['dry-run'] === true) refuse('release', '--dry-run is for publish', USAGE)
  if (said('git', 'status', '--porcelain') !== '') stop('there are changes that are not committed')
  const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8')
  const heading = `## ${version}, not released yet`
  if (!changelog.includes(heading)) stop(`CHANGELOG.md has no "${heading}": write there what changes`)
  const lock = json('package-lock.json')
  for (const { folder, manifest } of manifests) {
    const ownLock = lock.packages[folder] === undefined ? json(`${folder}/package-lock.json`) : undefined
    const locked = ownLock?.packages[''] ?? lock.packages[folder]
    if (names.has(manifest.name)) locked.version = version
    for (const needed of [locked.dependencies, locked.peerDependencies]) {
      for (const other of Object.keys(needed ?? {})) if (names.has(other)) needed[other] = version
    }
    if (ownLock !== undefined) {
      ownLock.version = version
      write(`${folder}/package-lock.json`, `${JSON.stringify(ownLock, null, 2)}\n`)
    }
    const path = `${folder}/package.json`
    write(path, text(readFileSync(join(ROOT, path), 'utf8'), manifest, version))
  }
  write('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`)
  write('CHANGELOG.md', changelog.replace(heading, `## ${version}, ${new Date().toISOString().slice(0, 10)}`))
  run('git', 'commit', '--quiet', '--all', '--message', `Release ${version}`)
  run('git', 'tag', `v${version}`)
  console.log(`release: v${version} is committed and tagged; push both, and the workflow publishes it`)
}

/** A manifest as it is written, with its versions exchanged: what stands on one line stays there. */
function text(before, manifest, version) {
  const own = names.has(manifest.name) ? before.replace(/("version": )"[^"]*"/, `$1"${version}"`) : before
  return own.replace(/("(lapidary(?:-\w+)?)": )"\d[^"]*"/g, (all, key, other) => {
    return names.has(other) ? `${key}"${version}"` : all
  })
}

/** Publishes each package after those that it needs, with a statement of the commit and the workflow that it was built by. */
function publish() {
  const versions = new Set(published.map(({ manifest }) => manifest.version))
  const [version] = versions
  if (versions.size !== 1) stop(`the packages have several versions: ${[...versions].join(', ')}`)
  const isDry = values['dry-run'] === true
  if (!isDry && !said('git', 'tag', '--points-at', 'HEAD').split('\n').includes(`v${version}`)) {
    stop(`the commit has no tag v${version}: npm run release -- ${version} makes it`)
  }
  for (const folder of inOrder()) {
    run('npm', 'publish', '--access', 'public', ...(isDry ? ['--dry-run'] : ['--provenance']), `./${folder}`)
  }
}

function inOrder() {
  const done = new Set()
  const order = []
  const visit = ({ folder, manifest }) => {
    if (done.has(manifest.name)) return
    done.add(manifest.name)
    const needed = { ...manifest.dependencies, ...manifest.peerDependencies }
    for (const other of published) if (other.manifest.name in needed) visit(other)
    order.push(folder)
  }
  for (const each of published) visit(each)
  return order
}

function json(path) {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'))
}

function write(path, content) {
  writeFileSync(join(ROOT, path), content)
}

function run(command, ...args) {
  const { status } = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit' })
  if (status !== 0) stop(`${command} ${args.join(' ')} failed`)
}

function said(command, ...args) {
  return spawnSync(command, args, { cwd: ROOT, encoding: 'utf8' }).stdout.trim()
}

function stop(problem) {
  console.error(`release: ${problem}`)
  process.exit(1)
}
