import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { anyOf, defineCollection, increment, oneOf } from 'lapidary'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { testEngines } from '../../../test/engines/index.ts'
import { openTestTable, type TestTable } from './test-table.ts'

const plain = {
  id: z.string(),
  shelf: z.string(),
  at: z.string(),
  votes: z.coerce.number().default(0),
  note: z.string().trim().optional(),
}

const base = {
  id: 'id',
  scope: { name: 'SHELF', attribute: 'shelf' },
  order: 'at',
} as const

/** A schema that takes its own output, and transforms it again. */
const secrets = defineCollection({
  ...base,
  name: 'SECRET',
  schema: z
    .object({
      ...plain,
      kind: z.string().transform((kind) => `~${kind}`),
      hash: z.string().transform((text) => `<${text}>`),
    })
    .transform((whole) => ({ ...whole, slug: `${whole.note ?? ''}/${whole.votes}` })),
  facets: { kind: oneOf() },
})

/** A schema that does not take its own output. */
const schema = z.object({ ...plain, length: z.string().transform((text) => text.length) })
const output = z.object({ ...plain, length: z.number(), colour: z.string().default('white') })
const books = defineCollection({
  ...base,
  name: 'BOOK',
  schema: schema.transform((book) => ({ ...book, colour: 'red' })),
  output,
  facets: { length: anyOf('number') },
})

const AT = '2024-01-01T00:00:00.000Z'
type Table = TestTable<{ secrets: typeof secrets; books: typeof books }>

async function stored({ client, tableName }: Table, PK: string): Promise<object> {
  const Key = { PK: { S: PK }, SK: { S: '~' } }
  return (await client.send(new GetItemCommand({ TableName: tableName, Key, ConsistentRead: true }))).Item ?? {}
}

describe.each(testEngines())('a schema with transforms on $name', (engine) => {
  test('is run on what is sent, never on what is stored', async () => {
    await using table = await openTestTable(engine, { secrets, books })
    const { secrets: client } = table.lapidary
    const sent = { id: '1', shelf: 's', at: AT, kind: 'a', hash: 'key' }
    const made = { ...sent, kind: '~a', hash: '<key>', votes: 0, slug: '/0' }
    expect(await client.create(sent)).toEqual(made)
    expect(await client.patch('1', { hash: 'key' })).toEqual({ ...made, hash: '<key>' })
    expect(await client.patch('1', { note: ' x ' })).toEqual({ ...made, note: 'x', slug: 'x/0' })
    expect(await client.patch('1', { votes: increment(2), kind: 'b' })).toEqual({
      ...{ ...made, note: 'x' },
      ...{ votes: 2, slug: 'x/2', kind: '~b' },
    })
    const now = await client.get('1')
    expect(now).toEqual({ ...made, note: 'x', votes: 2, slug: 'x/2', kind: '~b' })
    const { items } = await client.list({ scope: 's', where: { kind: '~b' } })
    expect(items).toEqual([now])
    expect(await client.patch('1', {})).toEqual(now)
    expect(await client.replace(sent)).toEqual(made)
  })

  test('has its output taken for what is stored: older items are filled in, and changes are values as they are stored', async () => {
    await using table = await openTestTable(engine, { secrets, books })
    const { books: client } = table.lapidary
    const made = await client.create({ id: '1', shelf: 's', at: AT, length: 'four' })
    expect(made).toEqual({ id: '1', shelf: 's', at: AT, votes: 0, length: 4, colour: 'red' })
    expect(await client.patch('1', { votes: increment(1) })).toEqual({ ...made, votes: 1 })
    expect(await client.patch('1', { length: 7 })).toEqual({ ...made, votes: 1, length: 7 })
    expect((await client.list({ scope: 's', where: { length: 7 } })).items).toHaveLength(1)
    await expect(client.patch('1', { length: 'seven' as never })).rejects.toMatchObject({ code: 'unprocessable' })
    const { colour, ...old } = (await stored(table, 'BOOK#1')) as Record<string, { S: string }>
    await table.client.send(new PutItemCommand({ TableName: table.tableName, Item: { ...old, extra: { S: 'x' } } }))
    expect(await client.get('1')).toEqual({ ...made, votes: 1, length: 7, colour: 'white' })
    expect(await client.getMany(['1', '2'])).toEqual([await client.get('1'), undefined])
    await table.client.send(new PutItemCommand({ TableName: table.tableName, Item: { ...old, length: { S: 'x' } } }))
    await expect(client.get('1')).rejects.toMatchObject({
      code: 'unprocessable',
      message: expect.stringContaining('a stored BOOK does not fit its output: length'),
    })
  })
})
