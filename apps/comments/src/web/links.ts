import { DEFAULT_LIMIT } from 'lapidary'
import { pathSegment } from '../http/links.ts'
import type { ListParameters, Rating } from '../list-parameters.ts'

/** The address of a product's page. Browsers can't follow those of the ids `.` and `..`, as {@link pathSegment} says. */
export function productPath(productId: string): string {
  return `/p/${pathSegment(productId)}`
}

/** The address of one comment of a product, which stays the same wherever the comment is in a list. */
export function commentPath(productId: string, commentId: string): string {
  return `${productPath(productId)}/comments/${pathSegment(commentId)}`
}

/** The address of the front page with the board of a language; undefined = any. */
export function homePath(language: string | undefined): string {
  return language === undefined ? '/' : `/?${new URLSearchParams({ language })}`
}

const EVERYTHING: ListParameters = {
  language: undefined,
  ratings: [],
  order: 'newest',
  limit: DEFAULT_LIMIT,
  from: undefined,
  to: undefined,
  cursor: undefined,
  page: undefined,
  explain: false,
}

/** The address of a product's newest comments in a language, of some ratings. */
export function productListPath(
  productId: string,
  filter: { readonly language?: string | undefined; readonly ratings?: readonly Rating[] },
): string {
  return listPath(productId, { ...EVERYTHING, ...filter })
}

/** The address of a list. Only what differs from the defaults is written, so that equal lists have equal addresses. */
export function listPath(productId: string, parameters: ListParameters, changes: Partial<ListParameters> = {}): string {
  const { language, ratings, order, limit, from, to, cursor, page, explain } = { ...parameters, ...changes }
  const search = new URLSearchParams()
  if (language !== undefined) search.set('language', language)
  for (const rating of ratings) search.append('rating', String(rating))
  if (order !== 'newest') search.set('order', order)
  if (limit !== DEFAULT_LIMIT) search.set('limit', String(limit))
  if (from !== undefined) search.set('from', from)
  if (to !== undefined) search.set('to', to)
  if (cursor !== undefined) search.set('cursor', cursor)
  if (page !== undefined) search.set('page', String(page))
  if (explain) search.set('explain', 'true')
  return search.size === 0 ? productPath(productId) : `${productPath(productId)}?${search}`
}

/** Whether the comments of a page are those of other addresses too, in another order or in pages of another size. */
export function isRearranged({ order, limit }: ListParameters): boolean {
  return order !== EVERYTHING.order || limit !== EVERYTHING.limit
}

/** Back to the first page: what every change of a filter means. */
export const FIRST_PAGE = { cursor: undefined, page: undefined } as const

/** The address of a list's page by its number: the first has none. */
export function pagePath(productId: string, parameters: ListParameters, number: number): string {
  return listPath(productId, parameters, { ...FIRST_PAGE, page: number === 1 ? undefined : number })
}

/** No filter at all; the order stays, since it hides nothing. */
export const NO_FILTER = { language: undefined, ratings: [], from: undefined, to: undefined, ...FIRST_PAGE } as const

export function isFiltered({ language, ratings, from, to }: ListParameters): boolean {
  return language !== undefined || ratings.length > 0 || from !== undefined || to !== undefined
}
