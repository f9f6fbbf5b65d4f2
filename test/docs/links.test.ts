import { posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { MOVED } from '../../site/moved.ts'
import { NAVIGATION } from '../../site/navigation.ts'
import { SEARCH_WORDS } from '../../site/search.ts'
import { slugOf } from '../../site/slug.ts'
import { PACKAGES } from '../architecture/packages.ts'
import { sources } from '../architecture/sources.ts'
import { FRONT_PAGE, PAGES } from './examples.ts'

const SINGLE = [...PAGES, FRONT_PAGE, 'CHANGELOG.md', 'SECURITY.md']
const pages = new Map(sources([...SINGLE, 'docs'], /\.md$/).map(({ path, text }) => [path, withoutCode(text)]))

/** The pages of the site that come from documents. */
const known = new Set([
  ...[...pages.keys()].flatMap((path) => /^docs\/(.*)\.md$/.exec(path)?.[1] ?? []),
  ...['start', 'changelog', 'versions', 'contributing', 'report-a-weakness'],
  ...PACKAGES.map((name) => `packages/${name}`),
])

describe('the documents', () => {
  test('link to headings that are there', () => {
    const broken = [...pages].flatMap(([path, text]) =>
      [...text.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)#([^)\s]+)\)/g)].flatMap(([, file = '', anchor = '']) => {
        const page = file === '' ? path : posix.join(posix.dirname(path), file)
        return anchorsOf(pages.get(page) ?? '').has(anchor) ? [] : [`${path}: ${file}#${anchor}`]
      }),
    )
    expect(broken).toEqual([])
  })

  test('are there where addresses of earlier sites lead on to', () => {
    const lost = Object.values(MOVED).filter((target) => {
      const [page = '', anchor] = target.split('#')
      const text = pages.get(page === 'start' ? 'README.md' : `docs/${page}.md`)
      return text === undefined || (anchor !== undefined && !anchorsOf(text).has(anchor))
    })
    expect(lost).toEqual([])
  })

  test('have tables whose columns have names', () => {
    const nameless = [...pages].flatMap(([path, text]) =>
      [...text.matchAll(/^\|(.*)\|\n\|[-: |]+\|$/gm)].flatMap(([, head = '']) =>
        head.split('|').some((cell) => cell.trim() === '') ? [`${path}: |${head}|`] : [],
      ),
    )
    expect(nameless).toEqual([])
  })

  test('are there where the navigation of the site names them, each once', () => {
    const shown = NAVIGATION.flatMap((subject) => subject.pages.map(([, page]) => page))
    expect(new Set(shown).size).toBe(shown.length)
    expect(shown.filter((page) => !known.has(page))).toEqual([])
  })

  test('are there where the search has words for them', () => {
    expect(Object.keys(SEARCH_WORDS).filter((page) => !known.has(page))).toEqual([])
  })
})

/** Returns the anchors of a page's headings, as GitHub and the site make them; the second of the same name ends with -1. */
function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>()
  for (const [, heading = ''] of text.matchAll(/^#{1,6} (.*)$/gm)) {
    const slug = slugOf(heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', ''))
    let anchor = slug
    for (let i = 1; anchors.has(anchor); i++) anchor = `${slug}-${i}`
    anchors.add(anchor)
  }
  return anchors
}

function withoutCode(text: string): string {
  return text.replace(/^```[\s\S]*?^```$/gm, '')
}
