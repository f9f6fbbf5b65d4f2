// Puts the pages of the site together in pages/: the documents of the repository, with links that hold on the site.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../', import.meta.url))
const PAGES = join(ROOT, 'site', 'pages')

/** Which file of the repository becomes which page. */
const SINGLE = {
  'README.md': 'index.md',
  'CHANGELOG.md': 'changelog.md',
  'SECURITY.md': 'report-a-weakness.md',
  ...Object.fromEntries(
    ['lapidary', 'engine', 'resp', 'cli'].map((name) => [`packages/${name}/README.md`, `packages/${name}.md`]),
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

export function assemble() {
  rmSync(PAGES, { recursive: true, force: true })
  for (const path of sourcePages()) write(pageOf(path), withLinks(path, readFileSync(join(ROOT, path), 'utf8')))
  cpSync(join(ROOT, 'docs', 'images'), join(PAGES, 'images'), { recursive: true })
  write('decisions/index.md', decisions())
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

if (process.argv[1] !== undefined && relative(process.argv[1], fileURLToPath(import.meta.url)) === '') assemble()
