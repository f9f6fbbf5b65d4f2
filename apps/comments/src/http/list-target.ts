import { DEFAULT_LIMIT } from 'lapidary'
import { type PageAddress, pathSegment } from 'lapidary-http/internal'
import type { ListParameters } from '../list-parameters.ts'

/**
 * Returns the address of a list in the API, at a page; undefined = the first. It is canonical: however a list was asked for, each of its pages
 * has one address.
 */
export function listTarget(productId: string, parameters: ListParameters, at: PageAddress | undefined): string {
  const search = new URLSearchParams()
  const { language, ratings } = parameters
  if (language !== undefined) search.set('language', language)
  if (ratings.length > 0) search.set('rating', ratings.join(','))
  return withPage(`/products/${pathSegment(productId)}/comments`, search, parameters, at)
}

/** Returns the address of the list as a resource: the filter is in the path. */
export function resourceTarget(productId: string, parameters: ListParameters, at: PageAddress | undefined): string {
  const { language = '~', ratings } = parameters
  const filter = `${language}/${ratings.length === 0 ? '~' : ratings.join('.')}`
  return withPage(`/products/${pathSegment(productId)}/comments/${filter}`, new URLSearchParams(), parameters, at)
}

/** Adds the parameters that differ from their defaults, always in the same order. */
function withPage(
  path: string,
  search: URLSearchParams,
  { verified, answered, order, limit, from, to, explain }: ListParameters,
  at: PageAddress | undefined,
): string {
  if (verified !== undefined) search.set('verified', String(verified))
  if (answered !== undefined) search.set('answered', String(answered))
  if (order !== 'newest') search.set('order', order)
  if (limit !== DEFAULT_LIMIT) search.set('limit', String(limit))
  if (from !== undefined) search.set('from', from)
  if (to !== undefined) search.set('to', to)
  if (explain) search.set('explain', 'true')
  if (typeof at === 'string') search.set('cursor', at)
  if (typeof at === 'number' && at > 1) search.set('page', String(at))
  return search.size === 0 ? path : `${path}?${search}`
}
