import type { ColumnIndex } from '../pages/column-index.ts'
import type { ColumnsReading } from './context.ts'

/** Answers by columns; a reader that has none does without its code. */
export function columnsReading(index: ColumnIndex): ColumnsReading {
  return {
    index,
    async run(context, ...run) {
      const { runColumns } = await import('./run-columns.ts')
      return runColumns(context, index, ...run)
    },
    async count(context, ...count) {
      const { countByColumns } = await import('./count-columns.ts')
      return countByColumns(context, index, ...count)
    },
  }
}
