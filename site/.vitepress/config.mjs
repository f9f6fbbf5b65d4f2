import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'
import { NAVIGATION } from '../navigation.ts'
import { slugOf } from '../slug.ts'

const pages = new URL('../pages/', import.meta.url)
const { version } = JSON.parse(readFileSync(new URL('../../packages/lapidary/package.json', import.meta.url), 'utf8'))

const documents = NAVIGATION.map(({ text, pages }) => ({
  text,
  collapsed: false,
  items: pages.map(([text, page]) => ({ text, link: page === 'index' ? '/' : `/${page}` })),
}))

const decisions = {
  text: 'Decisions',
  items: readdirSync(new URL('decisions/', pages))
    .filter((file) => /^\d/.test(file))
    .map((file) => {
      const [, title] = /^# (.*)$/m.exec(readFileSync(new URL(`decisions/${file}`, pages), 'utf8'))
      return { text: title, link: `/decisions/${file.replace('.md', '')}` }
    }),
}

const apiFile = new URL('api/typedoc-sidebar.json', pages)
const api = existsSync(apiFile) ? JSON.parse(readFileSync(apiFile, 'utf8')) : []

export default defineConfig({
  title: 'Lapidary',
  description: 'Filtering, counting and paging through DynamoDB',
  srcDir: 'pages',
  outDir: 'dist',
  // For a site that keeps earlier versions beside this one: DOCS_BASE=/0.1/ npm run docs
  base: process.env.DOCS_BASE ?? '/',
  lang: 'en',
  markdown: {
    anchor: { slugify: slugOf },
    toc: { slugify: slugOf },
    languageAlias: { 'ts run': 'ts' },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Documents', link: '/' },
      { text: 'API', link: '/api/', activeMatch: '/api/' },
      { text: 'Decisions', link: '/decisions/', activeMatch: '/decisions/' },
      { text: `Version ${version}`, link: '/changelog' },
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
