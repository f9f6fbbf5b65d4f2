// Builds the documents as a site (npm run docs), with those of earlier versions beside them (npm run docs -- all), or serves them while someone
// writes them (npm run docs -- serve).
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installOwnPackages } from './own-packages.mjs'
import { refuse, scriptArguments } from './script-arguments.mjs'

const site = fileURLToPath(new URL('../site/', import.meta.url))
const USAGE = 'usage: npm run docs builds, npm run docs -- all builds every version, npm run docs -- serve shows'
const { positionals } = scriptArguments('docs', USAGE, { allowPositionals: true })
const [command = 'build', ...others] = positionals
if (others.length > 0 || !['build', 'all', 'serve', 'install'].includes(command))
  refuse('docs', `there is no ${positionals.join(' ')}`, USAGE)

// The generator is no part of `npm ci`, so that whoever only uses or tests the library does not wait for it.
installOwnPackages(site)
// The reference of the construct names the CDK's types.
installOwnPackages(fileURLToPath(new URL('../packages/cdk/', import.meta.url)))
if (command !== 'install') {
  run(process.execPath, ['assemble.mjs', ...(command === 'all' ? ['all'] : [])])
  run(process.execPath, [join('playground', 'build.mjs')])
  run(process.execPath, ['node_modules/typedoc/bin/typedoc'])
  const vitepress = join('node_modules', 'vitepress', 'bin', 'vitepress.js')
  if (command === 'serve') run(process.execPath, [vitepress, 'dev', '--host', '127.0.0.1'])
  else {
    run(process.execPath, [vitepress, 'build'])
    if (command === 'all')
      for (const version of JSON.parse(readFileSync(join(site, 'versions.json'), 'utf8'))) build(version)
    console.log('docs: the site is in site/dist')
  }
}

/** Builds the documents of an earlier version as they were at its tag, and puts them into a folder of that name. */
function build(version) {
  const tree = join(mkdtempSync(join(tmpdir(), 'lapidary-docs-')), version)
  run('git', ['worktree', 'add', '--detach', tree, `v${version}`])
  try {
    // The installation builds the version, and the API reference is made from that.
    run('npm', ['ci', '--no-audit', '--no-fund', '--prefer-offline'], { cwd: tree })
    const env = { ...process.env, DOCS_BASE: `/${version}/` }
    run(process.execPath, [join('scripts', 'docs.mjs')], { cwd: tree, env })
    cpSync(join(tree, 'site', 'dist'), join(site, 'dist', version), { recursive: true })
  } finally {
    spawnSync('git', ['worktree', 'remove', '--force', tree], { cwd: site })
    rmSync(join(tree, '..'), { recursive: true, force: true })
  }
}

function run(program, options, how = {}) {
  const { status } = spawnSync(program, options, { cwd: site, stdio: 'inherit', ...how })
  // Thrown rather than exited at once, so that temporary files are removed.
  if (status !== 0) throw new Error(`docs: ${program} ${options.join(' ')} failed`)
}
