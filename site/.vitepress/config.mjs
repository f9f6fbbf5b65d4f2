import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'
import { NAVIGATION } from '../navigation.ts'
import { fenceLinks } from '../playground/fence-links.mjs'
import { slugOf } from '../slug.ts'

const pages = new URL('../pages/', import.meta.url)
const { version } = JSON.parse(readFileSync(new URL('../../packages/lapidary/package.json', import.meta.url), 'utf8'))

const titleOf = (page) => /^# (.*)$/m.exec(readFileSync(new URL(page, pages), 'utf8'))?.[1] ?? page

const shown = new Set(NAVIGATION.flatMap((subject) => subject.pages.map(([, page]) => `${page}.md`)))
const more = readdirSync(pages, { recursive: true })
  .map(String)
  .filter((page) => page.endsWith('.md') && !/^(api|decisions)\//.test(page) && !shown.has(page))
  .map((page) => [titleOf(page), page.replace('.md', '')])

const documents = [...NAVIGATION, ...(more.length === 0 ? [] : [{ text: 'More', pages: more }])].map(
  ({ text, pages }) => ({
    text,
    collapsed: false,
    items: pages.map(([text, page]) => ({ text, link: page === 'index' ? '/' : `/${page}` })),
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

export default defineConfig({
  title: 'Lapidary',
  description: 'Filtering, counting and paging through DynamoDB',
  srcDir: 'pages',
  outDir: 'dist',
  // Earlier versions stand beside this one, each under its own name: npm run docs -- all
  base: process.env.DOCS_BASE ?? '/',
  lang: 'en',
  markdown: {
    anchor: { slugify: slugOf },
    toc: { slugify: slugOf },
    languageAlias: { 'ts run': 'ts' },
    config: fenceLinks(process.env.DOCS_BASE ?? '/'),
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Documents', link: '/' },
      { text: 'Playground', link: '/playground' },
      { text: 'API', link: '/api/', activeMatch: '/api/' },
      { text: 'Decisions', link: '/decisions/', activeMatch: '/decisions/' },
      { text: `Version ${version}`, link: '/versions' },
    ],
    sidebar: {
      '/api/': [{ text: 'API', link: '/api/', items: api }],
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
