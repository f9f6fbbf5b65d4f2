import type { Context } from 'hono'
import { type AddRoute, HttpProblem, tellWritten, WRITTEN_HEADER } from 'lapidary-http/internal'
import { placeOf } from '../people/case-list.ts'
import type { FoundComment } from '../people/found-comment.ts'
import type { PeopleRules } from '../people/people-rules.ts'
import { shownComment } from '../shown-comment.ts'
import { commentTag } from './comment-tag.ts'
import { newReport, ownFields, ownOutput } from './people-schemas.ts'
import { commentParams, productParams } from './schemas.ts'

const tag = 'People'
const OWN = '/products/{productId}/own-comment'
const answer = (description: string) => ({ description, schema: ownOutput, headers: WRITTEN_HEADER })

/** Adds what people do who are signed in: the one comment of each on a product, and reports of others. */
export function addPeopleRoutes(addRoute: AddRoute, people: PeopleRules): void {
  const { visitors } = people
  addRoute(
    {
      method: 'get',
      path: OWN,
      operationId: 'ownComment',
      summary: 'One’s own comment on a product',
      description: 'Also where it waits for a moderator, or is hidden or rejected; nobody else sees it then.',
      tag,
      people: 'known',
      params: productParams,
      answers: { 200: { description: 'The comment.', schema: ownOutput } },
      problems: ['not_found', 'unavailable'],
    },
    async (context, { params: { productId } }) => {
      const found = await people.own(await visitors.requirePerson(context), productId)
      if (found === undefined) throw new HttpProblem('not_found', 'you have not commented on this product')
      return answerOwn(context, found, 200)
    },
  )
  addRoute(
    {
      method: 'put',
      path: OWN,
      operationId: 'writeOwnComment',
      summary: 'Write one’s own comment, or change it',
      description: 'A person has one comment on a product. The name and “verified” are what the shop says of them.',
      tag,
      people: 'known',
      params: productParams,
      body: ownFields,
      answers: {
        200: answer('It was changed.'),
        201: answer('It is new.'),
        202: answer('It waits for a moderator.'),
      },
      problems: ['not_found', 'unavailable'],
    },
    async (context, { params: { productId }, body }) => {
      const { comment, isShown, isNew } = await people.put(await visitors.requirePerson(context), productId, body)
      tellWritten(context, comment.id)
      const status = isShown ? (isNew ? 201 : 200) : 202
      return answerOwn(context, isShown ? { comment, isShown, case: undefined } : waiting(comment), status)
    },
  )
  addRoute(
    {
      method: 'delete',
      path: OWN,
      operationId: 'deleteOwnComment',
      summary: 'Delete one’s own comment',
      tag,
      people: 'known',
      params: productParams,
      answers: { 204: { description: 'It is gone.', headers: WRITTEN_HEADER } },
      problems: ['not_found', 'unavailable'],
    },
    async (context, { params: { productId } }) => {
      const person = await visitors.requirePerson(context)
      const known = await people.own(person, productId)
      if (known === undefined) throw new HttpProblem('not_found', 'you have not commented on this product')
      await people.remove(person, known.comment.id)
      tellWritten(context, known.comment.id)
      return context.body(null, 204)
    },
  )
  addRoute(
    {
      method: 'post',
      path: '/comments/{id}/reports',
      operationId: 'reportComment',
      summary: 'Report a comment to the moderators',
      description: 'Once for each person; the same again changes nothing.',
      tag,
      people: 'known',
      params: commentParams,
      body: newReport,
      answers: { 204: { description: 'The moderators see it.' } },
      problems: ['not_found', 'unavailable'],
    },
    async (context, { params: { id }, body }) => {
      await people.report(await visitors.requirePerson(context), id, body)
      return context.body(null, 204)
    },
  )
}

function waiting(comment: FoundComment['comment']): FoundComment {
  const { id, productId, createdAt } = comment
  const ofCase = { ...{ id, productId, comment, reports: [], note: '', version: 1 }, since: createdAt }
  return { comment, isShown: false, case: { ...ofCase, state: 'waiting' } }
}

function answerOwn(context: Context, found: FoundComment, status: 200 | 201 | 202): Response {
  const { comment, isShown } = found
  context.header('Cache-Control', 'private, no-store')
  context.header('ETag', commentTag(comment))
  const note = isShown ? '' : (found.case?.note ?? '')
  return context.json({ comment: shownComment(comment), place: placeOf(found), note }, status)
}
