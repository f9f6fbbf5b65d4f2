import { LapidaryError, shown } from 'lapidary'
import { type Comment, inPresentForm } from '../comment.ts'
import type { Services } from '../services.ts'
import type { Case } from './cases.ts'

/** The collections that comments move between. */
export type Records = Pick<Services, 'comments' | 'people'>

/** A comment, wherever it is. */
export interface FoundComment {
  readonly comment: Comment
  readonly isShown: boolean
  /** The case of it, if there is one: always, where it is not shown. */
  readonly case: Case | undefined
}

/**
 * Finds a comment among those that are shown and those that are not; undefined where there is none. One that readers see is shown, whatever its case
 * says: an import may have written it again, and a moderator has to be able to take it back.
 */
export async function findComment({ comments, people }: Records, id: string): Promise<FoundComment | undefined> {
  const first = await ifFound(people.cases.get(id))
  const comment = await ifFound(comments.get(id))
  if (comment !== undefined) return { comment, isShown: true, case: first }
  // It may have been taken back after its case was read.
  const ofCase = first?.comment ? first : await ifFound(people.cases.get(id))
  return ofCase?.comment ? { comment: inPresentForm(ofCase.comment), isShown: false, case: ofCase } : undefined
}

/** @throws {LapidaryError} `not_found`. */
export async function requireComment(records: Records, id: string): Promise<FoundComment> {
  const found = await findComment(records, id)
  if (found === undefined) throw noComment(id)
  return found
}

export function noComment(id: string): LapidaryError {
  return new LapidaryError('not_found', `there is no comment ${shown(id)}`)
}

/** Returns undefined for an item that is not there. */
export async function ifFound<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof LapidaryError && error.code === 'not_found') return undefined
    throw error
  }
}
