import { describe, expect, test } from 'vitest'
import type { Person } from '../../src/people/person.ts'
import { ADMIN, CHOSEN, newComment, useTestApp, WRITER } from '../test-app.ts'

/** The people of the tests: the name in a header, as a gateway before the application would send it. */
const identify = async (request: Request): Promise<Person | undefined> => {
  const name = request.headers.get('x-person')
  if (name === 'broken') throw new Error('the identity provider is away')
  return name === null ? undefined : { id: `secret-id-of-${name}`, name, isModerator: name === 'Mod' }
}
const identity = {
  identify,
  purchased: async ({ name }: Person, productId: string) => name === 'Ada' && productId === 'bought',
}

const as = (name: string) => ({ authorization: '', 'x-person': name })
const FIELDS = { language: 'en', rating: 4, title: 'Fine', text: 'It works.' }

function useShop(moderation: 'show' | 'wait') {
  const app = useTestApp(undefined, CHOSEN, undefined, { identity, moderation })
  const send = (who: string, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    app.ask(path, {
      method,
      headers: { 'x-person': who, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  return { ...app, as: send }
}

describe('people over HTTP, where comments show at once', () => {
  const shop = useShop('show')

  test('write one comment a product under their name, change it and delete it', async () => {
    const path = '/products/bought/own-comment'
    expect((await shop.as('Ada', 'GET', path)).status).toBe(404)
    const first = await shop.as('Ada', 'PUT', path, FIELDS)
    expect([first.status, first.body.place]).toEqual([201, 'shown'])
    expect(first.body.comment).toMatchObject({ ...FIELDS, author: 'Ada', verified: true, productId: 'bought' })
    const again = await shop.as('Ada', 'PUT', path, { ...FIELDS, rating: 2 })
    expect([again.status, again.body.comment.id]).toEqual([200, first.body.comment.id])
    expect((await shop.as('Ben', 'PUT', path, FIELDS)).body.comment.verified).toBe(false)
    expect((await shop.ask('/products/bought/comments')).body.items).toHaveLength(2)
    expect((await shop.as('Ada', 'DELETE', path)).status).toBe(204)
    expect((await shop.as('Ada', 'GET', path)).status).toBe(404)
  })

  test('two first requests at once make one comment, and both succeed', async () => {
    const put = (rating: number) => shop.as('Ada', 'PUT', '/products/twice/own-comment', { ...FIELDS, rating })
    const answers = await Promise.all([put(1), put(2), put(3)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201])
    expect((await shop.ask('/products/twice/comments')).body.items).toHaveLength(1)
  })

  test('change and delete their own by its address, on the condition of its version, and nobody else’s', async () => {
    const { body } = await shop.as('Ada', 'PUT', '/products/own/own-comment', FIELDS)
    const path = `/comments/${body.comment.id}`
    const stranger = await shop.as('Ben', 'PATCH', path, { text: 'mine now' })
    expect([stranger.status, stranger.body.code]).toEqual([403, 'forbidden'])
    expect((await shop.as('Ben', 'DELETE', path)).status).toBe(403)
    expect((await shop.ask(path, { method: 'DELETE' })).status).toBe(401)
    expect((await shop.as('Ada', 'PATCH', path, { text: 'new' }, { 'if-match': '"9"' })).status).toBe(412)
    const changed = await shop.as('Ada', 'PATCH', path, { text: 'new' }, { 'if-match': '"1"' })
    expect([changed.status, changed.body.text, changed.headers.get('etag')]).toEqual([200, 'new', '"2"'])
    expect((await shop.as('Ada', 'PATCH', path, { verified: true })).status).toBe(422)
    expect((await shop.as('Ada', 'DELETE', path)).status).toBe(204)
    expect((await shop.as('Ada', 'DELETE', path)).status).toBe(404)
  })

  test('machines write by token as ever, also beside people', async () => {
    const made = await shop.send('POST', '/products/machines/comments', newComment())
    expect(made.status).toBe(201)
    expect((await shop.as('Ada', 'POST', '/products/machines/comments', newComment())).status).toBe(401)
    const path = `/comments/${made.body.id}`
    expect((await shop.send('PATCH', path, { rating: 1 })).status).toBe(200)
    expect((await shop.send('DELETE', path)).status).toBe(403)
    expect((await shop.send('DELETE', path, undefined, { authorization: `Bearer ${ADMIN}` })).status).toBe(204)
  })

  test('an admin who deletes a person’s comment makes room for another', async () => {
    const put = () => shop.as('Ada', 'PUT', '/products/room/own-comment', FIELDS)
    const { body } = await put()
    const admin = { authorization: `Bearer ${ADMIN}` }
    expect((await shop.send('DELETE', `/comments/${body.comment.id}`, undefined, admin)).status).toBe(204)
    expect((await put()).status).toBe(201)
  })

  test('report a comment, which moderators see without who reported it, and settle', async () => {
    const { body } = await shop.as('Ada', 'PUT', '/products/reported/own-comment', FIELDS)
    const { id } = body.comment
    const report = (who: string) => shop.as(who, 'POST', `/comments/${id}/reports`, { reason: 'abuse', text: 'rude' })
    expect((await shop.ask(`/comments/${id}/reports`, { method: 'POST' })).status).toBe(401)
    expect((await report('Ada')).status).toBe(403)
    expect((await report('Ben')).status).toBe(204)
    expect((await report('Ben')).status).toBe(204)
    expect((await shop.as('Ben', 'GET', '/moderation/cases')).status).toBe(401)
    const { body: queue } = await shop.as('Mod', 'GET', '/moderation/cases?state=reported')
    expect(queue.items).toMatchObject([{ id, state: 'reported', reports: [{ reason: 'abuse', text: 'rude' }] }])
    expect(JSON.stringify(queue)).not.toContain('secret-id')
    const kept = await shop.as('Mod', 'PUT', `/comments/${id}/place`, { place: 'shown' })
    expect(kept.body).toMatchObject({ place: 'shown' })
    expect((await shop.as('Mod', 'GET', '/moderation/cases?state=reported')).body.items).toEqual([])
    expect((await shop.as('Mod', 'GET', `/moderation/cases/${id}`)).body.state).toBe('settled')
  })

  test('a moderator hides a comment, answers it and shows it again, by the admin’s token too', async () => {
    const { body } = await shop.as('Ada', 'PUT', '/products/hidden/own-comment', FIELDS)
    const { id } = body.comment
    const admin = { authorization: `Bearer ${ADMIN}` }
    const place = (to: string) => shop.send('PUT', `/comments/${id}/place`, { place: to, note: 'too loud' }, admin)
    expect((await shop.send('PUT', `/comments/${id}/place`, { place: 'hidden' })).status).toBe(403)
    expect((await place('hidden')).body).toMatchObject({ place: 'hidden', note: 'too loud' })
    expect((await shop.ask(`/comments/${id}`)).status).toBe(404)
    expect((await shop.ask('/products/hidden/comments')).body.items).toEqual([])
    expect((await shop.as('Ben', 'PATCH', `/comments/${id}`, { text: 'x' })).status).toBe(404)
    expect((await shop.as('Ben', 'POST', `/comments/${id}/reports`, { reason: 'spam' })).status).toBe(404)
    expect((await shop.as('Ada', 'GET', '/products/hidden/own-comment')).body).toMatchObject({
      ...{ place: 'hidden', note: 'too loud' },
    })
    expect((await shop.send('PUT', `/comments/${id}/answer`, { text: 'Sorry' }, admin)).status).toBe(204)
    await place('shown')
    expect((await shop.ask(`/comments/${id}`)).body).toMatchObject({
      answer: { text: 'Sorry' },
      createdAt: body.comment.createdAt,
    })
    expect((await shop.as('Mod', 'DELETE', `/comments/${id}/answer`)).status).toBe(204)
    expect((await shop.ask(`/comments/${id}`)).body.answer).toBeNull()
    expect((await shop.send('PUT', '/comments/none/place', { place: 'hidden' }, admin)).status).toBe(404)
  })

  test('a moderator is shown what readers see, where an import has written a hidden comment again', async () => {
    const { body } = await shop.as('Ada', 'PUT', '/products/imported/own-comment', FIELDS)
    const { id } = body.comment
    await shop.as('Mod', 'PUT', `/comments/${id}/place`, { place: 'hidden' })
    await shop.services.comments.create({ ...body.comment, text: 'Imported.' })
    expect((await shop.as('Mod', 'GET', `/moderation/cases/${id}`)).body.comment.text).toBe('Imported.')
    const { body: queue } = await shop.as('Mod', 'GET', '/moderation/cases?state=hidden')
    expect(queue.items).toMatchObject([{ id, comment: { text: 'Imported.' } }])
    await shop.services.comments.delete(id)
    expect((await shop.as('Mod', 'GET', `/moderation/cases/${id}`)).body.comment.text).toBe(FIELDS.text)
  })

  test('what the page of another site sends with a person’s cookies is refused', async () => {
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ] as Record<string, string>[]) {
      const { status, body } = await shop.as('Ada', 'PUT', '/products/csrf/own-comment', FIELDS, headers)
      expect([status, body.code], JSON.stringify(headers)).toEqual([403, 'forbidden'])
    }
    const own = { 'sec-fetch-site': 'same-origin', origin: 'https://shop.example' }
    expect((await shop.as('Ada', 'PUT', '/products/csrf/own-comment', FIELDS, own)).status).toBe(201)
    const form = { 'content-type': 'text/plain' }
    expect((await shop.as('Ada', 'PUT', '/products/csrf/own-comment', FIELDS, form)).status).toBe(415)
  })

  test('who can’t be asked for keeps nobody from reading, and lets nobody write', async () => {
    expect((await shop.ask('/products/bought/comments', { headers: { 'x-person': 'broken' } })).status).toBe(200)
    const { status, body } = await shop.as('broken', 'PUT', '/products/x/own-comment', FIELDS)
    expect([status, body.code]).toEqual([503, 'unavailable'])
    expect(JSON.stringify(body)).not.toContain('identity provider')
  })

  test('a person who writes too often waits, and others do not', async () => {
    const put = (who: string, i: number) => shop.as(who, 'PUT', `/products/often-${i}/own-comment`, FIELDS)
    for (let i = 0; i < 20; i++) expect((await put('Eager', i)).status).toBe(201)
    const { status, body, headers } = await put('Eager', 20)
    expect([status, body.code]).toEqual([429, 'rate_limited'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await put('Calm', 0)).status).toBe(201)
  })

  test('no answer tells a person’s id', async () => {
    const { body } = await shop.as('Ada', 'PUT', '/products/private/own-comment', FIELDS)
    for (const path of [
      '/products/private/comments?explain=true',
      '/products/private/highlights',
      '/products/private/comments/~/~',
      `/comments/${body.comment.id}`,
      '/products/private/own-comment',
    ])
      expect(JSON.stringify((await shop.as('Ada', 'GET', path)).body), path).not.toContain('secret-id')
  })
})

describe('people over HTTP, where comments wait', () => {
  const shop = useShop('wait')

  test('a new comment, and a changed one, is nowhere until a moderator shows it', async () => {
    const path = '/products/waits/own-comment'
    const { status, body } = await shop.as('Ada', 'PUT', path, FIELDS)
    expect([status, body.place]).toEqual([202, 'waiting'])
    const { id } = body.comment
    const shown = async () => (await shop.ask('/products/waits/comments')).body.items.length
    expect([await shown(), (await shop.ask(`/comments/${id}`)).status]).toEqual([0, 404])
    expect((await shop.as('Mod', 'GET', '/moderation/cases')).body.items).toMatchObject([{ id, state: 'waiting' }])
    await shop.as('Mod', 'PUT', `/comments/${id}/place`, { place: 'shown' })
    expect(await shown()).toBe(1)
    const changed = await shop.as('Ada', 'PATCH', `/comments/${id}`, { text: 'Buy at evil.example' })
    expect([changed.status, await shown()]).toEqual([202, 0])
    await shop.as('Mod', 'PUT', `/comments/${id}/place`, { place: 'rejected', note: 'no advertising' })
    expect((await shop.as('Ada', 'GET', path)).body).toMatchObject({ place: 'rejected', note: 'no advertising' })
    expect((await shop.as('Ada', 'PUT', path, FIELDS)).body.place).toBe('waiting')
  })

  test('the queue has pages, those that wait longest first', async () => {
    for (const name of ['A', 'B', 'C']) await shop.as(name, 'PUT', '/products/queue/own-comment', FIELDS)
    const seen: string[] = []
    let cursor = ''
    for (;;) {
      const { body } = await shop.as('Mod', 'GET', `/moderation/cases?limit=1&cursor=${encodeURIComponent(cursor)}`)
      seen.push(...body.items.map((each: { comment: { author: string } }) => each.comment.author))
      if (body.cursors.next === null) break
      cursor = body.cursors.next
    }
    expect(seen.slice(-3)).toEqual(['A', 'B', 'C'])
    expect((await shop.as('Mod', 'GET', '/moderation/cases?state=nonsense')).status).toBe(400)
  })

  test('machines’ comments do not wait', async () => {
    const { body } = await shop.send('POST', '/products/m/comments', newComment(), {
      authorization: `Bearer ${WRITER}`,
    })
    expect((await shop.ask(`/comments/${body.id}`)).status).toBe(200)
  })
})

describe('where the shop fails', () => {
  const settings = {
    identity: { identify, purchased: async (_: Person, id: string) => (id === 'counted' ? 1 : true) as boolean },
    catalogue: {
      get: async (id: string) => {
        if (id === 'away') throw new Error('the catalogue is away')
        return id === 'none' ? undefined : { id, name: id }
      },
      find: () => [],
    },
  }
  const shop = useTestApp(undefined, CHOSEN, undefined, settings)
  const put = (id: string) => shop.send('PUT', `/products/${id}/own-comment`, FIELDS, as('Ada'))

  test('a catalogue that is away refuses a comment for now, and one without the product for good', async () => {
    const { status, body, headers } = await put('away')
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'unavailable', '5'])
    expect(JSON.stringify(body)).not.toContain('is away')
    expect(shop.log.join()).toContain('the catalogue is away')
    const unknown = await put('none')
    expect([unknown.status, unknown.body.code]).toEqual([404, 'not_found'])
    expect((await put('known')).status).toBe(201)
  })

  test('an answer to whether they bought it that is none is the fault of the shop, and not of the person', async () => {
    const { status, body, headers } = await put('counted')
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'unavailable', '5'])
    expect(shop.log.join()).toContain('purchased() returned neither true nor false')
  })
})

describe('without people', () => {
  const shop = useTestApp()

  test('nobody is known, whatever cookie they send', async () => {
    const { status } = await shop.send('PUT', '/products/p/own-comment', FIELDS, as('Ada'))
    expect(status).toBe(401)
  })
})
