import type { Context } from 'hono'
import { HttpProblem } from 'lapidary-http/internal'
import { commentIdSchema, textSchema } from '../../comment.ts'
import { countCases, listCases, shownCase } from '../../people/case-list.ts'
import { CASE_STATES, type CaseState } from '../../people/cases.ts'
import { ifFound, noComment, requireComment } from '../../people/found-comment.ts'
import { answerComment, type Decision, decide, forgetCase } from '../../people/moderation.ts'
import type { PeopleRules } from '../../people/people-rules.ts'
import type { Services } from '../../services.ts'
import { shownComment } from '../../shown-comment.ts'
import { htmlPage } from '../html-page.tsx'
import { moderationPath } from '../links.ts'
import { sentForm } from '../sent-form.ts'
import type { WebSettings } from '../settings.ts'
import { CasePage, type CasePageProps } from './case-page.tsx'
import { type Done, ModerationPage } from './moderation-page.tsx'
import { askForToken, unkept } from './sign-in-answers.tsx'

const MAX_FORM_BYTES = 128 * 1024
const MOST_NOTE = 1_000
const DONE: readonly Done[] = ['shown', 'hidden', 'rejected', 'answered', 'cleared']
const DECISIONS: readonly Decision[] = ['shown', 'hidden', 'rejected']

/** Answers `GET /moderation`; one who is no moderator is asked for the admin's token. */
export async function showQueue(c: Context, services: Services, settings: WebSettings): Promise<Response> {
  if (!(await isModerator(c, settings))) return askForToken(c)
  const search = new URL(c.req.url).searchParams
  const state = CASE_STATES.find((each) => each === search.get('state')) ?? 'waiting'
  const decided = search.get('id')
  const written = decided !== null && commentIdSchema.safeParse(decided).success ? [decided] : undefined
  const cursor = search.get('cursor') ?? undefined
  const [page, ...counted] = await Promise.all([
    listCases(services, { state, cursor, written }),
    ...CASE_STATES.map((each) => countCases(services, each)),
  ])
  const { next, previous } = page.cursors
  const hasSession = (await settings.session?.isOpen(c)) === true
  return unkept(
    await htmlPage(
      c,
      <ModerationPage
        {...{ state, items: page.items, hasSession, done: doneIn(search) }}
        counts={new Map(CASE_STATES.map((each, i) => [each, counted[i] ?? 0]))}
        next={next === null ? undefined : queuePath({ state, cursor: next })}
        previous={previous === null ? undefined : queuePath({ state, cursor: previous })}
      />,
    ),
  )
}

/** Answers `GET /moderation/comments/:commentId`. */
export async function showCase(
  c: Context,
  services: Services,
  settings: WebSettings,
  commentId: string,
): Promise<Response> {
  if (!(await isModerator(c, settings))) return askForToken(c)
  return answerCase(c, services, settings, commentId, { done: doneIn(new URL(c.req.url).searchParams) })
}

/** Answers `POST /moderation/comments/:commentId`: what the pressed button says is done. */
export async function takeDecision(
  c: Context,
  services: Services,
  settings: WebSettings,
  commentId: string,
): Promise<Response> {
  const body = await sentForm(c, MAX_FORM_BYTES)
  if (!(await isModerator(c, settings))) return askForToken(c)
  if (!commentIdSchema.safeParse(commentId).success) throw noComment(commentId)
  const text = (name: string): string => (body.get(name) ?? '').replaceAll('\r\n', '\n').trim()
  const what = text('do')
  const from = CASE_STATES.find((each) => each === text('from'))
  const decision = DECISIONS.find((each) => each === what)
  const back = (done: Done) =>
    c.redirect(
      from === undefined
        ? `${moderationPath(commentId)}?done=${done}`
        : queuePath({ state: from, done, id: commentId }),
      303,
    )
  if (decision !== undefined) {
    await decide(services, commentId, decision, [...text('note')].slice(0, MOST_NOTE).join(''))
    return back(decision)
  }
  if (what === 'answer' || what === 'unanswer') {
    const answer = what === 'answer' ? text('answer') : null
    if (answer !== null && !textSchema.safeParse(answer).success)
      return answerCase(c, services, settings, commentId, { refusedAnswer: answer }, 422)
    await answerComment(services, commentId, answer)
    return back('answered')
  }
  if (what === 'clear') {
    const ofCase = await services.people.cases.get(commentId)
    if (ofCase.comment === null && (await ifFound(services.comments.get(commentId))) === undefined)
      await forgetCase(services, ofCase)
    return c.redirect(queuePath({ state: from ?? 'waiting', done: 'cleared', id: commentId }), 303)
  }
  throw new HttpProblem('bad_request', 'the form names nothing that a moderator can do')
}

async function answerCase(
  c: Context,
  services: Services,
  { catalogue }: WebSettings,
  commentId: string,
  more: Pick<CasePageProps, 'done' | 'refusedAnswer'>,
  status: 200 | 422 = 200,
): Promise<Response> {
  if (!commentIdSchema.safeParse(commentId).success) throw noComment(commentId)
  const { comment, isShown, case: ofCase } = await requireComment(services, commentId)
  const props = {
    ...{ comment: shownComment(comment), isShown, ...more, product: await catalogue?.get(comment.productId) },
    ofCase: ofCase && shownCase(ofCase, comment),
  }
  return unkept(await htmlPage(c, <CasePage {...props} />, status))
}

async function isModerator(c: Context, { people }: WebSettings): Promise<boolean> {
  return (await (people as PeopleRules | undefined)?.visitors.isModerator(c)) === true
}

function doneIn(search: URLSearchParams): Done | undefined {
  return DONE.find((each) => each === search.get('done'))
}

function queuePath(parameters: { readonly state: CaseState; readonly [name: string]: string }): string {
  return `/moderation?${new URLSearchParams(parameters)}`
}
