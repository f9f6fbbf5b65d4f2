import { lookup } from 'lapidary'
import { describe, expect, test } from 'vitest'
import { testEngines } from '../../../test/engines/index.ts'
import { anyOf, defineCollection, type Item, oneOf } from '../src/index.ts'
import { type Comment, comment, comments, schemaOf } from './comments-fixture.ts'
import { openTestTable } from './test-table.ts'

const AWKWARD_IDS = [
  '/',
  '#',
  '~',
  '.',
  '%',
  '%2F',
  'a/b',
  'a#b',
  '..',
  '\u{1F600}',
  '\u{1F600}'.repeat(128),
  ' ',
  'constructor',
  '__proto__',
]

const THINGS = {
  ...{ name: 'THING', schema: schemaOf<Item>(), id: 'id', order: 'at' },
  scope: { name: 'PARENT', attribute: 'parent' },
} as const

/** A comment as a caller sends it: what the library keeps is left out. */
function sent(given: Partial<Comment> = {}): Omit<Comment, 'version' | 'updatedAt'> {
  const { version, updatedAt, ...rest } = comment(given)
  return rest
}

describe.each(testEngines())('writes on $name', (engine) => {
  test('what is created can be got, at version 1', async () => {
    await using table = await openTestTable(engine, { comments })
    const created = await table.lapidary.comments.create(sent())
    expect(created).toEqual(comment())
    expect(await table.lapidary.comments.get('100001')).toEqual(comment())
  })

  test('an id and a time are made when not given, and made ids sort by time', async () => {
    let now = Date.parse('2024-01-01T00:00:00.000Z')
    await using table = await openTestTable(engine, { comments }, { clock: () => now })
    const { id, createdAt, ...rest } = sent()
    const first = await table.lapidary.comments.create(rest)
    now += 1000
    const second = await table.lapidary.comments.create({ ...rest, id: undefined })
    expect(first.createdAt).toBe('2024-01-01T00:00:00.000Z')
    expect(first.id).toMatch(/^[0-9A-Z]{26}$/)
    expect(second.id > first.id).toBe(true)
  })

  test('an id is taken once, also by many at the same time', async () => {
    await using table = await openTestTable(engine, { comments })
    const tries = await Promise.allSettled(
      Array.from({ length: 8 }, (_, i) => table.lapidary.comments.create(sent({ text: `${i}` }))),
    )
    const refused = tries.filter((outcome) => outcome.status === 'rejected')
    expect(refused).toHaveLength(7)
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 'already_exists' })
  })

  test('a patch changes what it names, counts the version and moves the item to its new lists', async () => {
    const clock = () => Date.parse('2024-01-01T00:00:00.000Z')
    await using table = await openTestTable(engine, { comments }, { clock })
    const { lapidary } = table
    await lapidary.comments.create(sent())
    const patched = await lapidary.comments.patch('100001', { rating: 1, language: 'de' })
    expect(patched).toEqual(comment({ rating: 1, language: 'de', version: 2, updatedAt: '2024-01-01T00:00:00.000Z' }))
    const ids = async (where: { language?: string; rating?: 1 | 5 }) =>
      (await lapidary.comments.list({ scope: '42', where })).items.map(({ id }) => id)
    expect(await ids({ language: 'de', rating: 1 })).toEqual(['100001'])
    expect(await ids({ rating: 5 })).toEqual([])
    expect(await ids({ language: 'en' })).toEqual([])
  })

  test('a patch of more attributes than one update can name is refused, and can be made in parts', async () => {
    const wide = defineCollection({
      name: 'WIDE',
      schema: schemaOf<Item>(),
      id: 'id',
      scope: { name: 'BOX', attribute: 'box' },
      order: { attribute: 'place', type: 'number' },
      facets: {},
    })
    await using table = await openTestTable(engine, { wide })
    const many = (from: number, to: number): Item =>
      Object.fromEntries(Array.from({ length: to - from }, (_, i) => [`a${from + i}`, i]))
    await table.lapidary.wide.create({ id: '1', box: 'b', place: 1 })
    await expect(table.lapidary.wide.patch('1', many(0, 400))).rejects.toMatchObject({
      code: 'unprocessable',
      message: expect.stringContaining('several patches'),
    })
    await table.lapidary.wide.patch('1', many(0, 280))
    await table.lapidary.wide.patch('1', many(280, 400))
    expect(Object.keys((await table.lapidary.wide.get('1')) as Item)).toHaveLength(403)
  })

  test('a patch that changes nothing writes nothing', async () => {
    await using table = await openTestTable(engine, { comments })
    await table.lapidary.comments.create(sent())
    expect(await table.lapidary.comments.patch('100001', { rating: 5 })).toEqual(comment())
  })

  test('what DynamoDB holds as it is there already is no change: 0 and -0, also in a list, and a set in another order', async () => {
    type Part = {
      id: string
      box: string
      at: string
      size: number
      sizes: number[]
      tags: Set<string>
      note?: string | undefined
    }
    const parts = defineCollection({
      ...{ name: 'PART', schema: schemaOf<Part>(), id: 'id', order: 'at', facets: {} },
      scope: { name: 'BOX', attribute: 'box' },
    })
    await using table = await openTestTable(engine, { parts })
    const { parts: client } = table.lapidary
    const part = {
      id: '1',
      box: 'b',
      at: '2024-01-01T00:00:00.000Z',
      size: 0,
      sizes: [0, 1],
      tags: new Set(['a', 'b']),
    }
    await client.create(part)
    const same = { size: -0, sizes: [-0, 1], tags: new Set(['b', 'a']) }
    expect((await client.writes.patch('1', same)).writes).toEqual([])
    expect((await client.writes.replace({ ...part, ...same, note: undefined })).writes).toEqual([])
    for (const change of [{ size: 1 }, { sizes: [1, -0] }, { tags: new Set(['a']) }, { note: '' }])
      expect((await client.writes.patch('1', change)).writes, JSON.stringify(change)).toHaveLength(1)
    await expect(client.patch('1', { size: Number.NaN })).rejects.toMatchObject({ code: 'unprocessable' })
  })

  test('patches of different attributes at the same time keep both, and count each', async () => {
    await using table = await openTestTable(engine, { comments })
    const { comments: client } = table.lapidary
    await client.create(sent())
    await Promise.all([
      client.patch('100001', { rating: 2 }),
      client.patch('100001', { text: 'Bad.' }),
      client.patch('100001', { language: 'fr' }),
    ])
    expect(await client.get('100001')).toMatchObject({ rating: 2, text: 'Bad.', language: 'fr', version: 4 })
  })

  test('a change of another version is refused, and changes nothing', async () => {
    await using table = await openTestTable(engine, { comments })
    const { comments: client } = table.lapidary
    await client.create(sent())
    await client.patch('100001', { rating: 4 }, { ifVersion: 1 })
    await expect(client.patch('100001', { rating: 1 }, { ifVersion: 1 })).rejects.toMatchObject({
      code: 'version_conflict',
    })
    await expect(client.delete('100001', { ifVersion: 1 })).rejects.toMatchObject({ code: 'version_conflict' })
    expect(await client.get('100001')).toMatchObject({ rating: 4, version: 2 })
    await client.delete('100001', { ifVersion: 2 })
    await expect(client.get('100001')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('of many changes of one version, one is made', async () => {
    await using table = await openTestTable(engine, { comments })
    const { comments: client } = table.lapidary
    await client.create(sent())
    const tries = await Promise.allSettled(
      ([1, 2, 3, 4] as const).map((rating) => client.patch('100001', { rating }, { ifVersion: 1 })),
    )
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('what was deleted is gone from every list, and deleting it again finds nothing', async () => {
    await using table = await openTestTable(engine, { comments })
    const { comments: client } = table.lapidary
    await client.create(sent())
    await client.delete('100001')
    expect((await client.list({ scope: '42' })).items).toEqual([])
    await expect(client.delete('100001')).rejects.toMatchObject({ code: 'not_found' })
    await expect(client.patch('100001', { rating: 1 })).rejects.toMatchObject({ code: 'not_found' })
  })

  test.each(['', 'x'.repeat(513), '#'.repeat(2000), '\uD83D'])('nothing has the id %j', async (id) => {
    await using table = await openTestTable(engine, { comments })
    const { comments: client } = table.lapidary
    await expect(client.get(id)).rejects.toMatchObject({ code: 'not_found' })
    await expect(client.patch(id, { rating: 1 })).rejects.toMatchObject({ code: 'not_found' })
    await expect(client.delete(id)).rejects.toMatchObject({ code: 'not_found' })
    if (id !== '') await expect(client.create(sent({ id }))).rejects.toMatchObject({ code: 'unprocessable' })
  })

  test('what the library keeps can’t be changed', async () => {
    await using table = await openTestTable(engine, { comments })
    await table.lapidary.comments.create(sent())
    await expect(
      table.lapidary.comments.patch('100001', { id: '2', updatedAt: null, version: 9 }),
    ).rejects.toMatchObject({
      code: 'unprocessable',
      details: { errors: [{ path: 'id' }, { path: 'updatedAt' }, { path: 'version' }] },
    })
  })

  describe('with an idempotency key', () => {
    test('the same item again gets the first answer, also at the same time', async () => {
      await using table = await openTestTable(engine, { comments })
      const { comments: client } = table.lapidary
      const { id, createdAt, ...body } = sent()
      const answers = await Promise.all(Array.from({ length: 6 }, () => client.create(body, { idempotencyKey: 'k/1' })))
      for (const answer of answers) expect(answer).toEqual(answers[0])
      expect((await client.list({ scope: '42' })).items).toHaveLength(1)
      const reordered = Object.fromEntries(Object.entries(body).reverse()) as typeof body
      expect(await client.create(reordered, { idempotencyKey: 'k/1' })).toEqual(answers[0])
    })

    test('the first answer stays the first answer when the item has changed since', async () => {
      await using table = await openTestTable(engine, { comments })
      const { comments: client } = table.lapidary
      const first = await client.create(sent(), { idempotencyKey: 'k' })
      await client.patch('100001', { rating: 1 })
      expect(await client.create(sent(), { idempotencyKey: 'k' })).toEqual(first)
    })

    test('another item is a mismatch, and another key finds the id taken', async () => {
      await using table = await openTestTable(engine, { comments })
      const { comments: client } = table.lapidary
      await client.create(sent(), { idempotencyKey: 'k' })
      await expect(client.create(sent({ rating: 1 }), { idempotencyKey: 'k' })).rejects.toMatchObject({
        code: 'idempotency_mismatch',
      })
      await expect(client.create(sent(), { idempotencyKey: 'other' })).rejects.toMatchObject({ code: 'already_exists' })
    })

    test.each<[string, unknown, unknown, unknown]>([
      ['sets', new Set(['a', 'b']), new Set(['b', 'a']), new Set(['a', 'c'])],
      ['maps', new Map([['a', 1]]), new Map([['a', 1]]), new Map([['a', 2]])],
      ['large numbers', 2n ** 60n, 2n ** 60n, 2n ** 60n + 1n],
      ['bytes', new Uint8Array([1, 2]).buffer, new Uint8Array([1, 2]).buffer, new Uint8Array([1, 3]).buffer],
    ])('items that differ only in %s are other items', async (_, first, same, other) => {
      await using table = await openTestTable(engine, { things: defineCollection({ ...THINGS, facets: {} }) })
      const { things: client } = table.lapidary
      const thing = (held: unknown) => ({ id: '1', parent: 'p', at: '2024-01-01T00:00:00.000Z', held })
      await client.create(thing(first), { idempotencyKey: 'k' })
      expect(await client.create(thing(same), { idempotencyKey: 'k' })).toMatchObject({ id: '1' })
      await expect(client.create(thing(other), { idempotencyKey: 'k' })).rejects.toMatchObject({
        code: 'idempotency_mismatch',
      })
    })

    test('a key is free again after a day', async () => {
      let now = Date.parse('2024-01-01T00:00:00.000Z')
      await using table = await openTestTable(engine, { comments }, { clock: () => now })
      const { comments: client } = table.lapidary
      await client.create(sent(), { idempotencyKey: 'k' })
      now += 24 * 3600 * 1000 - 1000
      await expect(client.create(sent({ id: '2' }), { idempotencyKey: 'k' })).rejects.toMatchObject({
        code: 'idempotency_mismatch',
      })
      now += 1000
      expect(await client.create(sent({ id: '2' }), { idempotencyKey: 'k' })).toMatchObject({ id: '2' })
    })

    test.each(['', 'x'.repeat(513)])('the key %j is refused', async (idempotencyKey) => {
      await using table = await openTestTable(engine, { comments })
      await expect(table.lapidary.comments.create(sent(), { idempotencyKey })).rejects.toMatchObject({
        code: 'unprocessable',
      })
    })
  })

  test('what DynamoDB can not hold is refused in words, alone and in a transaction', async () => {
    await using table = await openTestTable(engine, { things: defineCollection({ ...THINGS, facets: {} }) })
    const { things: client } = table.lapidary
    const thing = (held: unknown) => ({ id: '1', parent: 'p', at: '2024-01-01T00:00:00.000Z', held })
    const deep = Array.from({ length: 40 }).reduce<unknown>((inner) => [inner], 1)
    const texts = ['\ud800', { '\ud800': 1 }, new Set(['\ud800'])]
    await client.create({ ...thing('here'), id: '2' })
    for (const held of [...texts, 'x'.repeat(410_000), deep]) {
      const refused = {
        code: 'unprocessable',
        message: expect.stringMatching(/held: .* is no valid Unicode|exceeds what DynamoDB holds/),
      }
      await expect(client.create(thing(held))).rejects.toMatchObject(refused)
      await expect(client.create(thing(held), { idempotencyKey: 'k' })).rejects.toMatchObject(refused)
      await expect(client.patch('2', { held })).rejects.toMatchObject(refused)
    }
  })

  test('awkward ids, scopes and values are found where they are, and nowhere else', async () => {
    await using table = await openTestTable(engine, { comments })
    const { comments: client } = table.lapidary
    const scopes = ['42', '42/en', '42#', '4', '42/en/5', '~', 'PRODUCT#42']
    const languages = ['en', 'en/5', 'en#', '', '~', '%2F', '\u{1F600}']
    for (const [i, id] of AWKWARD_IDS.entries()) {
      const productId = scopes[i % scopes.length] ?? ''
      const language = languages[(i * 3) % languages.length] ?? ''
      await client.create(sent({ id, productId, language }))
      expect(await client.get(id)).toMatchObject({ id, productId, language })
    }
    for (const productId of scopes) {
      const there = AWKWARD_IDS.filter((_, i) => scopes[i % scopes.length] === productId)
      const { items } = await client.list({ scope: productId })
      expect(items.map(({ id }) => id).sort()).toEqual([...there].sort())
      for (const language of languages) {
        const found = await client.list({ scope: productId, where: { language, rating: 5 } })
        expect(found.items.every((item) => item.productId === productId && item.language === language)).toBe(true)
      }
    }
    const all = await Promise.all(
      scopes.flatMap((scope) => languages.map((language) => client.list({ scope, where: { language } }))),
    )
    expect(all.flatMap(({ items }) => items)).toHaveLength(AWKWARD_IDS.length)
  })

  test('attributes that only a look-up shows are absent from lists, and a patch keeps them', async () => {
    const notes = defineCollection({
      name: 'NOTE',
      schema: schemaOf<{ id: string; owner: string; kind: string; at: string; body: string }>(),
      id: 'id',
      scope: { name: 'OWNER', attribute: 'owner' },
      order: 'at',
      facets: { kind: oneOf(['a', 'b']) },
      attributes: { id: 'i', owner: 'o', kind: 'f', at: 't', body: lookup('x') },
    })
    await using table = await openTestTable(engine, { notes })
    const note = { id: '1', owner: 'me', kind: 'a', at: '2024-01-01T00:00:00.000Z', body: 'long' } as const
    await table.lapidary.notes.create(note)
    const { items } = await table.lapidary.notes.list({ scope: 'me' })
    expect(items).toEqual([{ id: '1', owner: 'me', kind: 'a', at: '2024-01-01T00:00:00.000Z' }])
    await table.lapidary.notes.patch('1', { kind: 'b' })
    expect(await table.lapidary.notes.get('1')).toEqual({ ...note, kind: 'b' })
  })

  test('values that DynamoDB can’t hold are unprocessable, not an error of the engine', async () => {
    const scores = defineCollection({
      name: 'SCORE',
      schema: schemaOf<Item>(),
      id: 'id',
      scope: { name: 'GAME', attribute: 'game' },
      order: { attribute: 'points', type: 'number' },
      facets: { level: anyOf() },
    })
    await using table = await openTestTable(engine, { scores })
    const score = { id: '1', game: 'g', points: 1, level: 'a' }
    const refused = [
      { points: 1e300 },
      { points: 1e-200 },
      { points: Number.NaN },
      { level: null },
      { level: 2 ** 60 },
      { extra: 1n << 200n },
      { extra: new Date() },
      { k: 'mine' },
    ]
    for (const change of refused)
      await expect(table.lapidary.scores.create({ ...score, ...change }), Object.keys(change)[0]).rejects.toMatchObject(
        { code: 'unprocessable' },
      )
    await table.lapidary.scores.create({ ...score, points: -0, extra: { deep: [1, null, true, ''] } })
    expect(await table.lapidary.scores.get('1')).toMatchObject({ points: 0, extra: { deep: [1, null, true, ''] } })
  })
})
