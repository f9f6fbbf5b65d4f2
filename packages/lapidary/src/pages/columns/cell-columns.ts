import type { Column } from './column.ts'

/** Parts a cell into the texts of its facets. */
const SEPARATOR = '#'

/** The texts of each facet, in the order of rows. */
export function columnsOf(rows: readonly { readonly cell: string }[], facets: number): readonly (readonly string[])[] {
  const columns: string[][] = Array.from({ length: facets }, () => [])
  for (const { cell } of rows) {
    const texts = textsOf(cell, facets)
    for (let i = 0; i < facets; i++) columns[i]?.push(texts[i] ?? '')
  }
  return columns
}

export function textsOf(cell: string, facets: number): readonly string[] {
  return facets === 1 ? [cell] : cell.split(SEPARATOR)
}

/** The cell of a row in columns. */
export function cellOf(columns: readonly Column[], row: number): string {
  return columns.map((column) => column.textOf(row)).join(SEPARATOR)
}
