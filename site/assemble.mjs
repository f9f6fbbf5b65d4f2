// Puts the pages of the site together in pages/: the documents of the repository, with links that hold on the site.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { withPackageManagers } from './package-managers.mjs'
import { playgroundPage } from './playground/page.mjs'

export const ROOT = fileURLToPath(new URL('../', import.meta.url))
const PAGES = join(ROOT, 'site', 'pages')

/** Which file of the repository becomes which page. */
const SINGLE = {
  'site/front-page.md': 'index.md',
  'README.md': 'start.md',
  'CHANGELOG.md': 'changelog.md',
  'SECURITY.md': 'report-a-weakness.md',
  'CONTRIBUTING.md': 'contributing.md',
  ...Object.fromEntries(
    readdirSync(join(ROOT, 'packages')).map((name) => [`packages/${name}/README.md`, `packages/${name}.md`]),
  ),
}

/** The page of a file or a folder of the repository; undefined where the site has none. */
export function pageOf(path) {
  if (SINGLE[path] !== undefined) return SINGLE[path]
  if (path === 'docs/decisions') return 'decisions/index.md'
  return path.startsWith('docs/') ? path.slice('docs/'.length) : undefined
}

/** The files of the repository that become pages. */
export function sourcePages() {
  return [...Object.keys(SINGLE), ...filesIn('docs').filter((path) => path.endsWith('.md'))]
}

/** @param versions Earlier versions whose documents stand beside these, the newest first. */
export function assemble(versions = []) {
  rmSync(PAGES, { recursive: true, force: true })
  for (const path of sourcePages())
    write(pageOf(path), withPackageManagers(withLinks(path, readFileSync(join(ROOT, path), 'utf8'))))
  const playground = join(PAGES, 'playground.md')
  writeFileSync(playground, playgroundPage(readFileSync(playground, 'utf8')))
  cpSync(join(ROOT, 'docs', 'images'), join(PAGES, 'images'), { recursive: true })
  cpSync(join(ROOT, 'site', 'public'), join(PAGES, 'public'), { recursive: true })
  write('decisions/index.md', decisions())
  write('versions.md', versionsPage(versions))
}

/** Links to pages lead to the site's pages; of a link to a source only the text stays, since the site has no sources. */
function withLinks(path, text) {
  const page = pageOf(path)
  return text.replace(
    /(!?)\[([^\]]*)\]\((?!https?:|#|mailto:)([^)#\s]+)(#[^)]*)?\)/g,
    (_, image, label, link, hash = '') => {
      const target = pageOf(posix.normalize(posix.join(posix.dirname(path), link)).replace(/\/$/, ''))
      if (target === undefined) return label
      const way = posix.relative(posix.dirname(page), target)
      return `${image}[${label}](${way.startsWith('.') ? way : `./${way}`}${hash})`
    },
  )
}

function decisions() {
  const rows = filesIn('docs/decisions').map((path) => {
    const [, title] = /^# (.*)$/m.exec(readFileSync(join(ROOT, path), 'utf8'))
    return `- [${title}](./${posix.basename(path)})`
  })
  return `# Decisions\n\nWhy it is as it is: what was looked at, what was chosen, and what follows.\n\n${rows.join('\n')}\n`
}

/** Links to other versions are HTML: the generator would look for them among its own pages. */
function versionsPage(versions) {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'packages/lapidary/package.json'), 'utf8'))
  const rows = versions.map((earlier) => `<li><a href="/${earlier}/" target="_self">${earlier}</a></li>`)
  const others =
    process.env.DOCS_BASE === undefined
      ? `<ul>${rows.join('')}</ul>`
      : '<p><a href="/versions.html" target="_self">The present version, and others</a></p>'
  return `# Versions\n\nThese are the documents of version ${version}. What changed is in the [changelog](./changelog.md).\n\n${others}\n`
}

function write(page, text) {
  const file = join(PAGES, page)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

function filesIn(folder) {
  return readdirSync(join(ROOT, folder), { recursive: true })
    .map((name) => posix.join(folder, name.split('\\').join('/')))
    .filter((path) => statSync(join(ROOT, path)).isFile())
    .sort()
}

if (process.argv[1] !== undefined && relative(process.argv[1], fileURLToPath(import.meta.url)) === '') {
  const all = process.argv[2] === 'all'
  assemble(all ? JSON.parse(readFileSync(join(ROOT, 'site/versions.json'), 'utf8')) : [])
}
