import { LapidaryError } from 'lapidary'
import { HttpProblem, unprocessable } from 'lapidary-http/internal'
import { attachedTo, attachment, type Comment } from '../comment.ts'
import { MOST_PHOTOS, type Photo } from './photo.ts'
import type { Photos } from './photos.ts'

/** What happens to the photos of a comment. */
export interface PhotoChanges {
  /** Images as they were sent, to be added. */
  readonly added: readonly Uint8Array[]
  /** The ids of those that are taken away. */
  readonly removed: readonly string[]
}

export const NO_PHOTOS: PhotoChanges = { added: [], removed: [] }

/**
 * Makes photos of images, and does what names them in a comment; where that fails, they are removed again.
 *
 * @param photos Undefined where comments have none, and forms and routes take none.
 * @throws {HttpProblem} `unprocessable` for what is no photo, and for more than a comment has; and what the work throws.
 */
export async function withPhotos<T>(
  photos: Photos | undefined,
  added: readonly Uint8Array[],
  work: (taken: readonly Photo[]) => Promise<T>,
): Promise<T> {
  if (photos === undefined || added.length === 0) return work([])
  if (added.length > MOST_PHOTOS) throw tooMany()
  const taken: Photo[] = []
  try {
    for (const sent of added) taken.push(await photos.take(sent))
    return await work(taken)
  } catch (error) {
    // What may have been written all the same keeps its photos.
    const isOpen = error instanceof LapidaryError && error.code === 'unavailable'
    if (!isOpen) await photos.forget(taken.map(({ id }) => id)).catch(() => undefined)
    throw error
  }
}

/**
 * Returns what is attached to a comment once some of its photos are taken away and others are there.
 *
 * @throws {HttpProblem} `not_found` for one to take away that is not there, `unprocessable` for more than a comment has.
 */
export function changedPhotos(
  comment: Comment,
  taken: readonly Photo[],
  removed: readonly string[],
): Pick<Comment, 'attached'> {
  const { answer } = attachedTo(comment)
  return { attached: attachment({ answer, photos: [...requireRoom(comment, taken.length, removed), ...taken] }) }
}

/**
 * Returns the photos of a comment that stay once some are taken away.
 *
 * @throws {HttpProblem} as {@link changedPhotos} does.
 */
export function requireRoom(comment: Comment, added: number, removed: readonly string[]): readonly Photo[] {
  const { photos } = attachedTo(comment)
  if (removed.some((id) => !photos.some((photo) => photo.id === id))) throw noPhoto()
  const left = photos.filter(({ id }) => !removed.includes(id))
  if (left.length + added > MOST_PHOTOS) throw tooMany()
  return left
}

export function noPhoto(): HttpProblem {
  return new HttpProblem('not_found', 'the comment has no such photo')
}

function tooMany(): HttpProblem {
  return unprocessable('the photos were refused', [{ path: 'photos', message: `a comment has at most ${MOST_PHOTOS}` }])
}
