import { type AttachedParts, attachedTo, type Comment } from './comment.ts'

/** A comment as readers and programs get it: without what never leaves the server. */
export type ShownComment = Omit<Comment, 'person' | 'answered' | 'attached'> & AttachedParts

/** Returns what is shown of a stored comment, with the defaults of attributes that comments of before those were declared lack. */
export function shownComment(stored: Comment): ShownComment {
  const { id, productId, language, rating, title, text, author, createdAt, updatedAt, version } = stored
  const { helpful = 0, verified = false } = stored as Partial<Comment>
  return {
    ...{ id, productId, language, rating, title, text, author, createdAt, updatedAt, version },
    ...{ helpful, verified, ...attachedTo(stored) },
  }
}
