import {
  type CollectionClient,
  createLapidary,
  type DatabaseServices,
  indexes,
  type Lapidary,
  type LapidaryOptions,
  type Projection,
} from 'lapidary'
import { createRequestLog, type RequestLog } from 'lapidary-http/internal/pages'
import { type Comment, type comments, commentsIn } from './comment.ts'
import type { KeptTable } from './kept-comment.ts'
import { openPeopleRecords, type PeopleRecords } from './people/people-records.ts'
import { type Gallery, openGallery } from './photos/gallery.ts'
import type { Photos } from './photos/photos.ts'
import { forgottenVotes } from './votes/forgotten-votes.ts'

/** The parts that the HTTP API and the web pages are made from. */
export interface Services {
  readonly comments: CollectionClient<Comment, (typeof comments)['facets']>
  /** Who wrote the comments, and those that are not shown. */
  readonly people: PeopleRecords
  /** The photos of comments; undefined where they have none. */
  readonly photos: Photos | undefined
  /** The comments of each product that have photos. */
  readonly gallery: Gallery
  /** The table, its change stream and its derived data. */
  readonly database: DatabaseServices
  /** The name of the layout in use. */
  readonly layout: string
  /** Whether pages can be opened by number, at any depth. */
  readonly numbered: boolean
  /** The most RCU that the lists of one request may read. */
  readonly maxCapacity: number
  /** Notes what is sent for a page, for the picture of its plan. */
  readonly requests: RequestLog
  /** Returns the milliseconds by which the counts are behind, where that is too much to show them; else undefined. */
  readonly countsBehind: () => number | undefined
}

/** The RCU of 400 KB of comments: a hundred of 4 KB, where a hundred usual ones take 7 RCU. */
export const DEFAULT_MAX_CAPACITY = 50

export function createServices(
  options: Omit<LapidaryOptions<Record<never, never>>, 'collections'> &
    Partial<Omit<Services, 'comments' | 'people' | 'gallery' | 'database' | 'layout' | 'numbered' | 'requests'>>,
): Services {
  const { maxCapacity = DEFAULT_MAX_CAPACITY, countsBehind = () => undefined, photos, ...database } = options
  const { layout = indexes(), derived, observers = [], ...settings } = database
  const requests = createRequestLog()
  const shared = { ...settings, layout, observers: [...observers, requests.observer] }
  const table = (): KeptTable => lapidary.comments.context.table
  const gallery = openGallery(shared)
  const projections: readonly Projection[] = [
    ...(derived?.projections ?? []),
    forgottenVotes(table),
    ...(photos === undefined ? [] : [photos.follow(() => ({ comments: lapidary.comments, gallery, photos }))]),
  ]
  const lapidary: Lapidary<{ comments: typeof comments }> = createLapidary({
    ...{ ...shared, collections: { comments: commentsIn(layout.name) } },
    derived: { ...derived, projections },
  })
  const people = openPeopleRecords(shared)
  const numbered = derived?.pages !== undefined
  return {
    ...{ comments: lapidary.comments, people, photos, gallery, database: lapidary, layout: layout.name },
    ...{ numbered, maxCapacity, requests, countsBehind },
  }
}
