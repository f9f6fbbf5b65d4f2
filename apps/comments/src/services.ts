import { type CollectionClient, createLapidary, type LapidaryOptions } from 'lapidary'
import { type Comment, comments } from './comment.ts'

/** What the HTTP API and the web pages are made of. */
export interface Services {
  readonly comments: CollectionClient<Comment, (typeof comments)['facets']>
  /** The most RCU that the lists of one request may read. */
  readonly maxCapacity: number
}

/** 400 KB of comments: a hundred of 4 KB, where a hundred usual ones take 7 RCU. */
export const DEFAULT_MAX_CAPACITY = 50

export function createServices(
  options: Omit<LapidaryOptions<Record<never, never>>, 'collections'> & { readonly maxCapacity?: number },
): Services {
  const { maxCapacity = DEFAULT_MAX_CAPACITY, ...others } = options
  const lapidary = createLapidary({ ...others, collections: { comments } })
  return { comments: lapidary.comments, maxCapacity }
}
