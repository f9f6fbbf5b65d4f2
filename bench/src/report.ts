import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { cpus, totalmem } from 'node:os'

/** A table of figures, its first row of cells naming the columns. */
export interface FigureTable {
  readonly title: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly (string | number)[])[]
}

/** A figure against what it should reach. */
export interface Target {
  readonly name: string
  readonly value: number
  readonly limit: number
  /** Whether the limit is the most or the least allowed. */
  readonly kind: 'at most' | 'at least'
}

/** The findings of a bench. */
export interface Report {
  readonly tables: readonly FigureTable[]
  readonly targets: readonly Target[]
  /** Everything else worth keeping, for the JSON. */
  readonly figures: unknown
}

/** The machine and the versions that the figures were taken with. */
export interface Circumstances {
  readonly date: string
  readonly machine: string
  readonly node: string
  readonly engine: string
  readonly seed: number
  readonly quick: boolean
}

const REPOSITORY = new URL('../../', import.meta.url)

export function circumstances(seed: number, quick: boolean): Circumstances {
  const { version } = createRequire(import.meta.url)('@dynoxide/linux-x64/package.json') as { version: string }
  const [cpu] = cpus()
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} x ${cpu?.model.trim() || process.arch}, ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform}`,
    node: process.version,
    engine: `dynoxide ${version}`,
    seed,
    quick,
  }
}

export function meets({ value, limit, kind }: Target): boolean {
  return kind === 'at most' ? value <= limit : value >= limit
}

/** A table as Markdown, which a terminal shows as well as a document. */
export function markdownTable({ columns, rows }: Pick<FigureTable, 'columns' | 'rows'>): string {
  const cells = [columns.map(String), ...rows.map((row) => row.map(String))]
  const widths = columns.map((_, i) => Math.max(...cells.map((row) => row[i]?.length ?? 0)))
  const numeric = columns.map((_, i) => rows.every((row) => typeof row[i] === 'number'))
  const lines = cells.map(
    (row) => `| ${row.map((cell, i) => pad(cell, widths[i] ?? 0, numeric[i] === true)).join(' | ')} |`,
  )
  const rule = `|${widths.map((width, i) => `${'-'.repeat(width + 1)}${numeric[i] === true ? ':' : '-'}`).join('|')}|`
  return [lines[0], rule, ...lines.slice(1)].join('\n')
}

export function targetTable(targets: readonly Target[]): string {
  return markdownTable({
    columns: ['figure', 'reached', 'target', 'met'],
    rows: targets.map((target) => [
      target.name,
      String(Number(target.value.toFixed(3))),
      `${target.kind} ${target.limit}`,
      meets(target) ? 'yes' : 'no',
    ]),
  })
}

export function saveResult(name: string, taken: Circumstances, report: Report): void {
  const folder = new URL('bench/results/', REPOSITORY)
  mkdirSync(folder, { recursive: true })
  const { figures, targets, tables } = report
  writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify({ ...taken, targets, tables, figures }, null, 2)}\n`)
}

/** Puts text between `<!-- bench:name -->` and `<!-- /bench:name -->` of a document. */
export function rewriteBlock(document: string, name: string, text: string): boolean {
  const file = new URL(document, REPOSITORY)
  const before = readFileSync(file, 'utf8')
  const block = new RegExp(`(<!-- bench:${name} -->)[^]*?(<!-- /bench:${name} -->)`)
  if (!block.test(before)) return false
  writeFileSync(
    file,
    before.replace(block, (_, open: string, close: string) => `${open}\n\n${text}\n\n${close}`),
  )
  return true
}

function pad(text: string, width: number, right: boolean): string {
  return right ? text.padStart(width) : text.padEnd(width)
}
