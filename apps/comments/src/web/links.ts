import { DEFAULT_LIMIT } from 'lapidary'
import { pathSegment } from 'lapidary-http/internal'
import type { ListParameters, Rating } from '../list-parameters.ts'
import type { PhotoSize } from '../photos/photo.ts'

/** Returns the address of a product's page. Browsers can't follow those of the ids `.` and `..`, as {@link pathSegment} says. */
export function productPath(productId: string): string {
  return `/p/${pathSegment(productId)}`
}

/** Returns the address of one comment of a product, which stays the same wherever the comment is in a list. */
export function commentPath(productId: string, commentId: string): string {
  return `${productPath(productId)}/comments/${pathSegment(commentId)}`
}

/** Returns the address of a product's photos, or of another page of them. */
export function galleryPath(productId: string, cursor?: string): string {
  const path = `${productPath(productId)}/photos`
  return cursor === undefined ? path : `${path}?${new URLSearchParams({ cursor })}`
}

/** Returns the address of a photo of a comment. */
export function photoPath(commentId: string, photoId: string, size: PhotoSize): string {
  const path = `/comments/${pathSegment(commentId)}/photos/${photoId}`
  return size === 'large' ? path : `${path}?size=${size}`
}

/** Returns the address to which the form of a vote is sent. */
export function votePath(productId: string, commentId: string): string {
  return `${commentPath(productId, commentId)}/vote`
}

/** Returns the address of a product's ratings by month. */
export function trendPath(productId: string): string {
  return `${productPath(productId)}/trend`
}

/** Returns the address of the front page with the board of a language; undefined = any. */
export function homePath(language: string | undefined): string {
  return language === undefined ? '/' : `/?${new URLSearchParams({ language })}`
}

const EVERYTHING: ListParameters = {
  language: undefined,
  ratings: [],
  verified: undefined,
  answered: undefined,
  order: 'newest',
  defaultOrder: 'newest',
  limit: DEFAULT_LIMIT,
  from: undefined,
  to: undefined,
  cursor: undefined,
  page: undefined,
  explain: false,
}

/** Returns the address of a product's comments in a language, with some ratings. */
export function productListPath(
  productId: string,
  filter: { readonly language?: string | undefined; readonly ratings?: readonly Rating[] },
): string {
  return listPath(productId, { ...EVERYTHING, ...filter })
}

/** Returns the address of a list. It holds only what differs from the defaults, so that equal lists have equal addresses. */
export function listPath(productId: string, parameters: ListParameters, changes: Partial<ListParameters> = {}): string {
  const { language, ratings, verified, answered, order, defaultOrder, ...rest } = { ...parameters, ...changes }
  const { limit, from, to, cursor, page, explain } = rest
  const search = new URLSearchParams()
  if (language !== undefined) search.set('language', language)
  for (const rating of ratings) search.append('rating', String(rating))
  if (verified !== undefined) search.set('verified', String(verified))
  if (answered !== undefined) search.set('answered', String(answered))
  // A cursor is of one order, and the default one may change.
  if (order !== defaultOrder || cursor !== undefined) search.set('order', order)
  if (limit !== DEFAULT_LIMIT) search.set('limit', String(limit))
  if (from !== undefined) search.set('from', from)
  if (to !== undefined) search.set('to', to)
  if (cursor !== undefined) search.set('cursor', cursor)
  if (page !== undefined) search.set('page', String(page))
  if (explain) search.set('explain', 'true')
  return search.size === 0 ? productPath(productId) : `${productPath(productId)}?${search}`
}

/** Tells whether other addresses show the comments of a page too, in another order or in pages of another size. */
export function isRearranged({ order, defaultOrder, limit }: ListParameters): boolean {
  return order !== defaultOrder || limit !== EVERYTHING.limit
}

/** The changes that lead back to the first page, as every change of a filter does. */
export const FIRST_PAGE = { cursor: undefined, page: undefined } as const

/** Returns the address of a list's page by its number; the first page has none. */
export function pagePath(productId: string, parameters: ListParameters, number: number): string {
  return listPath(productId, parameters, { ...FIRST_PAGE, page: number === 1 ? undefined : number })
}

/** The changes that remove all filters; the order stays, since it hides nothing. */
export const NO_FILTER = {
  ...{ language: undefined, ratings: [], verified: undefined, answered: undefined, from: undefined, to: undefined },
  ...FIRST_PAGE,
} as const

export function isFiltered({ language, ratings, verified, answered, from, to }: ListParameters): boolean {
  return ratings.length > 0 || [language, verified, answered, from, to].some((given) => given !== undefined)
}

/** Returns the address at which moderators decide on a comment. */
export function moderationPath(commentId: string): string {
  return `/moderation/comments/${pathSegment(commentId)}`
}
