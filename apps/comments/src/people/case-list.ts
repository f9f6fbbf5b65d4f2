import type { Comment } from '../comment.ts'
import { type ShownComment, shownComment } from '../shown-comment.ts'
import type { Case, CaseState, Report } from './cases.ts'
import type { FoundComment, Records } from './found-comment.ts'

/** A case as moderators get it: who reported is nobody's business. */
export interface ShownCase extends Omit<Case, 'comment' | 'reports' | 'version'> {
  /** Null where it was deleted meanwhile. */
  readonly comment: ShownComment | null
  readonly reports: readonly Omit<Report, 'person'>[]
}

export interface CasePage {
  readonly items: readonly ShownCase[]
  readonly cursors: { readonly next: string | null; readonly previous: string | null }
}

/** What a list of cases is asked for. */
export interface CaseQuery {
  readonly state: CaseState
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
  /** Cases that were just decided, so that a late index shows none of them. */
  readonly written?: readonly string[] | undefined
}

/** Reads the cases of a state, those that wait longest first; what was settled or refused last comes first. */
export async function listCases(
  records: Records,
  { state, limit = 20, cursor, written }: CaseQuery,
): Promise<CasePage> {
  const { comments, people } = records
  const order = state === 'waiting' || state === 'reported' ? 'oldest' : 'newest'
  const page = await people.cases.list({
    ...{ scope: state, order, limit, written },
    ...(cursor === undefined ? {} : { cursor }),
  })
  const found = (await people.cases.getMany(page.items.map(({ id }) => id))).flatMap((each) => each ?? [])
  const ofState = found.filter((each) => each.state === state)
  // What readers see is shown, whatever the case holds, as findComment finds it.
  const seen = await comments.getMany(ofState.map(({ id }) => id))
  const items = ofState.map((each, i) => shownCase(each, seen[i] ?? each.comment ?? undefined))
  return { items, cursors: { next: page.cursors.next, previous: page.cursors.previous } }
}

/** The most that is counted of a state: more is more work than a page can show. */
export const MOST_COUNTED = 100

/** Counts the cases of a state, up to {@link MOST_COUNTED}. */
export async function countCases({ people }: Records, state: CaseState): Promise<number> {
  const { items } = await people.cases.list({ scope: state, limit: MOST_COUNTED, attributes: ['id'] })
  return items.length
}

export function shownCase(
  { id, state, since, productId, reports, note }: Case,
  comment: Comment | undefined,
): ShownCase {
  return {
    ...{ id, state, since, productId, note },
    comment: comment === undefined ? null : shownComment(comment),
    reports: reports.map(({ reason, text, at }) => ({ reason, text, at })),
  }
}

/** Returns where a comment is, as its author and moderators are told. */
export function placeOf({ isShown, case: ofCase }: FoundComment): 'shown' | 'waiting' | 'hidden' | 'rejected' {
  return isShown ? 'shown' : (ofCase?.state as 'waiting' | 'hidden' | 'rejected')
}
