import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { defineConfig } from 'vitepress'
import { apiSidebars } from '../api-sidebar.ts'
import { pageOf, ROOT, sourcePages } from '../assemble.mjs'
import { leadingOn, MOVED } from '../moved.ts'
import { NAVIGATION } from '../navigation.ts'
import { fenceLinks } from '../playground/fence-links.mjs'
import { programFolds } from '../program-folds.mjs'
import { BASE, SEARCH, searchedText } from '../search.ts'
import { slugOf } from '../slug.ts'

const pages = new URL('../pages/', import.meta.url)
const { version } = JSON.parse(readFileSync(new URL('../../packages/lapidary/package.json', import.meta.url), 'utf8'))

const titleOf = (page) => /^# (.*)$/m.exec(readFileSync(new URL(page, pages), 'utf8'))?.[1] ?? page

const shown = new Set(['index.md', ...NAVIGATION.flatMap((subject) => subject.pages.map(([, page]) => `${page}.md`))])
const more = readdirSync(pages, { recursive: true })
  .map(String)
  .filter((page) => page.endsWith('.md') && !/^(api|decisions)\//.test(page) && !shown.has(page))
  .map((page) => [titleOf(page), page.replace('.md', '')])

// No group folds: the theme puts a button into a button for that, which readers of screens stumble over.
const documents = [...NAVIGATION, ...(more.length === 0 ? [] : [{ text: 'More', pages: more }])].map(
  ({ text, pages }) => ({
    text,
    items: pages.map(([text, page]) => ({ text, link: `/${page}` })),
  }),
)

const decisions = {
  text: 'Decisions',
  items: readdirSync(new URL('decisions/', pages))
    .filter((file) => /^\d/.test(file))
    .map((file) => ({ text: titleOf(`decisions/${file}`), link: `/decisions/${file.replace('.md', '')}` })),
}

const apiFile = new URL('api/typedoc-sidebar.json', pages)
const api = existsSync(apiFile) ? JSON.parse(readFileSync(apiFile, 'utf8')) : []

const sources = new Map(sourcePages().map((path) => [pageOf(path), path]))

export default defineConfig({
  title: 'Lapidary',
  description: 'Filtering, counting and paging through DynamoDB',
  srcDir: 'pages',
  outDir: 'dist',
  base: BASE,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${BASE}gem.svg` }]],
  // What all pages have in common is one file, and not in each of them: it was 113 KB in each of 690.
  metaChunk: true,
  lang: 'en',
  markdown: {
    // The theme's own colours of code are too pale for some readers, by WCAG's contrast.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: slugOf },
    toc: { slugify: slugOf },
    languageAlias: { 'ts run': 'ts' },
    config(md) {
      md.use(fenceLinks(BASE))
      md.use(programFolds((page) => sources.get(page)))
      // A block by indentation scrolls where it is wide, so the keyboard has to reach it.
      md.renderer.rules.code_block = (tokens, i) =>
        `<pre tabindex="0" v-pre><code>${md.utils.escapeHtml(tokens[i].content)}</code></pre>`
    },
  },
  transformPageData({ relativePath, frontmatter }) {
    frontmatter.source = sources.get(relativePath)
  },
  buildEnd({ outDir }) {
    for (const page of Object.keys(MOVED).filter((page) => !page.includes('#'))) {
      const file = join(outDir, `${page}.html`)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, leadingOn(page))
    }
  },
  themeConfig: {
    logo: '/gem.svg',
    repository: repository(),
    search: {
      provider: 'local',
      options: {
        miniSearch: SEARCH,
        _render(text, env, md) {
          // Colours of code are no part of the index, and were half of the time that making it took.
          md.options.highlight = null
          return md.render(searchedText(env.relativePath, text), { ...env, isSearched: true })
        },
      },
    },
    outline: [2, 3],
    nav: [
      { text: 'Documents', link: '/start', activeMatch: '^/(?!api/|decisions/|versions|playground)' },
      { text: 'Playground', link: '/playground' },
      { text: 'API', link: '/api/', activeMatch: '/api/' },
      { text: 'Decisions', link: '/decisions/', activeMatch: '/decisions/' },
      { text: `Version ${version}`, link: '/versions' },
    ],
    sidebar: {
      ...apiSidebars(api),
      '/decisions/': [decisions],
      '/': [
        ...documents,
        {
          text: 'Reference',
          items: [
            { text: 'API', link: '/api/' },
            { text: 'Decisions', link: '/decisions/' },
          ],
        },
      ],
    },
  },
})

/** The address of the repository in which a page can be edited; undefined where the copy at hand was cloned from nowhere. */
function repository() {
  if (process.env.DOCS_REPOSITORY !== undefined) return process.env.DOCS_REPOSITORY
  try {
    const origin = execFileSync('git', ['config', 'remote.origin.url'], { cwd: ROOT, encoding: 'utf8' })
    const [, host, path] = /^(?:https?:\/\/|git@|ssh:\/\/git@)([\w.-]+)[:/](.+?)(?:\.git)?\s*$/.exec(origin) ?? []
    return host === undefined ? undefined : `https://${host}/${path}`
  } catch {
    return undefined
  }
}
