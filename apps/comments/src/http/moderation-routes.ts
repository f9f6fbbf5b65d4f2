import { type AddRoute, parameterReader, tellWritten, WRITTEN_HEADER } from 'lapidary-http/internal'
import { type CasePage, listCases, placeOf, shownCase } from '../people/case-list.ts'
import { CASE_STATES, type CaseState } from '../people/cases.ts'
import { findComment, noComment } from '../people/found-comment.ts'
import { answerComment, decide } from '../people/moderation.ts'
import type { Services } from '../services.ts'
import { shownComment } from '../shown-comment.ts'
import { caseOutput, casePage, caseQuery, newAnswer, newPlace, ownOutput } from './people-schemas.ts'
import { commentParams } from './schemas.ts'

const tag = 'Moderation'
const PRIVATE = 'private, no-store'
const common = { tag, role: 'admin', people: 'moderators' } as const

/** Adds what moderators do: the queue, the decision on a comment, and the shop's answer to one. */
export function addModerationRoutes(addRoute: AddRoute, services: Services): void {
  addRoute(
    {
      ...common,
      method: 'get',
      path: '/moderation/cases',
      operationId: 'listCases',
      summary: 'The comments that wait, were reported, hidden or rejected',
      description: 'Those that wait longest come first; of the others the last.',
      query: caseQuery,
      answers: { 200: { description: 'A page.', schema: casePage } },
      problems: ['cursor_invalid', 'cursor_mismatch', 'unavailable'],
    },
    async (context, { query }) => {
      const read = parameterReader(query)
      const [state, limit] = [read.choice('state', CASE_STATES) ?? 'waiting', read.whole('limit', 100)]
      const cursor = read.one('cursor')
      read.finish()
      const page: CasePage = await listCases(services, { state: state as CaseState, limit, cursor })
      context.header('Cache-Control', PRIVATE)
      return context.json({ ...page })
    },
  )
  addRoute(
    {
      ...common,
      method: 'get',
      path: '/moderation/cases/{id}',
      operationId: 'getCase',
      summary: 'One of them',
      params: commentParams,
      answers: { 200: { description: 'The case.', schema: caseOutput } },
      problems: ['not_found', 'unavailable'],
    },
    async (context, { params: { id } }) => {
      const found = await findComment(services, id)
      const ofCase = found?.case ?? (await services.people.cases.get(id))
      context.header('Cache-Control', PRIVATE)
      return context.json(shownCase(ofCase, found?.comment))
    },
  )
  addRoute(
    {
      ...common,
      method: 'put',
      path: '/comments/{id}/place',
      operationId: 'decideOnComment',
      summary: 'Show a comment, hide it or reject it',
      description:
        'It keeps its id, its time, its votes and its answer. To show one that was reported settles its reports.',
      params: commentParams,
      body: newPlace,
      answers: { 200: { description: 'Where it is now.', schema: ownOutput, headers: WRITTEN_HEADER } },
      problems: ['not_found', 'unavailable'],
    },
    async (context, { params: { id }, body: { place, note } }) => {
      await decide(services, id, place, note)
      const found = await findComment(services, id)
      if (found === undefined) throw noComment(id)
      tellWritten(context, id)
      context.header('Cache-Control', PRIVATE)
      return context.json({
        comment: shownComment(found.comment),
        place: placeOf(found),
        note: found.isShown ? '' : (found.case?.note ?? ''),
      })
    },
  )
  for (const method of ['put', 'delete'] as const)
    addRoute(
      {
        ...common,
        method,
        path: '/comments/{id}/answer',
        operationId: method === 'put' ? 'answerComment' : 'deleteAnswer',
        summary: method === 'put' ? 'Answer a comment for the shop' : 'Take the shop’s answer away',
        params: commentParams,
        ...(method === 'put' ? { body: newAnswer } : {}),
        answers: { 204: { description: 'It is done.', headers: WRITTEN_HEADER } },
        problems: ['not_found', 'unavailable'],
      },
      async (context, { params: { id }, body }) => {
        await answerComment(services, id, (body as { text: string } | undefined)?.text ?? null)
        tellWritten(context, id)
        return context.body(null, 204)
      },
    )
}
