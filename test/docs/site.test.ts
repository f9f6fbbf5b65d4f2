import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { promisify } from 'node:util'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { violations } from '../../packages/studio/test/looked-at.ts'
import { addressFrom, MOVED } from '../../site/moved.ts'
import { readKnown, textOf, wholeProgram } from '../../site/whole-program.ts'
import { isInternal, PACKAGES } from '../architecture/packages.ts'
import { ROOT } from '../architecture/sources.ts'
import { CHROMIUM } from '../engines/chromium.ts'
import { WHOLE } from '../engines/draws.ts'
import { findExamples } from './examples.ts'
import { describePlayground } from './playground-page.ts'
import { openSearch, type Search } from './site-search.ts'
import { type SiteServer, serveSite } from './site-server.ts'

const SITE = join(ROOT, 'site', 'dist')
const REPOSITORY = 'https://example.com/owner/lapidary'

/** Pages that are no more, and lead on. */
const LEADING_ON = Object.keys(MOVED).filter((page) => !page.includes('#'))

/** The page that comes first for words that people type. */
const FIRST: Readonly<Record<string, string>> = {
  pagination: 'page-numbers',
  'page numbers': 'page-numbers',
  offset: 'page-numbers',
  cursor: 'page-numbers',
  'infinite scroll': 'guides/infinite-scroll',
  React: 'guides/infinite-scroll',
  'Next.js': 'guides/nextjs',
  GraphQL: 'guides/appsync',
  'getting started': 'start',
  'quick start': 'start',
  install: 'start',
  leaderboard: 'statistics',
  count: 'statistics',
  sum: 'statistics',
  total: 'statistics',
  'group by': 'statistics',
  sort: 'orders',
  'order by': 'orders',
  cost: 'costs',
  price: 'costs',
  'how much does it cost': 'costs',
  filter: 'ways-to-filter',
  GSI: 'layouts/indexes',
  Elasticsearch: 'comparison',
  ElectroDB: 'peers',
  Lambda: 'guides/lambda',
  upgrade: 'operations',
  migrate: 'existing-table',
  backfill: 'declarations',
  limits: 'fit',
  Jest: 'guides/jest-and-vitest',
  CommonJS: 'toolchains',
  permissions: 'iam',
  csv: 'importing',
  'REST API': 'http-any',
  TTL: 'writing',
  'DynamoDB Local': 'engines',
  createLapidary: 'api/lapidary/functions/createLapidary',
  cursor_invalid: 'errors',
}

/** The links of a page, and the places in it that can be linked to. */
interface BuiltPage {
  readonly links: readonly string[]
  readonly ids: ReadonlySet<string>
  readonly html: string
}

describe('the site of the documents', () => {
  const pages = new Map<string, BuiltPage>()

  beforeAll(async () => {
    // Less than a minute of two processors on a quiet machine; other tests use them too.
    await promisify(execFile)(process.execPath, [join(ROOT, 'scripts/docs.mjs')], {
      ...{ cwd: ROOT, maxBuffer: 1e8, env: { ...process.env, DOCS_REPOSITORY: REPOSITORY } },
    })
    for (const path of filesOf(/\.html$/)) {
      if (LEADING_ON.includes(path.replace(/\.html$/, ''))) continue
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
    for (const page of [
      'index',
      'start',
      'planner',
      'decisions/index',
      'api/lapidary/functions/createLapidary',
      'changelog',
    ])
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

  test('shows its version', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'packages/lapidary/package.json'), 'utf8')) as {
      version: string
    }
    expect(pages.get('index.html')?.html).toContain(`Version ${version}`)
    expect(pages.get('versions.html')?.html).toContain(`the documents of version ${version}`)
  })

  test('leads from each document to the file in which it is edited', () => {
    const documents = [...pages].filter(
      ([path]) => !/^(api\/|index|404|playground|decisions\/index|versions)/.test(path),
    )
    expect(documents.length).toBeGreaterThan(100)
    const wrong = documents.flatMap(([path, { links }]) => {
      const edits = links.filter((link) => link.startsWith(`${REPOSITORY}/edit/main/`))
      const [file = 'none'] = edits.map((link) => link.slice(`${REPOSITORY}/edit/main/`.length))
      return edits.length === 1 && existsSync(join(ROOT, file)) ? [] : [`${path}: ${edits}`]
    })
    expect(wrong).toEqual([])
  })

  test('shows how to install by each package manager', () => {
    const { html = '' } = pages.get('start.html') ?? {}
    const text = html.replace(/<[^>]*>/g, '')
    for (const command of [
      'npm install lapidary ',
      'pnpm add lapidary ',
      'yarn add lapidary ',
      'pnpm init',
      'yarn init -y',
    ])
      expect(text).toContain(command)
  })

  test('shows below each example that is a part of a program the whole, and below no other', () => {
    const known = readKnown()
    const programs = findExamples().flatMap((example) => {
      const program = example.isWhole ? undefined : wholeProgram(example.code, known)
      return program === undefined ? [] : [{ ...example, program: textOf(program) }]
    })
    const foldsOf = (path: string): readonly string[] =>
      [...(pages.get(path)?.html ?? '').matchAll(/<details class="whole-program">.*?<code>(.*?)<\/code>/gs)].map(
        ([, code = '']) => textOfHtml(code),
      )
    for (const path of [...pages.keys()].filter((path) => !path.startsWith('api/'))) {
      const page = `docs/${path.replace(/\.html$/, '.md')}`
      const expected = programs.filter(({ where }) => where.replace(/:\d+$/, '') === page)
      expect(foldsOf(path), path).toEqual(expected.map(({ program }) => program))
    }
    // The programs of the reference are among those that the tests of the examples compile and run.
    const inReference = [...pages.keys()].filter((path) => path.startsWith('api/')).flatMap(foldsOf)
    const ofComments = new Set(programs.flatMap(({ module, program }) => (module === undefined ? [] : [program])))
    expect(inReference.filter((program) => !ofComments.has(program))).toEqual([])
    expect(new Set(inReference).size).toBeGreaterThan(100)
  })

  test('leads on from each address of an earlier site', () => {
    for (const page of LEADING_ON)
      expect(readFileSync(join(SITE, `${page}.html`), 'utf8')).toContain(`url=${addressFrom(page, MOVED[page] ?? '')}`)
    const lost = Object.values(MOVED).filter((target) => {
      const [path, heading] = target.split('#')
      const page = pages.get(`${path}.html`)
      return page === undefined || (heading !== undefined && !page.ids.has(heading))
    })
    expect(lost).toEqual([])
  })

  test('is small: what all pages have in common is not in each', () => {
    const bytes = filesOf(/\.\w+$/).reduce((sum, path) => sum + statSync(join(SITE, path)).size, 0)
    expect(bytes).toBeLessThan(40_000_000)
  })

  describe('when it is searched', () => {
    let search: Search

    beforeAll(async () => {
      search = await openSearch(SITE)
    })

    test.each(Object.entries(FIRST))('finds for "%s" first %s', (typed, page) => {
      expect(search.pages(typed)[0]).toBe(page)
    })

    test('does so with an index of less than 800 KB', () => {
      expect(search.bytes).toBeLessThan(800_000)
    })
  })

  describe('in a browser', () => {
    let server: SiteServer
    let browser: Browser

    beforeAll(async () => {
      server = await serveSite(SITE)
      browser = await chromium.launch({
        executablePath: CHROMIUM,
        args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
      })
    })
    afterAll(async () => {
      await browser?.close()
      await server?.close()
    })

    describePlayground(() => ({ browser, address: server.address }))

    test('is no wider than a phone', async () => {
      // As the server sends it: the scripts change no widths, and take most of the time.
      const context = await browser.newContext({ javaScriptEnabled: false })
      const paths = [...pages.keys()].filter((path) => WHOLE || isLookedAt(path))
      const wide: string[] = []
      const look = async (page: Page): Promise<void> => {
        for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
          await page.goto(`${server.address}/${path}`)
          for (const width of [390, 320]) {
            await page.setViewportSize({ width, height: 800 })
            const needed = await page.evaluate<number>('document.documentElement.scrollWidth')
            if (needed > width) wide.push(`${path} takes ${needed} of ${width}`)
          }
        }
      }
      await Promise.all(Array.from({ length: 3 }, async () => look(await context.newPage())))
      await context.close()
      expect(wide.toSorted()).toEqual([])
    })

    test.each(['index', 'start', 'page-numbers', 'figures', 'api/lapidary/functions/createLapidary'])(
      'is accessible: %s, in both schemes, on a screen and on a phone',
      async (path) => {
        for (const colorScheme of ['light', 'dark'] as const)
          for (const width of WHOLE || colorScheme === 'light' ? [1280, 390] : [390]) {
            const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 } })
            const page = await context.newPage()
            await page.goto(`${server.address}/${path}.html`)
            expect(await violations(page), `${colorScheme}, ${width}`).toEqual([])
            await context.close()
          }
      },
    )

    test('unfolds the whole program of an example by a key and without JavaScript', async () => {
      const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 800 } })
      const page = await context.newPage()
      await page.goto(`${server.address}/statistics.html`)
      const fold = page.locator('.whole-program').first()
      expect(await fold.locator('pre').isVisible()).toBe(false)
      await fold.locator('summary').press('Enter')
      expect(await fold.locator('pre').isVisible()).toBe(true)
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390)
      await context.close()
    })

    test.each(['light', 'dark'] as const)('is accessible where programs are unfolded, %s', async (colorScheme) => {
      const context = await browser.newContext({ colorScheme, viewport: { width: 390, height: 800 } })
      const page = await context.newPage()
      await page.goto(`${server.address}/statistics.html`)
      for (const summary of await page.locator('.whole-program > summary').all()) await summary.click()
      expect(await page.locator('.whole-program[open]').count()).toBeGreaterThan(3)
      expect(await violations(page)).toEqual([])
      await context.close()
    })

    test('leads on with the heading that was asked for', async () => {
      const page = await browser.newPage()
      for (const [from, to] of [
        ['faq.html', 'fit.html#questions'],
        ['limits.html#queries', 'fit.html#queries'],
        ['page-numbers.html#a-store-of-your-own', 'inside/page-index.html#a-store-of-your-own'],
        ['index.html#the-house', 'start.html#the-house'],
      ]) {
        await page.goto(`${server.address}/${from}`)
        await page.waitForURL(`${server.address}/${to}`)
      }
      await page.close()
    })

    test('takes a person to what was typed', async () => {
      const page = await browser.newPage()
      await page.goto(`${server.address}/`)
      // The page listens for keys once its script has come.
      await expect
        .poll(async () => {
          await page.keyboard.press('Control+k')
          return page.getByRole('searchbox').count()
        })
        .toBe(1)
      await page.getByRole('searchbox').fill('infinite scroll')
      await page.locator('.result').first().waitFor()
      await page.keyboard.press('Enter')
      await page.waitForURL(`${server.address}/${FIRST['infinite scroll']}.html**`)
      await page.close()
    })
  })
})

function textOfHtml(html: string): string {
  const characters: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }
  return html.replace(/<[^>]*>/g, '').replace(/&([\w#]+);/g, (entity, name: string) => characters[name] ?? entity)
}

/** Tells whether `npm test` looks at a page: at each document, and at one in ten of the reference, by the seed of the run. */
function isLookedAt(path: string): boolean {
  if (!path.startsWith('api/')) return true
  return createHash('sha256').update(`${process.env.FC_SEED} ${path}`).digest().readUInt32BE() % 10 === 0
}

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
