import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import type { Comment } from '../comment.ts'
import { type Authorship, authorshipId } from './authorships.ts'
import type { Case, CaseState } from './cases.ts'
import { type FoundComment, ifFound, type Records } from './found-comment.ts'
import { asRead, unlessMoved } from './in-one-transaction.ts'

/** Returns the case of a comment that is not shown. */
export function heldAs(
  state: CaseState,
  comment: Comment,
  now: number,
  { reports, note }: Pick<Case, 'reports' | 'note'> = { reports: [], note: '' },
): Omit<Case, 'version'> {
  const { id, productId } = comment
  return { id, state, since: new Date(now).toISOString(), productId, comment, reports, note }
}

/** Returns a comment that is not shown with changes, which raise its version as those of a shown one do. */
export function changed(comment: Comment, changes: Partial<Comment>, now: number): Comment {
  return { ...comment, ...changes, version: comment.version + 1, updatedAt: new Date(now).toISOString() }
}

/** A comment that is about to be taken back from the readers. */
interface TakenBack {
  readonly comment: Comment
  /** Plans the writes that take it back and keep it in its case. */
  hold(state: CaseState, comment: Comment, note?: string): Promise<readonly TransactWriteItem[]>
}

/**
 * Plans to take a comment back. The comment is read after the delete is planned, so that the condition of the delete, that it is as it was then,
 * holds for all that is kept: a vote or another move that comes between makes the plan anew.
 */
export async function takenBack(
  { comments, people }: Records,
  { comment, case: ofCase }: FoundComment,
): Promise<TakenBack> {
  const { id } = comment
  const taken = await asRead(comments.writes.delete(id, { ifVersion: comment.version }))
  const current = await unlessMoved(comments.get(id))
  return {
    comment: current,
    async hold(state, kept, note = '') {
      const held = heldAs(state, kept, comments.context.clock(), { reports: ofCase?.reports ?? [], note })
      const { writes } = people.cases
      const stored = ofCase === undefined ? writes.create(held) : writes.replace(held, { ifVersion: ofCase.version })
      return [...taken, ...(await asRead(stored))]
    },
  }
}

/** Returns the record of what the author of a comment has written on its product; undefined where there is none. */
export async function authorshipOf(
  { people: { authorships } }: Records,
  { person, productId }: Comment,
): Promise<Authorship | undefined> {
  return (person ?? null) === null
    ? undefined
    : ifFound(authorships.get(authorshipId({ id: String(person) }, productId)))
}

/** Plans to remember that a moderator refuses a comment: what its author writes and changes on the product waits from then on, whatever becomes of it. */
export async function watchOfAuthor(records: Records, comment: Comment): Promise<readonly TransactWriteItem[]> {
  const known = await authorshipOf(records, comment)
  if (known === undefined || known.isWatched) return []
  const { id, version } = known
  return asRead(records.people.authorships.writes.patch(id, { isWatched: true }, { ifVersion: version }))
}

/**
 * Plans to forget who wrote a comment. The record stays where a moderator has refused a comment of theirs, or still has to look at reports of this one,
 * so that its author is not rid of that by deleting the comment and writing it again.
 */
export async function endOfAuthorship(
  records: Records,
  { comment, case: ofCase }: FoundComment,
): Promise<readonly TransactWriteItem[]> {
  const known = await authorshipOf(records, comment)
  if (known?.commentId !== comment.id) return []
  if (ofCase?.state === 'reported') return watchOfAuthor(records, comment)
  if (known.isWatched) return []
  return asRead(records.people.authorships.writes.delete(known.id, { ifVersion: known.version }))
}
