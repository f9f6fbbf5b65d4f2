import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import { LapidaryError, sortableId } from 'lapidary'
import { HttpProblem } from 'lapidary-http/internal'
import { attachment, type Comment } from '../comment.ts'
import type { Photo } from '../photos/photo.ts'
import { authorshipId } from './authorships.ts'
import { type FoundComment, findComment, ifFound, noComment, type Records, requireComment } from './found-comment.ts'
import { asRead, inOneTransaction, stillFree } from './in-one-transaction.ts'
import type { Person } from './person.ts'
import { authorshipOf, changed, endOfAuthorship, heldAs, takenBack } from './planned-moves.ts'

/** What a person says of a product. */
export type CommentFields = Pick<Comment, 'rating' | 'language' | 'title' | 'text'>

/** What changes in a comment, which may depend on what it is. */
export type CommentChanges =
  | Partial<CommentFields>
  | ((comment: Comment) => Partial<CommentFields & Pick<Comment, 'attached'>>)

/** A comment that its author wrote or changed. */
export interface OwnComment {
  readonly comment: Comment
  /** Whether others see it; if not, a moderator has to look at it first. */
  readonly isShown: boolean
}

/** The circumstances of a new comment. */
export interface Circumstances {
  /** Whether it waits for a moderator. */
  readonly waits: boolean
  /** Whether the person bought the product. */
  readonly verified: boolean
  /** None when not given. */
  readonly photos?: readonly Photo[]
}

/**
 * Writes the one comment of a person on a product, to be shown at once or to wait for a moderator; it waits where one of theirs was refused before.
 *
 * @throws {LapidaryError} `already_exists` where they have written one, with its id under `details.commentId`; `unprocessable`.
 */
export async function writeComment(
  records: Records,
  person: Person,
  productId: string,
  fields: CommentFields,
  { waits, verified, photos = [] }: Circumstances,
): Promise<OwnComment> {
  const { comments, people } = records
  const { authorships, cases } = people
  const now = comments.context.clock()
  const id = sortableId(now, Math.random)
  const createdAt = new Date(now).toISOString()
  const comment: Comment = {
    ...{ id, productId, ...fields, author: person.name, person: person.id, verified },
    ...{
      createdAt,
      updatedAt: null,
      version: 1,
      helpful: 0,
      attached: attachment({ answer: null, photos }),
      answered: false,
    },
  }
  const authorship = { id: authorshipId(person, productId), person: person.id, productId, commentId: id, createdAt }
  return inOneTransaction(comments.context, async () => {
    const known = await ifFound(authorships.get(authorship.id))
    if (known !== undefined && (await findComment(records, known.commentId)) !== undefined)
      throw alreadyWritten(known.commentId)
    const isHeld = waits || known?.isWatched === true
    // Together, so that where one fails none is left that fails unheard.
    const planned = await Promise.all([
      asRead(
        known === undefined
          ? authorships.writes.create(authorship)
          : authorships.writes.replace({ ...authorship, isWatched: known.isWatched }, { ifVersion: known.version }),
      ),
      asRead(isHeld ? cases.writes.create(heldAs('waiting', comment, now)) : comments.writes.create(comment)),
      known === undefined ? [] : takenOver(records, { ...comment, id: known.commentId }),
    ])
    return {
      writes: planned.flat(),
      answer: { comment, isShown: !isHeld },
      productId,
    }
  })
}

/** Returns the comment of a person on a product, wherever it is. */
export async function ownComment(
  records: Records,
  person: Person,
  productId: string,
): Promise<FoundComment | undefined> {
  const known = await ifFound(records.people.authorships.get(authorshipId(person, productId)))
  return known === undefined ? undefined : findComment(records, known.commentId)
}

/**
 * Changes a person's own comment. One that is not shown waits for a moderator then, and so does a shown one where a new comment of theirs would.
 *
 * @throws {LapidaryError} `not_found`, `version_conflict`, `unprocessable`.
 * @throws {HttpProblem} `forbidden` where somebody else wrote it.
 */
export async function editComment(
  records: Records,
  person: Person,
  id: string,
  given: CommentChanges,
  { waits, ifVersion }: { readonly waits: boolean; readonly ifVersion?: number | undefined },
): Promise<OwnComment> {
  const { comments, people } = records
  return inOneTransaction<OwnComment>(comments.context, async () => {
    const found = await requireOwn(records, person, id, ifVersion)
    const { productId } = found.comment
    const changes = typeof given === 'function' ? given(found.comment) : given
    if (found.isShown && !waits && (await authorshipOf(records, found.comment))?.isWatched !== true) {
      const planned = comments.writes.patch(id, changes, { ifVersion: found.comment.version })
      const writes = await asRead(planned)
      return { writes, answer: { comment: (await planned).item, isShown: true }, productId }
    }
    const now = comments.context.clock()
    if (found.isShown) {
      const { comment, hold } = await takenBack(records, found)
      const waiting = changed(comment, changes, now)
      return { writes: await hold('waiting', waiting), answer: { comment: waiting, isShown: false }, productId }
    }
    const { version, state, since, ...kept } = found.case as NonNullable<FoundComment['case']>
    const comment = changed(found.comment, changes, now)
    const again = state === 'waiting' ? { since } : { since: new Date(now).toISOString(), note: '' }
    const waiting = people.cases.writes.replace(
      { ...kept, ...again, state: 'waiting', comment },
      { ifVersion: version },
    )
    return { writes: await asRead(waiting), answer: { comment, isShown: false }, productId }
  })
}

/**
 * Deletes a comment for good, and the case of it, so that its author may write another one.
 *
 * @param by Its author, or `admin`: an admin deletes what is shown, and decides on what is not.
 * @throws {LapidaryError} `not_found`, `version_conflict`.
 * @throws {HttpProblem} `forbidden` where somebody else wrote it.
 */
export async function removeComment(
  records: Records,
  by: Person | 'admin',
  id: string,
  ifVersion?: number | undefined,
): Promise<void> {
  const { comments, people } = records
  await inOneTransaction(comments.context, async () => {
    const found = by === 'admin' ? await requireShown(records, id) : await requireOwn(records, by, id, ifVersion)
    requireVersion(found, ifVersion)
    const writes: TransactWriteItem[] = []
    if (found.isShown) writes.push(...(await asRead(comments.writes.delete(id, { ifVersion: found.comment.version }))))
    if (found.case !== undefined)
      writes.push(...(await asRead(people.cases.writes.delete(id, { ifVersion: found.case.version }))))
    writes.push(...(await endOfAuthorship(records, found)))
    return { writes, answer: undefined, productId: found.comment.productId }
  })
}

async function requireShown(records: Records, id: string): Promise<FoundComment> {
  const found = await requireComment(records, id)
  if (!found.isShown) throw noComment(id)
  return found
}

/** Somebody else's comment is told apart from none only where everybody can read it. */
export async function requireOwn(
  records: Records,
  person: Person,
  id: string,
  ifVersion?: number | undefined,
): Promise<FoundComment> {
  const found = await requireComment(records, id)
  if (found.comment.person === person.id) {
    requireVersion(found, ifVersion)
    return found
  }
  if (!found.isShown) throw noComment(id)
  throw new HttpProblem('forbidden', 'somebody else wrote this comment')
}

function requireVersion({ comment: { version } }: FoundComment, ifVersion: number | undefined): void {
  if (ifVersion === undefined || ifVersion === version) return
  throw new LapidaryError(
    'version_conflict',
    `the comment is at version ${version}, and not at ${ifVersion}; read it again and repeat the change`,
  )
}

export function alreadyWritten(commentId: string): LapidaryError {
  return new LapidaryError('already_exists', 'you have written a comment on this product; change that one', {
    details: { commentId },
  })
}

/**
 * Plans to give a person's place to a new comment, where the one before was deleted behind them, as by an import or the command line. That it is in
 * neither place is a condition of the same transaction: it may be moving between them.
 */
async function takenOver({ comments, people }: Records, before: Comment): Promise<readonly TransactWriteItem[]> {
  const { id } = before
  const left = await ifFound(people.cases.get(id))
  return [
    stillFree(await asRead(comments.writes.create(before))),
    ...(left === undefined
      ? [stillFree(await asRead(people.cases.writes.create(heldAs('waiting', before, 0))))]
      : await asRead(people.cases.writes.delete(id, { ifVersion: left.version }))),
  ]
}
