import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testEngines } from '../../../test/engines/index.ts'
import { openStudioHarness, type StudioHarness, someOrders } from './studio-harness.ts'

describe.each(testEngines())('an item on $name', (engine) => {
  let harness: StudioHarness
  const [sample] = someOrders(1)

  beforeAll(async () => {
    harness = await openStudioHarness({ engine })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const made = async (id: string, more: object = {}) =>
    harness.lapidary.orders.create({ ...(sample as typeof sample & object), id, ...more } as never) as Promise<
      Record<string, unknown>
    >
  const stored = (id: string) => harness.lapidary.orders.get(id) as Promise<Record<string, unknown>>

  /** Opens the form of an item. */
  const form = async (id: string, collection = 'orders') => {
    const html = await (await harness.get(`/c/${collection}/item?${new URLSearchParams({ id })}`)).text()
    const seen = /name="seen" value="([^"]*)"/.exec(html)?.[1] ?? ''
    return {
      html,
      seen,
      item: JSON.parse(unescaped(/<textarea id="item-json"[^>]*>\n([\s\S]*?)<\/textarea>/.exec(html)?.[1] ?? 'null')),
    }
  }
  const save = (id: string, item: unknown, seen: string, collection = 'orders') =>
    harness.post(`/c/${collection}/item?${new URLSearchParams({ id })}`, {
      item: typeof item === 'string' ? item : JSON.stringify(item),
      seen,
    })

  it('is changed where the text is, and nothing else of it is written', async () => {
    const photo = new Uint8Array([0, 1, 2, 255])
    const amount = '12345678901234567890.123456789012345678'
    await made('e1', { photo, amount, labels: new Set(['a', 'b']) })
    const { item, seen, html } = await form('e1')
    expect(item).toMatchObject({ photo: 'AAEC/w==', amount, labels: ['a', 'b'] })
    expect(html).toContain('bytes, in base64')
    const answer = await save('e1', { ...item, status: 'LOST', note: 'by parcel' }, seen)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/c/orders/item?id=e1&done=saved'])
    const after = await stored('e1')
    expect(after).toMatchObject({ status: 'LOST', note: 'by parcel', version: 2, amount })
    expect(new Uint8Array(after.photo as Uint8Array)).toEqual(photo)
    expect(after.labels).toEqual(new Set(['a', 'b']))
    const again = await form('e1')
    expect((await save('e1', { ...again.item, photo: 'AQI=', labels: ['c'] }, again.seen)).status).toBe(303)
    expect(new Uint8Array((await stored('e1')).photo as Uint8Array)).toEqual(new Uint8Array([1, 2]))
    expect((await stored('e1')).labels).toEqual(new Set(['c']))
  })

  it('loses an attribute that the text lacks, and is not written where nothing changed', async () => {
    await made('e2', { note: 'away' })
    const { item, seen } = await form('e2')
    const { note: _, ...rest } = item
    expect((await save('e2', rest, seen)).status).toBe(303)
    expect(await stored('e2')).not.toHaveProperty('note')
    const again = await form('e2')
    const answer = await save('e2', again.item, again.seen)
    expect(answer.headers.get('location')).toContain('done=same')
    expect(await stored('e2')).toMatchObject({ version: 2 })
  })

  it('that another has changed is not written over, and shows what it is now', async () => {
    await made('e3')
    const { item, seen } = await form('e3')
    await harness.lapidary.orders.patch('e3', { country: 'it' } as never)
    const answer = await save('e3', { ...item, status: 'LOST' }, seen)
    const html = await answer.text()
    expect(answer.status).toBe(412)
    expect(html).toContain('version_conflict')
    expect(html).toContain('&quot;it&quot;')
    expect(await stored('e3')).toMatchObject({ country: 'it', version: 2, status: item.status })
    expect((await harness.post('/c/orders/delete?id=e3', { seen })).status).toBe(412)
    expect(await stored('e3')).toBeDefined()
  })

  it('without a version is not written over either', async () => {
    await harness.lapidary.notes.create({
      id: 'n1',
      list: 'l',
      at: '2026-01-01T00:00:00.000Z',
      kind: 'a',
      text: 'mine',
    })
    const { item, seen } = await form('n1', 'notes')
    await harness.lapidary.notes.patch('n1', { text: 'theirs' } as never)
    expect((await save('n1', { ...item, kind: 'b' }, seen, 'notes')).status).toBe(412)
    const now = await form('n1', 'notes')
    expect((await save('n1', { ...now.item, kind: 'b' }, now.seen, 'notes')).status).toBe(303)
    expect(await harness.lapidary.notes.get('n1')).toMatchObject({ kind: 'b', text: 'theirs' })
  })

  it.each([
    ['a wrong value', { status: 'NEVER' }, 422, 'status'],
    ['a missing attribute', { country: undefined }, 422, 'country'],
    ['another id', { id: 'other' }, 422, 'id'],
    ['a kept attribute', { version: 99 }, 422, 'version'],
  ])(
    'with %s is refused by the library’s own check, which names the attribute, and what was typed stays',
    async (what, change, status, name) => {
      const id = `wrong ${what}`
      await made(id)
      const { item, seen } = await form(id)
      const answer = await save(id, { ...item, ...change, note: 'typed by me' }, seen)
      const html = await answer.text()
      expect([what, answer.status]).toEqual([what, status])
      expect(html).toMatch(new RegExp(`role="alert"[\\s\\S]*?${name}`))
      expect(html).toContain('typed by me')
      expect(await stored(id)).toEqual(expect.objectContaining({ version: 1 }))
    },
  )

  it.each(['{', '[]', '"text"', 'null', '', '{"price": 12345678901234567890}', '{"price": 0.12345678901234567890}'])(
    'typed as %s is refused',
    async (text) => {
      const id = 'typed'
      if ((await harness.get('/c/orders/item?id=typed')).status === 404) await made(id)
      const { seen } = await form(id)
      const answer = await save(id, text, seen)
      expect(answer.status).toBe(400)
      expect(await answer.text()).toContain('role="alert"')
    },
  )

  it('is made from a text, once', async () => {
    const html = await (await harness.get('/c/orders/new?scope=c9')).text()
    expect(html).toContain('&quot;customer&quot;: &quot;c9&quot;')
    const { id: _, ...rest } = sample as typeof sample & object
    const answer = await harness.post('/c/orders/new', { item: JSON.stringify({ ...rest, customer: 'c9' }) })
    const location = answer.headers.get('location') ?? ''
    expect(answer.status).toBe(303)
    const id = new URL(location, harness.origin).searchParams.get('id') ?? ''
    expect(await stored(id)).toMatchObject({ customer: 'c9', version: 1 })
    const twice = await harness.post('/c/orders/new', { item: JSON.stringify({ ...rest, id }) })
    expect(twice.status).toBe(409)
    expect(await twice.text()).toContain('already_exists')
    const wrong = await harness.post('/c/orders/new', { item: '{"customer": "c9"}' })
    expect(wrong.status).toBe(422)
    expect(await wrong.text()).toContain('<code>status</code>')
  })

  it('is deleted after it was asked for', async () => {
    await made('gone')
    const html = await (await harness.get('/c/orders/delete?id=gone')).text()
    const seen = /name="seen" value="([^"]*)"/.exec(html)?.[1] ?? ''
    const answer = await harness.post('/c/orders/delete?id=gone', { seen })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/c/orders?scope=c1'])
    expect((await harness.get('/c/orders/item?id=gone')).status).toBe(404)
    expect((await harness.post('/c/orders/delete?id=gone', { seen })).status).toBe(404)
  })

  it('shows the lists that it is in, as its indexes have them, and keys that are not so', async () => {
    await made('in lists', { tags: ['gift', 'new'] })
    const { html } = await form('in lists')
    for (const index of ['all', 'byStatus', 'byPrice']) expect(html).toContain(`<b>${index}</b>`)
    expect(html).toContain('In 3 lists')
    expect(html).not.toContain('not stored so')
    await harness.writeRaw('in lists', 'k', { S: 'ORDER/elsewhere' })
    expect((await form('in lists')).html).toContain('not stored so')
  })

  it('that can’t be read is named by its list, shown as it is stored, and can be deleted', async () => {
    await made('u1', { customer: 'odd' })
    await harness.writeRaw('u1', 'weight', { N: '0.10000000000000000000000000000000000001' })
    const list = await (await harness.get('/c/orders?scope=odd')).text()
    expect(list).toContain('0.10000000000000000000000000000000000001')
    expect(list).toContain('/c/orders/item?id=u1')
    const html = await (await harness.get('/c/orders/item?id=u1')).text()
    expect(html).toContain('Lists leave this item out')
    expect(html).toContain('&quot;N&quot;: &quot;0.10000000000000000000000000000000000001&quot;')
    expect(html).not.toContain('<textarea id="item-json"')
    const asked = await (await harness.get('/c/orders/delete?id=u1')).text()
    const seen = /name="seen" value="([^"]*)"/.exec(asked)?.[1] ?? ''
    expect((await harness.post('/c/orders/delete?id=u1', { seen })).status).toBe(303)
    expect((await harness.get('/c/orders/item?id=u1')).status).toBe(404)
    expect(harness.reported).toEqual([])
  })
})

function unescaped(html: string): string {
  return html
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
