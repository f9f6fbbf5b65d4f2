import type { Context } from 'hono'
import { LapidaryError, shown } from 'lapidary'
import {
  type AddRoute,
  allowedVersion,
  checkedIdempotencyKey,
  conditions,
  idempotencyKey,
  ifNoneMatch,
  namesTag,
  parseTagCondition,
  pathSegment,
  tellWritten,
  unprocessable,
  WRITTEN_HEADER,
} from 'lapidary-http/internal'
import type { Comment } from '../comment.ts'
import { ifFound } from '../people/found-comment.ts'
import { type CommentFields, removeComment, requireOwn } from '../people/own-comments.ts'
import type { PeopleRules } from '../people/people-rules.ts'
import type { Person } from '../people/person.ts'
import type { Services } from '../services.ts'
import { shownComment } from '../shown-comment.ts'
import { commentTag } from './comment-tag.ts'
import { commentChanges, commentOutput, commentParams, newComment, productParams } from './schemas.ts'

const ETAG = {
  ETag: 'The version, quoted: `"3"`; after it the number of votes, where there are some: `"3.12"`. `If-Match` goes by the version alone.',
}
const CHANGED = { ...ETAG, ...WRITTEN_HEADER }
const WAITS = 'The comment, which waits for a moderator, and is in no list.'
const tag = 'Comments'

/** Adds the routes of one comment: create, read, change, delete. People change and delete their own. */
export function addCommentRoutes(addRoute: AddRoute, services: Services, people: PeopleRules): void {
  addRoute(
    {
      method: 'post',
      path: '/products/{productId}/comments',
      operationId: 'createComment',
      summary: 'Create a comment',
      tag,
      role: 'writer',
      params: productParams,
      headers: idempotencyKey,
      body: newComment,
      answers: {
        201: {
          description: 'The comment as it was stored.',
          schema: commentOutput,
          headers: { ...CHANGED, Location: 'Where the comment is.' },
        },
      },
      problems: ['not_found', 'already_exists', 'idempotency_mismatch', 'unavailable'],
    },
    async (context, { params: { productId }, body }) => {
      if (body.productId !== undefined && body.productId !== productId) {
        throw unprocessable('the body was refused', [
          { path: 'productId', message: 'must be the product of the path, or be left out' },
        ])
      }
      const key = checkedIdempotencyKey(context.req.header('idempotency-key'))
      await requireNotHeld(services, body.id)
      const comment = await services.comments.create({ ...body, productId }, { idempotencyKey: key })
      context.header('Location', `/comments/${pathSegment(comment.id)}`)
      context.header('ETag', commentTag(comment))
      tellWritten(context, comment.id)
      return context.json(shownComment(comment), 201)
    },
  )
  addRoute(
    {
      method: 'get',
      path: '/comments/{id}',
      operationId: 'getComment',
      summary: 'Read a comment',
      tag,
      params: commentParams,
      headers: ifNoneMatch,
      answers: {
        200: { description: 'The comment.', schema: commentOutput, headers: ETAG },
        304: { description: 'It is as it was.', headers: ETAG },
      },
      problems: ['not_found', 'unavailable'],
    },
    async (context, { params: { id } }) => {
      const known = parseTagCondition('If-None-Match', context.req.header('if-none-match'))
      const comment = await services.comments.get(id)
      const current = commentTag(comment)
      context.header('ETag', current)
      context.header('Cache-Control', 'no-cache')
      if (namesTag(known, current)) return context.body(null, 304)
      return context.json(shownComment(comment))
    },
  )
  addRoute(
    {
      method: 'patch',
      path: '/comments/{id}',
      operationId: 'changeComment',
      summary: 'Change rating, language, title or text',
      description: 'People change their own, without `verified`; it may have to wait for a moderator then.',
      tag,
      role: 'writer',
      people: 'known',
      params: commentParams,
      headers: conditions,
      body: commentChanges,
      answers: {
        200: { description: 'The comment as it is now.', schema: commentOutput, headers: CHANGED },
        202: { description: WAITS, schema: commentOutput, headers: CHANGED },
      },
      problems: ['not_found', 'version_conflict', 'unavailable'],
    },
    async (context, { params: { id }, body }) => {
      const changes: Partial<Comment> = Object.fromEntries(
        Object.entries(body).filter(([, value]) => value !== undefined),
      )
      const person = await people.visitors.personOf(context)
      const { comment, isShown } =
        person === undefined
          ? { comment: await changedByToken(services, id, changes, context), isShown: true }
          : await people.edit(person, id, ownFields(changes), await ownVersion(services, person, id, context))
      context.header('ETag', commentTag(comment))
      tellWritten(context, id)
      return context.json(shownComment(comment), isShown ? 200 : 202)
    },
  )
  addRoute(
    {
      method: 'delete',
      path: '/comments/{id}',
      operationId: 'deleteComment',
      summary: 'Delete a comment',
      description: 'People delete their own.',
      tag,
      role: 'admin',
      people: 'known',
      params: commentParams,
      headers: conditions,
      answers: { 204: { description: 'It is gone.', headers: WRITTEN_HEADER } },
      problems: ['not_found', 'version_conflict', 'unavailable'],
    },
    async (context, { params: { id } }) => {
      const person = await people.visitors.personOf(context)
      if (person === undefined) await removeComment(services, 'admin', id, await versionFor(services, id, context))
      else await people.remove(person, id, await ownVersion(services, person, id, context))
      tellWritten(context, id)
      return context.body(null, 204)
    },
  )
}

/** A comment that is not shown keeps its id: written again, it would be shown past the moderators. */
async function requireNotHeld({ people }: Services, id: string | undefined): Promise<void> {
  const held = id === undefined ? undefined : await ifFound(people.cases.get(id))
  if (held?.comment) throw new LapidaryError('already_exists', `there is a comment ${shown(held.id)} already`)
}

async function changedByToken(
  services: Services,
  id: string,
  changes: Partial<Comment>,
  context: Context,
): Promise<Comment> {
  return services.comments.patch(id, changes, { ifVersion: await versionFor(services, id, context) })
}

async function versionFor(services: Services, id: string, { req }: Context): Promise<number | undefined> {
  return allowedVersion(req, 'comment', async () => (await services.comments.get(id)).version)
}

/** A person's own comment may be one that is not shown. */
async function ownVersion(
  services: Services,
  person: Person,
  id: string,
  { req }: Context,
): Promise<number | undefined> {
  return allowedVersion(req, 'comment', async () => (await requireOwn(services, person, id)).comment.version)
}

/** @throws {HttpProblem} `unprocessable` for what only the shop may say. */
function ownFields({ verified, ...fields }: Partial<Comment>): Partial<CommentFields> {
  if (verified === undefined) return fields
  throw unprocessable('the body was refused', [{ path: 'verified', message: 'is what the shop says of a person' }])
}
