import { LapidaryError } from '../model/errors.ts'
import type { Query } from '../model/query.ts'
import type { ColumnIndex } from '../pages/column-index.ts'
import type { ColumnsReading, ReadContext } from './context.ts'
import { pageEstimates } from './page-estimates.ts'
import { knownEstimates } from './query-counts.ts'
import type { Numbering } from './ranked.ts'

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
    numbering: (context, query) => numberingBy(context, index, query),
  }
}

/** Numbers pages by columns: the ranks of all items that meet the condition are counted from the first. */
function numberingBy(context: ReadContext, index: ColumnIndex, asked: Query): Numbering {
  const estimates = pageEstimates(context, knownEstimates(context, asked))
  return {
    ...{ label: undefined, text: 'COLUMNS', state: index.state, total: undefined },
    price: () => index.rankPrice(asked, estimates),
    async find(query, offset) {
      const { items, total, ...took } = await index.find(query, {
        range: { lower: query.from, upper: query.to },
        ascending: query.order === 'oldest',
        ...{ offset, size: 1, blocks: undefined, mostRcu: Number.POSITIVE_INFINITY },
      })
      if (total === undefined)
        throw new LapidaryError('unavailable', 'the columns were not read to their end; try again')
      return { ...took, total, position: items[0]?.position }
    },
  }
}
