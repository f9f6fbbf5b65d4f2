import { DeleteTableCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import { createLapidary, defineCollection, type Item, increment, LapidaryError, oneOf } from 'lapidary'
import { awkwardText } from 'lapidary-testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSdkClient, testEngines, uniqueTableName } from '../../../test/engines/index.ts'
import { schemaOf } from './comments-fixture.ts'

const NAMES = [
  ...['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty', '__defineGetter__', 'toJSON'],
  ...[
    'then',
    'length',
    'S',
    'M',
    'size',
    'a.b',
    'a[0]',
    '#a',
    ':a',
    ' ',
    'PK',
    'SK',
    'k',
    's',
    'k@a',
    'ttl',
    '~p',
    '~v',
    '',
  ],
] as const

const name = fc.oneof(fc.constantFrom(...NAMES), awkwardText(12))
const value = fc.oneof(fc.constantFrom('a', '', null, 1, true), fc.constant(['a']), fc.constant({ a: { b: 1 } }))
const attributes = fc.dictionary(name, value, { maxKeys: 5 })

const things = defineCollection({
  name: 'THING',
  schema: schemaOf<Item>(),
  id: 'id',
  scope: { name: 'PARENT', attribute: 'parent' },
  order: { attribute: 'at', type: 'number' },
  facets: { kind: oneOf() },
})

/** Returns the result of a write, or the names that it refused. */
async function outcome(
  write: () => Promise<unknown>,
): Promise<{ readonly item?: unknown; readonly refused?: string[] }> {
  try {
    return { item: await write() }
  } catch (error) {
    if (!(error instanceof LapidaryError) || error.code !== 'unprocessable') throw error
    return { refused: (error.details as { errors: { path: string }[] }).errors.map(({ path }) => path) }
  }
}

describe.each(testEngines())('awkward names of attributes on $name', (engine) => {
  const client = createSdkClient(engine)
  const tableName = uniqueTableName()
  const { things: all, table } = createLapidary({
    client,
    tableName,
    collections: { things },
    cursorSecret: 'a secret of the tests',
  })

  beforeAll(() => table.create())
  afterAll(async () => {
    await client.send(new DeleteTableCommand({ TableName: tableName }))
    client.destroy()
  })

  test('each attribute of a write is kept exactly, or the write is refused by its name', async () => {
    let made = 0
    await fc.assert(
      fc.asyncProperty(attributes, attributes, async (first, changes) => {
        made += 1
        const [id, parent] = [`i${made}`, `p${made}`]
        const own = { id, parent, at: 1, kind: 'a' }
        const names = Object.keys({ ...first })
        const created = await outcome(() => all.create({ ...first, ...own }))
        if (created.refused !== undefined) {
          expect(names).toEqual(expect.arrayContaining(created.refused))
          expect(await all.get(id).catch(({ code }) => code)).toBe('not_found')
          return
        }
        const held = { ...first, ...own }
        const { kind, at, ...changed } = changes as Item
        const patched = await outcome(() => all.patch(id, changed))
        const now = patched.refused === undefined ? { ...held, ...changed } : held
        if (patched.refused !== undefined) expect(Object.keys(changed)).toEqual(expect.arrayContaining(patched.refused))
        expect(Object.entries((await all.get(id)) as Item).sort()).toEqual(Object.entries(now).sort())
        const { items } = await all.list({ scope: parent, where: { kind: 'a' } as never })
        expect(items.map((item) => Object.entries(item).sort())).toEqual([Object.entries(now).sort()])
        const read = async (attribute: string) => Object.entries(await all.get(id, { attributes: [attribute] }))
        for (const one of NAMES.filter((each) => each in now))
          if (Object.hasOwn(now, one)) expect(await read(one)).toEqual([[one, (now as Item)[one]]])
          else expect((await outcome(() => read(one))).item ?? []).toStrictEqual([])
      }),
      { numRuns: 60 },
    )
  })

  test('__proto__ is refused by every write, since SDKs lose it, and stays where another program stored it', async () => {
    const proto = JSON.parse('{ "__proto__": "x" }')
    const item = { id: 'one', parent: 'p', at: 1, kind: 'a', note: 'b' }
    const refusal = { code: 'unprocessable', message: expect.stringContaining('__proto__') }
    await expect(all.create({ ...item, ...proto })).rejects.toMatchObject(refusal)
    await all.create(item)
    for (const write of [
      () => all.patch('one', proto),
      () => all.patch('one', Object.fromEntries([['__proto__', increment(1)]])),
      () => all.replace({ ...item, ...proto }),
      () => all.upsert({ ...item, ...proto }),
      () => all.patch('one', { note: 'c' }, { if: proto }),
    ]) {
      await expect(write()).rejects.toMatchObject(refusal)
    }
    const stored = {
      TableName: tableName,
      Key: { PK: { S: 'THING#one' }, SK: { S: '~' } },
      ExpressionAttributeNames: { '#p': '__proto__' },
    }
    const set = { UpdateExpression: 'SET #p = :x', ExpressionAttributeValues: { ':x': { S: 'x' } } }
    await client.send(new UpdateItemCommand({ ...stored, ...set }))
    expect(await all.patch('one', { note: 'c' })).toEqual({ ...item, note: 'c' })
    expect((await all.list({ scope: 'p' })).items).toEqual([{ ...item, note: 'c' }])
    await all.replace({ ...item, note: 'd' })
    const still = {
      ConditionExpression: '#p = :x',
      UpdateExpression: 'REMOVE #p',
      ExpressionAttributeValues: { ':x': { S: 'x' } },
    }
    await client.send(new UpdateItemCommand({ ...stored, ...still }))
  })
})

test.each<[string, object]>([
  ['a facet', { facets: JSON.parse('{ "__proto__": { "kind": "oneOf" } }') }],
  ['the id', { id: '__proto__' }],
  ['an order', { order: '__proto__' }],
  ['a stored name', { attributes: { id: '__proto__', parent: 'p', at: 'a', kind: 'k1' } }],
  [
    'an attribute',
    { attributes: JSON.parse('{ "__proto__": "x", "id": "i", "parent": "p", "at": "a", "kind": "k1" }') },
  ],
])('%s called __proto__ is refused', (_, rest) => {
  const declare = () =>
    defineCollection({
      ...{ name: 'THING', schema: schemaOf<Item>(), id: 'id', order: { attribute: 'at', type: 'number' } },
      ...{ scope: { name: 'PARENT', attribute: 'parent' }, facets: { kind: oneOf() } },
      ...(rest as object),
    } as never)
  expect(declare).toThrow(
    expect.objectContaining({ code: 'declaration_invalid', message: expect.stringContaining('__proto__') }),
  )
})
