import { readFileSync } from 'node:fs'
import type { FigureTable } from './report.ts'

interface Result {
  readonly tables: readonly FigureTable[]
}

/** Returns the rows of a table that another bench has measured, by the beginning of its title. */
export function rowsOf(bench: string, title: string): FigureTable['rows'] {
  const { tables } = JSON.parse(readFileSync(new URL(`../results/${bench}.json`, import.meta.url), 'utf8')) as Result
  const table = tables.find((each) => each.title.startsWith(title))
  if (table === undefined) throw new Error(`${bench} has no table ${title}; run it first`)
  return table.rows
}
