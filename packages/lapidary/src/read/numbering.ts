import { LapidaryError, unprocessable } from '../model/errors.ts'
import type { Query } from '../model/query.ts'
import { numberedBy } from '../pages/numbered-query.ts'
import type { PageIndex } from '../pages/page-index.ts'
import type { ReadContext } from './context.ts'
import { askedTotal, lookUpPrice, pageIndexOf } from './indexed-total.ts'
import type { Numbering } from './ranked.ts'

/**
 * Picks what numbers the pages of a query: the page index that has them, else columns.
 *
 * @throws {LapidaryError} `unprocessable` for a query whose pages have no numbers, `not_implemented` where nothing numbers pages.
 */
export function numberingOf(context: ReadContext, query: Query): Numbering {
  const { collection, pages, columns } = context
  const ofColumns = columns?.index.answers(query) === true ? columns.numbering(context, query) : undefined
  const { refused } = numberedBy(collection, query)
  const index = refused === undefined ? pageIndexOf(context, query) : undefined
  if (index !== undefined) return ofPageIndex(context, index, query, ofColumns)
  if (ofColumns !== undefined) return ofColumns
  if (refused !== undefined) throw unprocessable('the page was refused', refused)
  if (pages.length > 0) throw new TypeError(`${collection.name} has not opened a page index that it declares`)
  throw new LapidaryError(
    'not_implemented',
    'there is no page index; say `derived: { pages: segments() }`, and run the change stream',
  )
}

/** @param instead Answers where the page index has more lists than it can name. */
function ofPageIndex(context: ReadContext, index: PageIndex, query: Query, instead: Numbering | undefined): Numbering {
  return {
    ...{ label: index.label, state: index.state, text: 'PAGE INDEX' },
    async find(asked, offset) {
      try {
        return await index.find(asked, offset)
      } catch (error) {
        const isFull = error instanceof LapidaryError && error.code === 'unprocessable'
        if (!isFull || instead === undefined || (await instead.state()) !== 'ready') throw error
        return instead.find(asked, offset)
      }
    },
    price: (asked) => lookUpPrice(context, index, query, asked),
    total: askedTotal(context, index, query),
  }
}
