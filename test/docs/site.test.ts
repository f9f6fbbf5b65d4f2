import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { isInternal, PACKAGES } from '../architecture/packages.ts'
import { ROOT } from '../architecture/sources.ts'

const SITE = join(ROOT, 'site', 'dist')

/** The links of a page, and the places in it that can be linked to. */
interface BuiltPage {
  readonly links: readonly string[]
  readonly ids: ReadonlySet<string>
  readonly html: string
}

describe('the site of the documents', () => {
  const pages = new Map<string, BuiltPage>()

  beforeAll(async () => {
    // A minute of two processors on a quiet machine; other tests use them too.
    await promisify(execFile)(process.execPath, [join(ROOT, 'scripts/docs.mjs')], { cwd: ROOT, maxBuffer: 1e8 })
    for (const path of filesOf(/\.html$/)) {
      const html = readFileSync(join(SITE, path), 'utf8')
      pages.set(path, {
        html,
        links: [...html.matchAll(/<a\b[^>]*?\bhref="([^"]+)"/g)].flatMap(
          ([, href]) => href?.replaceAll('&amp;', '&') ?? [],
        ),
        ids: new Set([...html.matchAll(/\bid="([^"]+)"/g)].flatMap(([, id]) => id ?? [])),
      })
    }
  }, 1_200_000)

  test('has the documents, the decisions and the reference of the API', () => {
    for (const page of ['index', 'planner', 'decisions/index', 'api/lapidary/functions/createLapidary', 'changelog'])
      expect(pages.has(`${page}.html`), page).toBe(true)
  })

  test.each(PACKAGES)('has a reference of everything that the package %s exports', (folder) => {
    const { name, exports } = JSON.parse(readFileSync(join(ROOT, 'packages', folder, 'package.json'), 'utf8'))
    const entries = Object.keys(exports).filter((entry) => entry !== './package.json' && !isInternal(entry))
    expect(entries.length).toBeGreaterThan(0)
    expect(entries.filter((entry) => !pages.has(posix.join('api', name, entry, 'index.html')))).toEqual([])
  })

  test('has no link that leads nowhere', () => {
    const broken = [...pages].flatMap(([path, { links }]) =>
      links.flatMap((link) => {
        const found = targetOf(path, link)
        if (found === undefined) return []
        const page = pages.get(found.path)
        if (page === undefined) return existsSync(join(SITE, found.path)) ? [] : [`${path}: ${link}`]
        return found.anchor === '' || page.ids.has(found.anchor) ? [] : [`${path}: ${link}`]
      }),
    )
    expect([...new Set(broken)]).toEqual([])
  })

  test('leads from its first page to every page', () => {
    const reached = new Set(['index.html'])
    for (const path of reached)
      for (const link of pages.get(path)?.links ?? []) {
        const found = targetOf(path, link)
        if (found !== undefined && pages.has(found.path)) reached.add(found.path)
      }
    expect([...pages.keys()].filter((path) => path !== '404.html' && !reached.has(path))).toEqual([])
  })

  test('loads nothing from other hosts', () => {
    const loaded = [...pages].flatMap(([path, { html }]) =>
      [...html.matchAll(/<(?:script|link|img|iframe|source)\b[^>]*?\b(?:src|href)="((?:https?:)?\/\/[^"]+)"/g)].map(
        ([, address]) => `${path}: ${address}`,
      ),
    )
    const styles = filesOf(/\.css$/).flatMap((path) =>
      [...readFileSync(join(SITE, path), 'utf8').matchAll(/(?:url\(|@import)\s*["']?((?:https?:)?\/\/[^"')]+)/g)].map(
        ([, address]) => `${path}: ${address}`,
      ),
    )
    expect([...loaded, ...styles]).toEqual([])
  })

  test('shows its version, and can be searched', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'packages/lapidary/package.json'), 'utf8')) as {
      version: string
    }
    expect(pages.get('index.html')?.html).toContain(`Version ${version}`)
    expect(pages.get('versions.html')?.html).toContain(`the documents of version ${version}`)
    expect(filesOf(/localSearchIndex.*\.js$/).length).toBeGreaterThan(0)
  })
})

/** Returns the file and the anchor that a link of a page leads to; undefined for other hosts. */
function targetOf(page: string, link: string): { readonly path: string; readonly anchor: string } | undefined {
  if (/^(\w+:)?\/\/|^mailto:/.test(link)) return undefined
  const { pathname, hash } = new URL(link, `http://site/${page}`)
  const path = decodeURIComponent(pathname).slice(1)
  const file = path === '' || path.endsWith('/') ? posix.join(path, 'index.html') : path
  return { path: file, anchor: decodeURIComponent(hash.slice(1)) }
}

function filesOf(ending: RegExp): readonly string[] {
  return readdirSync(SITE, { recursive: true })
    .map((path) => String(path))
    .filter((path) => ending.test(path))
}
