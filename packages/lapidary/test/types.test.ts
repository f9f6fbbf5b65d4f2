import { anyOf, type CollectionClient, defineCollection, oneOf } from 'lapidary'
import { expect, expectTypeOf, test } from 'vitest'
import { type Comment, comments, schemaOf } from './comments-fixture.ts'

type Client = CollectionClient<Comment, typeof comments.facets>

const base = {
  name: 'COMMENT',
  schema: schemaOf<Comment>(),
  id: 'id',
  scope: { name: 'PRODUCT', attribute: 'productId' },
  order: 'createdAt',
} as const

/** Only compiled: what the declaration does not allow must not compile. */
export function refusedQueries(client: Client): readonly unknown[] {
  return [
    client.list({ scope: '42', where: { language: 'en', rating: [4, 5] } }),
    client.list({ scope: '42', where: { rating: 5 } }),
    client.list({ scope: '42' }),
    // @ts-expect-error a facet that does not exist
    client.list({ scope: '42', where: { colour: 'red' } }),
    // @ts-expect-error a value outside anyOf
    client.list({ scope: '42', where: { rating: 6 } }),
    // @ts-expect-error a value outside anyOf, in a set
    client.list({ scope: '42', where: { rating: [5, 6] } }),
    // @ts-expect-error a value of another type
    client.list({ scope: '42', where: { rating: '5' } }),
    // @ts-expect-error a set for oneOf
    client.list({ scope: '42', where: { language: ['en', 'de'] } }),
    // @ts-expect-error a query without scope
    client.list({ where: { rating: 5 } }),
    // @ts-expect-error an order that does not exist
    client.list({ scope: '42', order: 'best' }),
    // @ts-expect-error an attribute that the schema does not have
    client.create({ colour: 'red' }),
    // @ts-expect-error a value that the schema does not have
    client.patch('1', { rating: 6 }),
  ]
}

/** Only compiled. */
export function refusedDeclarations(): readonly unknown[] {
  const facets = { language: oneOf(), rating: anyOf([1, 2, 3, 4, 5]) }
  return [
    defineCollection({ ...base, facets }),
    // @ts-expect-error an id that the schema does not have
    defineCollection({ ...base, facets, id: 'key' }),
    // @ts-expect-error an order that the schema does not have
    defineCollection({ ...base, facets, order: 'postedAt' }),
    // @ts-expect-error a facet that the schema does not have
    defineCollection({ ...base, facets: { colour: oneOf() } }),
    // @ts-expect-error an index on what is no facet
    defineCollection({ ...base, facets, indexes: { byText: { partition: ['text'] } } }),
    // @ts-expect-error short names for only some attributes
    defineCollection({ ...base, facets, attributes: { id: 'i' } }),
  ]
}

test('items of a page have the type of the schema', () => {
  type Page = Awaited<ReturnType<Client['list']>>
  expectTypeOf<Page['items'][number]>().toEqualTypeOf<Comment>()
  expectTypeOf<Awaited<ReturnType<Client['get']>>>().toEqualTypeOf<Comment>()
  expectTypeOf<Page['cursors']['next']>().toEqualTypeOf<string | null>()
  expect(comments.facets.rating.values).toEqual([1, 2, 3, 4, 5])
})
