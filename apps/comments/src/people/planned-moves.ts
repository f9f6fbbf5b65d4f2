import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import type { Comment } from '../comment.ts'
import { authorshipId } from './authorships.ts'
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

/**
 * Plans to forget who wrote a comment; nothing where that is not known. That a moderator refused it is kept, so that nobody is rid of it by deleting the
 * comment and writing it again.
 */
export async function endOfAuthorship(
  { people: { authorships } }: Records,
  { comment: { id, person, productId }, isShown, case: ofCase }: FoundComment,
): Promise<readonly TransactWriteItem[]> {
  if ((person ?? null) === null) return []
  const key = authorshipId({ id: String(person) }, productId)
  const known = await ifFound(authorships.get(key))
  if (known?.commentId !== id) return []
  const { version, ...kept } = known
  const wasRefused = !isShown && (ofCase?.state === 'hidden' || ofCase?.state === 'rejected')
  return asRead(
    known.isWatched || wasRefused
      ? authorships.writes.replace({ ...kept, isWatched: true }, { ifVersion: version })
      : authorships.writes.delete(key, { ifVersion: version }),
  )
}
