import type { Context } from 'hono'
import {
  type AddRoute,
  allowedVersion,
  checkedIdempotencyKey,
  conditions,
  entityTag,
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
import type { Services } from '../services.ts'
import { shownComment } from '../shown-comment.ts'
import { commentChanges, commentOutput, commentParams, newComment, productParams } from './schemas.ts'

const ETAG = { ETag: 'The version, quoted: `"3"`.' }
const CHANGED = { ...ETAG, ...WRITTEN_HEADER }
const tag = 'Comments'
/** Adds the routes of one comment: create, read, change, delete. */
export function addCommentRoutes(addRoute: AddRoute, services: Services): void {
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
      const comment = await services.comments.create({ ...body, productId }, { idempotencyKey: key })
      context.header('Location', `/comments/${pathSegment(comment.id)}`)
      context.header('ETag', entityTag(comment.version))
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
        304: { description: 'It still has that version.', headers: ETAG },
      },
      problems: ['not_found', 'unavailable'],
    },
    async (context, { params: { id } }) => {
      const known = parseTagCondition('If-None-Match', context.req.header('if-none-match'))
      const comment = await services.comments.get(id)
      context.header('ETag', entityTag(comment.version))
      context.header('Cache-Control', 'no-cache')
      if (namesTag(known, entityTag(comment.version))) return context.body(null, 304)
      return context.json(shownComment(comment))
    },
  )
  addRoute(
    {
      method: 'patch',
      path: '/comments/{id}',
      operationId: 'changeComment',
      summary: 'Change rating, language, title or text',
      tag,
      role: 'writer',
      params: commentParams,
      headers: conditions,
      body: commentChanges,
      answers: { 200: { description: 'The comment as it is now.', schema: commentOutput, headers: CHANGED } },
      problems: ['not_found', 'version_conflict', 'unavailable'],
    },
    async (context, { params: { id }, body }) => {
      const ifVersion = await versionFor(services, id, context)
      const changes = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
      const comment = await services.comments.patch(id, changes as Partial<Comment>, { ifVersion })
      context.header('ETag', entityTag(comment.version))
      tellWritten(context, id)
      return context.json(shownComment(comment))
    },
  )
  addRoute(
    {
      method: 'delete',
      path: '/comments/{id}',
      operationId: 'deleteComment',
      summary: 'Delete a comment',
      tag,
      role: 'admin',
      params: commentParams,
      headers: conditions,
      answers: { 204: { description: 'It is gone.', headers: WRITTEN_HEADER } },
      problems: ['not_found', 'version_conflict', 'unavailable'],
    },
    async (context, { params: { id } }) => {
      await services.comments.delete(id, { ifVersion: await versionFor(services, id, context) })
      tellWritten(context, id)
      return context.body(null, 204)
    },
  )
}

async function versionFor(services: Services, id: string, { req }: Context): Promise<number | undefined> {
  return allowedVersion(req, 'comment', async () => (await services.comments.get(id)).version)
}
