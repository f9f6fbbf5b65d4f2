import type { CopyProjection } from '../derived/copy-projection.ts'
import type { ColumnIndex } from './column-index.ts'
import { COLUMNS } from './keep-columns.ts'
import { PAGES } from './keep-pages.ts'
import type { PageIndex } from './page-index.ts'
import type { SortedLists } from './sorted-lists.ts'

/** Lists of a collection, and what keeps them. */
export interface KeptLists {
  readonly lists: SortedLists
  readonly projection: CopyProjection
}

/** The page indexes of a collection, and its columns. */
export function listsOf({
  pages,
  columns,
}: {
  readonly pages: readonly PageIndex[]
  readonly columns?: { readonly index: ColumnIndex } | undefined
}): readonly KeptLists[] {
  return columns === undefined ? pages : [...pages, columns.index]
}

/** Whether a projection keeps lists. */
export function keepsLists(name: string): boolean {
  return name === PAGES || name === COLUMNS
}
