import { entityTag } from 'lapidary-http/internal'
import type { Comment } from '../comment.ts'

/** Returns the `ETag` of a comment: its version, and its votes, which change without it. */
export function commentTag({ version, helpful }: Pick<Comment, 'version' | 'helpful'>): string {
  return entityTag(version, helpful)
}
