import type { Column } from './column.ts'

/** Parts a cell into the texts of its facets. */
const SEPARATOR = '#'
/** Between the texts and an id that a place can't tell, since it has a hash of it. */
const BEFORE_ID = '\u0000'

/** A cell with the id that its place can't tell. */
export function withId(texts: string, id: string | undefined): string {
  return id === undefined ? texts : `${texts}${BEFORE_ID}${id}`
}

/** The id that a cell was given with {@link withId}. */
export function idIn(cell: string): string | undefined {
  const at = cell.indexOf(BEFORE_ID)
  return at < 0 ? undefined : cell.slice(at + 1)
}

/** The texts of each facet, in the order of rows. */
export function columnsOf(rows: readonly { readonly cell: string }[], facets: number): readonly (readonly string[])[] {
  const columns: string[][] = Array.from({ length: facets }, () => [])
  for (const { cell } of rows) {
    const texts = textsOf(cell)
    for (let i = 0; i < facets; i++) columns[i]?.push(texts[i] ?? '')
  }
  return columns
}

export function textsOf(cell: string): readonly string[] {
  const at = cell.indexOf(BEFORE_ID)
  return (at < 0 ? cell : cell.slice(0, at)).split(SEPARATOR)
}

/** The cell of a row in columns. */
export function cellOf(columns: readonly Column[], row: number): string {
  return columns.map((column) => column.textOf(row)).join(SEPARATOR)
}
