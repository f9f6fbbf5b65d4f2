import { type AttributeValue, ScanCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { describe, expect, test, vi } from 'vitest'
import { PATIENCE } from '../../../../test/engines/patience.ts'
import type { Person } from '../../src/people/person.ts'
import { openPhotos } from '../../src/photos/open-photos.ts'
import { ADMIN, type Answer, CHOSEN, newComment, useTestApp, WRITER } from '../test-app.ts'
import { image, memoryPhotos } from './test-photos.ts'

const OWN = { language: 'en', rating: 5, title: 'Fine', text: 'It works.' }
const identify = async (request: Request): Promise<Person | undefined> => {
  const name = request.headers.get('x-person')
  return name === null ? undefined : { id: `id-of-${name}`, name, isModerator: name === 'mod' }
}

function useShop(moderation: 'show' | 'wait') {
  const { photos, files } = memoryPhotos()
  const app = useTestApp(undefined, CHOSEN, undefined, { identity: { identify }, moderation, photos })
  const as = (who: string, method: string, path: string, body?: unknown): Promise<Answer> =>
    app.send(method, path, body, { authorization: '', 'x-person': who })
  return {
    ...{ ...app, files, as },
    async written(who: string, productId: string): Promise<string> {
      const { body } = await as(who, 'PUT', `/products/${productId}/own-comment`, OWN)
      return body.comment.id
    },
    sent: (
      who: string | undefined,
      id: string,
      bytes: string | Uint8Array<ArrayBuffer>,
      type = 'image/jpeg',
    ): Promise<Answer> =>
      app.ask(`/comments/${id}/photos`, {
        method: 'POST',
        body: bytes,
        headers: { 'content-type': type, ...(who === undefined ? {} : { 'x-person': who }) },
      }),
    seen: async (who: string | undefined, path: string): Promise<readonly [status: number, kept: string | null]> => {
      const { status, headers } = await app.app.request(path, who === undefined ? {} : { headers: { 'x-person': who } })
      return [status, headers.get('cache-control')]
    },
    gallery: async (productId: string): Promise<readonly string[]> =>
      (await app.services.gallery.list({ scope: productId })).items.map(({ id }) => id),
  }
}

const eventually = (check: () => void | Promise<void>) => vi.waitFor(check, PATIENCE)

describe('photos over HTTP, where comments show at once', () => {
  const shop = useShop('show')

  test('are added, read in both sizes, listed, and removed with their files', async () => {
    const id = await shop.written('ada', 'p1')
    const added = await shop.sent('ada', id, await image('jpeg', { width: 2_000, height: 1_000 }))
    expect(added.status).toBe(201)
    const [photo] = added.body.photos
    expect(photo).toMatchObject({ width: 1_600, height: 800 })
    const path = `/comments/${id}/photos/${photo.id}`
    expect(added.headers.get('location')).toBe(path)
    const large = await shop.app.request(path)
    expect([large.status, large.headers.get('content-type')]).toEqual([200, 'image/webp'])
    expect(large.headers.get('cache-control')).toBe('public, max-age=300')
    const etag = large.headers.get('etag') ?? ''
    expect((await shop.ask(path, { headers: { 'if-none-match': etag } })).status).toBe(304)
    const small = await shop.app.request(`${path}?size=small`)
    expect(small.headers.get('etag')).not.toBe(etag)
    expect((await small.arrayBuffer()).byteLength).toBeLessThan((await large.arrayBuffer()).byteLength)
    expect((await shop.ask('/products/p1/comments')).body.items[0].photos).toEqual([photo])
    await eventually(async () => expect(await shop.gallery('p1')).toEqual([id]))
    expect((await shop.as('ada', 'DELETE', path)).status).toBe(204)
    expect((await shop.as('ada', 'DELETE', path)).status).toBe(404)
    expect(await shop.seen(undefined, path)).toEqual([404, 'no-store'])
    await eventually(() => expect(shop.files.size).toBe(0))
    expect(await shop.gallery('p1')).toEqual([])
  })

  test('are four at most, also when six are sent at once, and none is kept that was refused', async () => {
    const id = await shop.written('ada', 'p2')
    const bytes = await image()
    const answers = await Promise.all(Array.from({ length: 6 }, () => shop.sent('ada', id, bytes)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 422, 422])
    const [refused] = answers.filter(({ status }) => status === 422)
    expect(refused?.body.errors).toEqual([{ path: 'photos', message: 'a comment has at most 4' }])
    expect((await shop.ask(`/comments/${id}`)).body.photos).toHaveLength(4)
    expect(shop.files.size).toBe(8)
    await shop.as('ada', 'DELETE', `/comments/${id}`)
    await eventually(() => expect(shop.files.size).toBe(0))
  })

  test('what is no photo is refused with what to send', async () => {
    const id = await shop.written('ada', 'p3')
    for (const [status, bytes, type] of [
      [422, 'no picture', 'image/png'],
      [422, '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>', 'image/jpeg'],
      [415, await image('gif'), 'image/gif'],
      [415, '{}', 'application/json'],
      [400, '', 'image/png'],
      [413, new Uint8Array(10 * 1024 * 1024 + 1), 'image/jpeg'],
    ] as const) {
      const answer = await shop.sent('ada', id, bytes, type)
      expect([answer.status, answer.body.code]).toEqual([status, expect.any(String)])
    }
    expect((await shop.ask(`/comments/${id}/photos/${'x'.repeat(22)}?size=huge`)).body.errors[0].path).toBe('size')
    expect(await shop.seen(undefined, `/comments/${id}/photos/..%2Fsecret`)).toEqual([400, 'no-store'])
    expect(shop.files.size).toBe(0)
  })

  test('are the author’s and the writer’s to add, and no stranger’s', async () => {
    const id = await shop.written('ada', 'p4')
    const bytes = await image()
    expect((await shop.sent('ben', id, bytes)).status).toBe(403)
    expect((await shop.sent(undefined, id, bytes)).status).toBe(401)
    const byToken = { 'content-type': 'image/jpeg' }
    expect((await shop.send('POST', `/comments/${id}/photos`, undefined, byToken)).status).toBe(400)
    const { body } = await shop.sent('ada', id, bytes)
    expect((await shop.as('ben', 'DELETE', `/comments/${id}/photos/${body.photos[0].id}`)).status).toBe(403)
    expect((await shop.send('DELETE', `/comments/${id}/photos/${body.photos[0].id}`)).status).toBe(204)
    expect((await shop.ask(`/comments/${id}`)).body.photos).toEqual([])
  })

  test('of a comment that a moderator hides are seen by its author and moderators alone, and come back with it', async () => {
    const id = await shop.written('ada', 'p5')
    const { body } = await shop.sent('ada', id, await image())
    const path = `/comments/${id}/photos/${body.photos[0].id}`
    await eventually(async () => expect(await shop.gallery('p5')).toEqual([id]))
    expect((await shop.as('mod', 'PUT', `/comments/${id}/place`, { place: 'hidden' })).status).toBe(200)
    await eventually(async () => expect(await shop.gallery('p5')).toEqual([]))
    for (const who of [undefined, 'ben']) expect(await shop.seen(who, path)).toEqual([404, 'no-store'])
    for (const who of ['ada', 'mod']) expect(await shop.seen(who, path)).toEqual([200, 'private, no-store'])
    const byToken = async (token: string) =>
      (await shop.app.request(path, { headers: { authorization: `Bearer ${token}` } })).status
    // A shop may know its people by such a header, too.
    const byBoth = (who: string) =>
      shop.app.request(path, { headers: { 'x-person': who, authorization: 'Bearer a-token-of-the-shop' } })
    expect([(await byBoth('ada')).status, (await byBoth('ben')).status]).toEqual([200, 404])
    expect([await byToken(ADMIN), await byToken(WRITER), await byToken('x'.repeat(16))]).toEqual([200, 403, 401])
    await shop.as('mod', 'PUT', `/comments/${id}/place`, { place: 'shown' })
    await eventually(async () => expect(await shop.gallery('p5')).toEqual([id]))
    expect(await shop.seen(undefined, path)).toEqual([200, 'public, max-age=300'])
  })

  test('an answer of the shop, also one from before there were photos, stays beside them', async () => {
    const { comments } = shop.services
    const id = await shop.written('eve', 'p6')
    const answer = { text: 'Thank you', answeredAt: '2026-01-02T03:04:05.678Z' }
    // Every item of the comment, in each layout.
    const { table } = comments.context
    const { Items = [] } = await table.send(new ScanCommand({ TableName: table.tableName }))
    for (const { PK, SK } of Items.filter((each) => each.i?.S === id && each.l !== undefined)) {
      await table.send(
        new UpdateItemCommand({
          TableName: table.tableName,
          Key: { PK: PK as AttributeValue, SK: SK as AttributeValue },
          UpdateExpression: 'SET n = :answer, d = :yes',
          ExpressionAttributeValues: {
            ':answer': { M: { text: { S: answer.text }, answeredAt: { S: answer.answeredAt } } },
            ':yes': { BOOL: true },
          },
        }),
      )
    }
    expect((await shop.ask(`/comments/${id}`)).body).toMatchObject({ answer, photos: [] })
    expect((await shop.ask('/products/p6/comments')).body.items).toMatchObject([{ answer, photos: [] }])
    const { body } = await shop.sent('eve', id, await image())
    expect(body).toMatchObject({ answer, photos: [{ width: 320 }] })
    await shop.as('mod', 'DELETE', `/comments/${id}/answer`)
    expect((await shop.ask(`/comments/${id}`)).body).toMatchObject({ answer: null, photos: body.photos })
  })
})

describe('a storage that fails', () => {
  const { photos, files } = memoryPhotos()
  const app = useTestApp(undefined, CHOSEN, undefined, {
    photos: openPhotos({
      write: async (name) => {
        if (name.includes('small')) throw new Error('the disk is full')
        files.set(name, new Uint8Array())
      },
      read: () => Promise.reject(new Error('away')),
      remove: async (name) => void files.delete(name),
    }),
  })

  test('is told as unavailable, and keeps no half of a photo', async () => {
    const { body } = await app.send('POST', '/products/f1/comments', newComment())
    const headers = { authorization: `Bearer ${WRITER}`, 'content-type': 'image/jpeg' }
    const path = `/comments/${body.id}/photos`
    const answer = await app.ask(path, { method: 'POST', body: await image(), headers })
    expect([answer.status, answer.body.code, files.size]).toEqual([503, 'unavailable', 0])
    const photo = await photos.take(await image())
    await app.services.comments.patch(body.id, { attached: { photos: [photo] } })
    expect((await app.ask(`${path}/${photo.id}`)).status).toBe(503)
  })
})

describe('photos over HTTP, where comments wait', () => {
  const shop = useShop('wait')

  test('a photo takes a comment back to the moderators, and shows with it', async () => {
    const id = await shop.written('ada', 'w1')
    await shop.as('mod', 'PUT', `/comments/${id}/place`, { place: 'shown' })
    const { status, body } = await shop.sent('ada', id, await image())
    expect(status).toBe(202)
    const path = `/comments/${id}/photos/${body.photos[0].id}`
    expect((await shop.seen(undefined, path))[0]).toBe(404)
    expect(await shop.gallery('w1')).toEqual([])
    await shop.as('mod', 'PUT', `/comments/${id}/place`, { place: 'shown' })
    expect((await shop.seen(undefined, path))[0]).toBe(200)
    await eventually(async () => expect(await shop.gallery('w1')).toEqual([id]))
    expect((await shop.as('ada', 'DELETE', '/products/w1/own-comment')).status).toBe(204)
    await eventually(() => expect(shop.files.size).toBe(0))
    expect(await shop.gallery('w1')).toEqual([])
  })
})
