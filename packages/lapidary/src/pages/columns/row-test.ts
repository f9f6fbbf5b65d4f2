import type { RankQuestion } from '../sorted-lists.ts'
import { textsOf } from './cell-columns.ts'
import type { Column } from './column.ts'

/** Tells which rows are asked for, by the columns that it names. */
export interface RowTest {
  /** The numbers of the columns that it goes by. */
  readonly columns: readonly number[]
  /** Marks the rows of a block that pass by 1, given the columns that it names, in the same order. */
  mask(columns: readonly Column[], rows: number): Uint8Array
  /** The same of one row, by the texts of all its facets. */
  passes(texts: readonly string[]): boolean
}

/** Every row. */
export const EVERY_ROW: RowTest = {
  columns: [],
  mask: (_, rows) => new Uint8Array(rows).fill(1),
  passes: () => true,
}

/** A test of whole cells, which reads every column. */
export function cellTest(includes: RankQuestion['includes'], facets: number): RowTest {
  const known = new Map<string, boolean>()
  const isIncluded = (cell: string): boolean => {
    const found = known.get(cell) ?? includes(cell)
    known.set(cell, found)
    return found
  }
  return {
    columns: Array.from({ length: facets }, (_, i) => i),
    mask(columns, rows) {
      const mask = new Uint8Array(rows)
      for (let row = 0; row < rows; row++) {
        if (isIncluded(columns.map((column) => column.textOf(row)).join('#'))) mask[row] = 1
      }
      return mask
    },
    passes: (texts) => isIncluded(texts.join('#')),
  }
}

export function passesCell(test: RowTest, cell: string): boolean {
  return test.passes(textsOf(cell))
}
