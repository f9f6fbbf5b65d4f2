import { type CollectionClient, createLapidary, type LapidaryOptions } from 'lapidary'
import { type Comment, comments } from './comment.ts'

/** What the HTTP API and the web pages are made of. */
export interface Services {
  readonly comments: CollectionClient<Comment, (typeof comments)['facets']>
}

export function createServices(options: Omit<LapidaryOptions<Record<never, never>>, 'collections'>): Services {
  const lapidary = createLapidary({ ...options, collections: { comments } })
  return { comments: lapidary.comments }
}
