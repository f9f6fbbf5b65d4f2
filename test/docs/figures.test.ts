import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { costChart } from '../../bench/src/cost-chart.ts'
import { ROOT, sources } from '../architecture/sources.ts'

/** The most days that a figure may be older than the code it measures: a figure is taken again when the code has changed since. */
const MOST_DAYS = 30
const LIBRARY = 'packages/lapidary/src'
const MEASURES: Readonly<Record<string, readonly string[]>> = {
  'fetch-simulation': [`${LIBRARY}/planner`, `${LIBRARY}/executor`],
  lists: [`${LIBRARY}/planner`, `${LIBRARY}/executor`, `${LIBRARY}/layouts/indexes`],
  depth: [`${LIBRARY}/executor`, `${LIBRARY}/cursor`],
  latency: [`${LIBRARY}/operations`, `${LIBRARY}/planner`, `${LIBRARY}/executor`],
  'cold-import': [LIBRARY],
  lambda: [`${LIBRARY}/read`, `${LIBRARY}/planner`, 'packages/http/src'],
  import: [`${LIBRARY}/transfer`, `${LIBRARY}/writes`],
  writes: [`${LIBRARY}/writes`, `${LIBRARY}/layouts/indexes`],
  codecs: [`${LIBRARY}/codecs`],
  'power-set': [`${LIBRARY}/layouts/power-set`, `${LIBRARY}/duplicates`, `${LIBRARY}/executor`],
  'native-keys': [`${LIBRARY}/layouts/native-keys`, `${LIBRARY}/executor`],
  derived: [`${LIBRARY}/derived`, `${LIBRARY}/stream`],
  rebuild: [`${LIBRARY}/recount`],
  adviser: [`${LIBRARY}/adviser`, 'bench/src/adviser'],
  guard: ['packages/engine/src'],
  chaos: ['apps/comments/src/http', 'packages/http/src', `${LIBRARY}/table`, `${LIBRARY}/writes`],
  'embedded-writes': ['packages/engine/src', `${LIBRARY}/transfer`],
  soak: ['apps/comments/src/http', 'packages/http/src', LIBRARY],
  attack: ['apps/comments/src/http', 'packages/http/src'],
  http: ['apps/comments/src/http', 'packages/http/src', `${LIBRARY}/operations`],
  'http-any': ['packages/http/src'],
  studio: ['packages/studio/src', `${LIBRARY}/pages`],
  pages: [`${LIBRARY}/pages`],
  'page-mix': [`${LIBRARY}/pages`, `${LIBRARY}/planner`],
  'page-orders': [`${LIBRARY}/pages`],
  columns: [`${LIBRARY}/pages/columns`, `${LIBRARY}/planner`],
  'columns-simulated': [`${LIBRARY}/pages/columns`],
  'page-files': ['packages/pages/src/file'],
  'page-resp': ['packages/resp/src', 'packages/pages/src/file'],
  'page-s3': ['packages/pages/src/s3'],
  'page-stores': [`${LIBRARY}/pages`],
  'page-scale': [`${LIBRARY}/pages/tree`],
  'peers-orders': ['bench/src/peers'],
  'peers-tickets': ['bench/src/peers'],
  'peers-audit-log': ['bench/src/peers'],
  'peers-listings': ['bench/src/peers', `${LIBRARY}/pages/columns`, `${LIBRARY}/planner`],
  portals: ['bench/src/portals.ts', 'bench/results/peers-listings.json'],
  scale: ['bench/src/scale.ts', 'bench/results/lists.json', 'bench/results/writes.json'],
  votes: ['apps/comments/src/votes', 'apps/comments/src/comment.ts', `${LIBRARY}/layouts/indexes`],
  photos: ['apps/comments/src/photos', 'apps/comments/src/comment.ts', `${LIBRARY}/layouts/indexes`],
  telemetry: ['packages/telemetry/src', `${LIBRARY}/table`],
  shops: ['bench/src/shops.ts', 'bench/results/lists.json', 'bench/results/writes.json'],
}

const blocks = sources(['docs'], /\.md$/).flatMap(({ path, text }) =>
  [...text.matchAll(/<!-- bench:([\w-]+) -->([\s\S]*?)<!-- \/bench:\1 -->/g)].map(([, bench = '', block = '']) => ({
    path,
    bench,
    block,
    ...resultOf(bench),
  })),
)

describe('the figures of the documents', () => {
  test('come from a bench, whose result is kept', () => {
    const benches = readFileSync(join(ROOT, 'bench/src/main.ts'), 'utf8')
    expect(blocks.length).toBeGreaterThan(15)
    for (const { path, bench, result } of blocks) {
      expect(result, `${path}: bench/results/${bench}.json`).toBeDefined()
      expect(benches, `${path}: ${bench}`).toMatch(new RegExp(`^ {2}('${bench}'|${bench})[:,]`, 'm'))
      expect(MEASURES[bench], `what ${bench} measures`).toBeDefined()
    }
  })

  test.each(blocks)('$bench in $path is what was measured, with date, machine and versions', ({ block, result }) => {
    const [last = ''] = block.trim().split('\n').slice(-1)
    expect(last).toMatch(/^\d{4}-\d\d-\d\d, .+, Node v\d+\.\d+\.\d+, .+, seed \d+\.$/)
    expect(last.slice(0, 10)).toBe(result?.date)
    const cells = (result?.tables ?? []).flatMap(({ rows }) => rows.flat().map(String))
    const shown = new Set(block.split(/\s*\|\s*|\n/))
    expect(cells.filter((cell) => !shown.has(cell.trim()))).toEqual([])
  })

  test(`are not older by more than ${MOST_DAYS} days than the code that they measure`, () => {
    // A copy without its history can't tell.
    if (!existsSync(join(ROOT, '.git'))) return
    const stale = blocks.flatMap(({ path, bench, result }) => {
      const git = ['log', '-1', '--format=%cs', '--', ...(MEASURES[bench] ?? [])]
      const changed = execFileSync('git', git, { cwd: ROOT, encoding: 'utf8' }).trim()
      const days = (Date.parse(changed) - Date.parse(result?.date ?? '')) / 86_400_000
      return days > MOST_DAYS ? [`${path}: ${bench} is of ${result?.date}, its code of ${changed}`] : []
    })
    expect(stale).toEqual([])
  })

  test('are the same where a page sums them up', () => {
    const costs = readFileSync(join(ROOT, 'docs/costs.md'), 'utf8')
    for (const [way, name] of [
      ['library', 'Lapidary'],
      ['every list in full', 'every list in full'],
      ['filter expression', 'filter expression'],
    ] as const) {
      const row = rowOf('lists', 'Mean over the 62 filters', way)
      expect(costs).toContain(`| ${[name, row[1], row[2], row[4]].join(' | ')} |`)
    }
    const indexes = readFileSync(join(ROOT, 'docs/layouts/indexes.md'), 'utf8')
    for (const [operation, name] of [
      ['create', 'create, delete, an edit of its text'],
      ['delete', 'create, delete, an edit of its text'],
      ['text edited', 'create, delete, an edit of its text'],
      ['rating edited', 'an edit of its rating or language'],
      ['language edited', 'an edit of its rating or language'],
      ['create with an idempotency key', 'create with an idempotency key'],
    ] as const)
      expect(indexes).toContain(`| ${name} | ${rowOf('writes', 'Write units of a comment', operation)[1]} |`)
  })

  test('are the same in the chart of costs', () => {
    const chart = readFileSync(join(ROOT, 'docs/images/costs.svg'), 'utf8')
    const { result } = resultOf('lists')
    expect(result).toBeDefined()
    if (result !== undefined) expect(chart).toBe(costChart(result))
    const [, said] = /<title id="t">(.*?)<\/title>/.exec(chart) ?? []
    expect(readFileSync(join(ROOT, 'docs/costs.md'), 'utf8')).toContain(`![${said}](images/costs.svg)`)
  })
})

interface Result {
  readonly date: string
  readonly tables: readonly {
    readonly title: string
    readonly columns: readonly string[]
    readonly rows: readonly (readonly (string | number)[])[]
  }[]
}

/** Returns the row of a kept table that begins with a text. */
function rowOf(bench: string, title: string, first: string): readonly (string | number)[] {
  const table = resultOf(bench).result?.tables.find((each) => each.title.startsWith(title))
  return table?.rows.find(([cell]) => cell === first) ?? []
}

function resultOf(bench: string): { readonly result: Result | undefined } {
  const file = join(ROOT, `bench/results/${bench}.json`)
  return { result: existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Result) : undefined }
}
