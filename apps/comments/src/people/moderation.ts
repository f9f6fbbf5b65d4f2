import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import { HttpProblem } from 'lapidary-http/internal'
import { attachedTo, attachment } from '../comment.ts'
import type { Case, Report, ReportReason } from './cases.ts'
import { type FoundComment, noComment, type Records, requireComment } from './found-comment.ts'
import { asRead, inOneTransaction, stillThere } from './in-one-transaction.ts'
import type { Person } from './person.ts'
import { changed, takenBack, watchOfAuthor } from './planned-moves.ts'

/** What a moderator makes of a comment. */
export type Decision = 'shown' | 'hidden' | 'rejected'

/** More reports of one comment say nothing new, and an item, which has to hold the comment too, has its limits: the last ones are kept. */
const MOST_REPORTS = 100
/** The texts that are kept of them until a moderator has looked at them. */
const MOST_TEXTS = 20

/**
 * Notes that a person reports a comment that is shown; once for each person, also after a moderator has looked at it.
 *
 * @throws {LapidaryError} `not_found`.
 * @throws {HttpProblem} `forbidden` for one's own.
 */
export async function reportComment(
  records: Records,
  person: Person,
  id: string,
  { reason, text }: { readonly reason: ReportReason; readonly text: string },
): Promise<void> {
  const { comments } = records
  await inOneTransaction(comments.context, async () => {
    const { comment, isShown, case: ofCase } = await requireComment(records, id)
    if (!isShown) throw noComment(id)
    if (comment.person === person.id)
      throw new HttpProblem('forbidden', 'this is your own comment; change or delete it')
    const reports = ofCase?.reports ?? []
    const isKnown = reports.some((report) => report.person === person.id)
    const { productId } = comment
    if (isKnown || isFull(ofCase)) return { writes: [], answer: undefined, productId }
    const at = new Date(comments.context.clock()).toISOString()
    const texts = reports.filter((each) => each.text !== '').length
    const report: Report = { person: person.id, reason, text: texts < MOST_TEXTS ? text : '', at }
    const since = ofCase?.state === 'reported' ? ofCase.since : at
    const reported = {
      ...{ id, state: 'reported' as const, since, productId, comment: null, note: '' },
      reports: [...reports, report].slice(-MOST_REPORTS),
    }
    const there = stillThere(await asRead(comments.writes.delete(id)))
    const stored = storedCase(records, reported, ofCase)
    return { writes: [...(await stored), there], answer: undefined, productId }
  })
}

/** Tells whether all the reports that are kept have come since a moderator last looked; those from before make room for new ones. */
function isFull(ofCase: Case | undefined): boolean {
  if (ofCase?.state !== 'reported') return false
  const { reports, since } = ofCase
  return reports.filter(({ at }) => at >= since).length >= MOST_REPORTS
}

/**
 * Makes a comment be shown, hidden or rejected; what it is already stays. It keeps its id, its time, its version, its votes and its answer.
 *
 * @param note What its author is told, where it is not shown.
 * @throws {LapidaryError} `not_found`.
 */
export async function decide(records: Records, id: string, to: Decision, note = ''): Promise<FoundComment> {
  const { comments, people } = records
  return inOneTransaction<FoundComment>(comments.context, async () => {
    const found = await requireComment(records, id)
    const { productId } = found.comment
    if (to === 'shown') {
      const { writes, ofCase } = await planShown(records, found)
      return { writes, answer: { comment: found.comment, isShown: true, case: ofCase }, productId }
    }
    const watch = await watchOfAuthor(records, found.comment)
    if (found.isShown) {
      const { comment, hold } = await takenBack(records, found)
      const writes = [...(await hold(to, comment, note)), ...watch]
      return { writes, answer: { comment, isShown: false, case: undefined }, productId }
    }
    const ofCase = found.case as Case
    if (ofCase.state === to && ofCase.note === note) return { writes: [], answer: found, productId }
    const since = ofCase.state === to ? ofCase.since : new Date(comments.context.clock()).toISOString()
    const writes = await asRead(
      people.cases.writes.patch(id, { state: to, since, note }, { ifVersion: ofCase.version }),
    )
    return {
      writes: [...writes, ...watch],
      answer: { ...found, case: { ...ofCase, state: to, since, note } },
      productId,
    }
  })
}

/**
 * Plans to show a comment. Who reported it is remembered, so that nobody reports it twice; what they said was looked at, and makes room for what others
 * say later.
 */
async function planShown(
  records: Records,
  { comment, isShown, case: ofCase }: FoundComment,
): Promise<{ readonly writes: readonly TransactWriteItem[]; readonly ofCase: Case | undefined }> {
  const { comments, people } = records
  if (ofCase === undefined || (isShown && ofCase.state === 'settled')) return { writes: [], ofCase }
  const { version, ...kept } = ofCase
  const since = new Date(comments.context.clock()).toISOString()
  const reports = ofCase.reports.map((report) => ({ ...report, text: '' }))
  const settled =
    reports.length === 0 ? undefined : { ...kept, reports, state: 'settled' as const, since, comment: null, note: '' }
  return {
    writes: [
      ...(isShown ? [] : await asRead(comments.writes.create(comment, { restored: true }))),
      ...(settled === undefined
        ? await asRead(people.cases.writes.delete(ofCase.id, { ifVersion: version }))
        : await storedCase(records, settled, ofCase)),
    ],
    ofCase: settled && { ...settled, version: version + 1 },
  }
}

/**
 * Sets what the shop answers to a comment, shown or not; null takes the answer away.
 *
 * @throws {LapidaryError} `not_found`, `unprocessable`.
 */
export async function answerComment(records: Records, id: string, text: string | null): Promise<FoundComment> {
  const { comments, people } = records
  return inOneTransaction<FoundComment>(comments.context, async () => {
    const found = await requireComment(records, id)
    const { productId } = found.comment
    const now = comments.context.clock()
    const answer = text === null ? null : { text, answeredAt: new Date(now).toISOString() }
    const attached = attachment({ ...attachedTo(found.comment), answer })
    if (found.isShown) {
      const planned = comments.writes.patch(id, { attached }, { ifVersion: found.comment.version })
      return { writes: await asRead(planned), answer: { ...found, comment: (await planned).item }, productId }
    }
    const comment = changed(found.comment, { attached, answered: answer !== null }, now)
    const writes = await asRead(people.cases.writes.patch(id, { comment }, { ifVersion: (found.case as Case).version }))
    return { writes, answer: { ...found, comment }, productId }
  })
}

/** Deletes the case of a comment that is there no more. */
export async function forgetCase({ people }: Records, { id, version }: Case): Promise<void> {
  await people.cases.delete(id, { ifVersion: version })
}

function storedCase(
  { people: { cases } }: Records,
  item: Omit<Case, 'version'>,
  before: Case | undefined,
): Promise<readonly TransactWriteItem[]> {
  return asRead(
    before === undefined ? cases.writes.create(item) : cases.writes.replace(item, { ifVersion: before.version }),
  )
}
