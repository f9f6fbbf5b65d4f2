import type { Context } from 'hono'
import {
  type AddRoute,
  addressOf,
  badRequest,
  ifNoneMatch,
  namesTag,
  parseTagCondition,
  pathSegment,
  type RoleOf,
  requireRole,
  tellWritten,
  WRITTEN_HEADER,
} from 'lapidary-http/internal'
import * as z from 'zod'
import { attachedTo } from '../comment.ts'
import { findComment, ifFound, noComment } from '../people/found-comment.ts'
import { asRead, inOneTransaction } from '../people/in-one-transaction.ts'
import type { OwnComment } from '../people/own-comments.ts'
import type { PeopleRules } from '../people/people-rules.ts'
import { changedPhotos, noPhoto, type PhotoChanges, requireRoom, withPhotos } from '../photos/changed-photos.ts'
import { MAX_PHOTO_BYTES, PHOTO_SIZES, PHOTO_TYPES, type PhotoSize, photoIdSchema } from '../photos/photo.ts'
import type { Services } from '../services.ts'
import { shownComment } from '../shown-comment.ts'
import { commentTag } from './comment-tag.ts'
import { commentOutput, commentParams } from './schemas.ts'

const tag = 'Comments'
const PHOTOS = '/comments/{id}/photos'
const PHOTO = `${PHOTOS}/{photoId}`
const photoParams = commentParams.extend({
  photoId: photoIdSchema.meta({ pattern: '^[\\w-]{22}$', examples: ['q0lGuR1Zl9m3yX0tS5W7bA'] }),
})

/** Seconds for which browsers and caches show a photo without asking again: so long one may be seen that was hidden or deleted. */
const FRESH_SECONDS = 300

/** Adds the photos of comments; where there is no storage for them, there are no such routes. */
export function addPhotoRoutes(addRoute: AddRoute, services: Services, people: PeopleRules, roleOf: RoleOf): void {
  const { photos } = services
  if (photos === undefined) return
  const change = async (context: Context, id: string, changes: PhotoChanges): Promise<OwnComment> => {
    const person = await people.visitors.personOf(context)
    const changed =
      person === undefined
        ? await changeByToken(services, id, changes)
        : await people.edit(person, id, {}, undefined, changes)
    context.header('ETag', commentTag(changed.comment))
    tellWritten(context, id)
    return changed
  }
  addRoute(
    {
      method: 'post',
      path: PHOTOS,
      operationId: 'addPhoto',
      summary: 'Add a photo to a comment',
      description:
        'Up to four. What is kept is smaller, upright, and without what cameras note. People add to their own comment; it may have to wait for a moderator then. Sent again it adds the photo again.',
      tag,
      role: 'writer',
      people: 'known',
      params: commentParams,
      file: { types: PHOTO_TYPES, most: MAX_PHOTO_BYTES },
      answers: {
        201: { description: 'The comment with it.', schema: commentOutput, headers: WRITTEN_HEADER },
        202: {
          description: 'The comment, which waits for a moderator.',
          schema: commentOutput,
          headers: WRITTEN_HEADER,
        },
      },
      problems: ['not_found', 'unprocessable', 'unavailable'],
    },
    async (context, { params: { id }, file }) => {
      const { comment, isShown } = await change(context, id, { added: [file], removed: [] })
      const added = attachedTo(comment).photos.at(-1)
      if (added !== undefined) context.header('Location', `/comments/${pathSegment(id)}/photos/${added.id}`)
      return context.json(shownComment(comment), isShown ? 201 : 202)
    },
  )
  addRoute(
    {
      method: 'delete',
      path: PHOTO,
      operationId: 'removePhoto',
      summary: 'Remove a photo from a comment',
      description: 'It is gone for good. People remove those of their own comment.',
      tag,
      role: 'writer',
      people: 'known',
      params: photoParams,
      answers: { 204: { description: 'It is gone.', headers: WRITTEN_HEADER } },
      problems: ['not_found', 'unavailable'],
    },
    async (context, { params: { id, photoId } }) => {
      await change(context, id, { added: [], removed: [photoId] })
      return context.body(null, 204)
    },
  )
  addRoute(
    {
      method: 'get',
      path: PHOTO,
      operationId: 'getPhoto',
      summary: 'Read a photo',
      description:
        'Where the comment is not shown, its author and moderators get its photos, also by the admin’s token, and nobody else.',
      tag,
      params: photoParams,
      query: z.object({ size: z.enum(PHOTO_SIZES).meta({ default: 'large' }).optional() }),
      headers: ifNoneMatch,
      answers: {
        200: {
          description: 'The photo: at most 1,600 pixels wide and high, or a square of 240.',
          schema: z.string().meta({ format: 'binary' }),
          contentType: 'image/webp',
        },
        304: { description: 'It is as it was.' },
      },
      problems: ['not_found', 'unauthorized', 'forbidden', 'rate_limited', 'unavailable'],
    },
    async (context, { params: { id, photoId }, query }) => {
      const size = sizeOf(query)
      await requireSeen(context, services, people, { id, photoId, roleOf })
      const etag = `"${photoId}-${size}"`
      context.header('ETag', etag)
      if (namesTag(parseTagCondition('If-None-Match', context.req.header('if-none-match')), etag))
        return context.body(null, 304)
      const bytes = await photos.read(photoId, size)
      if (bytes === undefined) throw noPhoto()
      return context.body(bytes, 200, { 'Content-Type': 'image/webp' })
    },
  )
}

function sizeOf(query: URLSearchParams): PhotoSize {
  const [size = 'large', more] = query.getAll('size')
  const known = PHOTO_SIZES.find((each) => each === size)
  if (known !== undefined && more === undefined) return known
  throw badRequest('the query was refused', [{ path: 'size', message: `must be one of ${PHOTO_SIZES.join(', ')}` }])
}

/** Lets a photo be seen where its comment is, and says how long that holds. */
async function requireSeen(
  context: Context,
  services: Services,
  { visitors }: PeopleRules,
  { id, photoId, roleOf }: { readonly id: string; readonly photoId: string; readonly roleOf: RoleOf },
): Promise<void> {
  // Nearly all are shown, and one look is enough for those.
  const shown = await ifFound(services.comments.get(id))
  const found = shown === undefined ? await findComment(services, id) : { comment: shown, isShown: true }
  const isHeld = found !== undefined && !found.isShown
  context.header('Cache-Control', isHeld ? 'private, no-store' : `public, max-age=${FRESH_SECONDS}`)
  if (isHeld && !(await visitors.isModerator(context))) {
    const person = await visitors.personOf(context)
    // A person may be known by a token of the shop, which is none of ours.
    const maySee = person === undefined ? isAdmin(context, roleOf) : person.id === found.comment.person
    if (!maySee) throw noComment(id)
  }
  if (found === undefined) throw noComment(id)
  if (!attachedTo(found.comment).photos.some((photo) => photo.id === photoId)) throw noPhoto()
}

/** Tells whether a request has the admin's token. */
function isAdmin({ req, env }: Context, roleOf: RoleOf): boolean {
  const header = req.header('authorization')
  if (header === undefined) return false
  requireRole(roleOf, { header, address: addressOf(env), needed: 'admin' })
  return true
}

/** Changes the photos of a comment that is shown, for a machine with a token. */
async function changeByToken(services: Services, id: string, { added, removed }: PhotoChanges): Promise<OwnComment> {
  const { comments, photos } = services
  // Before an image is worked on.
  requireRoom(await comments.get(id), added.length, removed)
  return withPhotos(photos, added, (taken) =>
    inOneTransaction<OwnComment>(comments.context, async () => {
      const current = await comments.get(id)
      const changes = changedPhotos(current, taken, removed)
      const planned = comments.writes.patch(id, changes, { ifVersion: current.version })
      const writes = await asRead(planned)
      const answer = { comment: (await planned).item, isShown: true }
      return { writes, answer, productId: current.productId }
    }),
  )
}
