import {
  anyOf,
  type CollectionClient,
  createLapidary,
  defineCollection,
  eachOf,
  hierarchy,
  type Lapidary,
  type LapidaryOptions,
  lookup,
  oneOf,
} from 'lapidary'
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
    client.list({ scope: '42', cursor: null }),
    client.iterate({ scope: '42', cursor: null }),
    client.page(2, { scope: '42', cursor: null }),
    // @ts-expect-error a cursor of a page that has a number
    client.page(2, { scope: '42', cursor: 'x' }),
    // @ts-expect-error a facet that does not exist
    client.list({ scope: '42', where: { colour: 'red' } }),
    // @ts-expect-error a value outside anyOf
    client.list({ scope: '42', where: { rating: 6 } }),
    // @ts-expect-error a value outside anyOf, in a set
    client.list({ scope: '42', where: { rating: [5, 6] } }),
    // @ts-expect-error a value of another type
    client.list({ scope: '42', where: { rating: '5' } }),
    client.list({ scope: '42', where: { rating: { from: 4 } } }),
    client.count({ scope: '42', where: { rating: { from: 2, to: 4 } } }),
    // @ts-expect-error a range of texts
    client.list({ scope: '42', where: { rating: { from: '4' } } }),
    // @ts-expect-error a range of a facet of texts
    client.list({ scope: '42', where: { language: { from: 4 } } }),
    // @ts-expect-error what no range has
    client.list({ scope: '42', where: { rating: { above: 4 } } }),
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

const byText = { attribute: 'text', type: 'string' } as const
const SHORT = {
  ...{ id: 'i', productId: 'p', language: 'l', rating: 'r', text: 't', createdAt: 'c', version: 'v', updatedAt: 'u' },
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
    // @ts-expect-error a page index of what is no facet
    defineCollection({ ...base, facets, pages: [{ facet: 'text' }] }),
    defineCollection({
      ...{ ...base, facets },
      indexes: { all: { shards: 4 }, good: { only: { rating: [4, 5] } }, each: { across: 2 } },
    }),
    // @ts-expect-error an index for values that its facet never has
    defineCollection({ ...base, facets, indexes: { best: { only: { rating: [6] } } } }),
    // @ts-expect-error an index in an order that there is not
    defineCollection({ ...base, facets, indexes: { byText: { order: 'text' } } }),
    // @ts-expect-error an index that is spread in two ways
    defineCollection({ ...base, facets, indexes: { all: { across: 2, shards: 4 } } }),
    // @ts-expect-error a leaderboard on a facet of one value
    defineCollection({ ...base, facets, leaderboards: { english: { where: { language: ['en'] } } } }),
    // @ts-expect-error a page index that every collection has
    defineCollection({ ...base, facets, pages: [{}] }),
    // @ts-expect-error a page index in an order that there is not
    defineCollection({ ...base, facets, pages: [{ order: 'nope' }] }),
    // @ts-expect-error a page index by a facet of one value, whose pages every page index has
    defineCollection({ ...base, facets, pages: [{ facet: 'rating' }] }),
    // @ts-expect-error a page index of all scopes, which no index lists
    defineCollection({ ...base, facets, pages: [{ across: true }] }),
    // @ts-expect-error the same beside indexes of one scope
    defineCollection({ ...base, facets, indexes: { all: {} }, pages: [{ across: true }] }),
    // @ts-expect-error an order without an index
    defineCollection({ ...base, facets, orders: { byText }, indexes: { all: {} } }),
    defineCollection({ ...base, facets, orders: { byText } }),
    // @ts-expect-error an order that is a facet
    defineCollection({ ...base, facets: { createdAt: oneOf() } }),
    // @ts-expect-error a scope that is a facet
    defineCollection({ ...base, facets: { productId: oneOf() } }),
    // @ts-expect-error a facet in both keys of an index
    defineCollection({ ...base, facets, indexes: { both: { partition: ['rating'], sort: ['language', 'rating'] } } }),
    // @ts-expect-error an index for no value
    defineCollection({ ...base, facets, indexes: { none: { only: { rating: [] } } } }),
    // @ts-expect-error an assembled index with facets
    defineCollection({ ...base, facets, indexes: { feed: { around: 'below', partition: ['rating'] } } }),
    // @ts-expect-error a facet for a look-up alone
    defineCollection({ ...base, facets, attributes: { ...SHORT, rating: lookup('r') } }),
    defineCollection({ ...base, facets, attributes: { ...SHORT, text: lookup('t') } }),
    // @ts-expect-error short names for only some attributes
    defineCollection({ ...base, facets, attributes: { id: 'i' } }),
  ]
}

interface Product {
  readonly id: string
  readonly shop: string
  readonly addedAt: string
  readonly labels?: readonly ('new' | 'used')[]
  readonly years: number[]
  readonly category: string
}

const productBase = {
  name: 'PRODUCT',
  schema: schemaOf<Product>(),
  id: 'id',
  order: 'addedAt',
  scope: { name: 'SHOP', attribute: 'shop' },
} as const
const products = defineCollection({
  ...productBase,
  facets: { labels: eachOf(), years: eachOf('number'), category: hierarchy() },
})

const labelled = { ...productBase, facets: { labels: eachOf(['new', 'used']) } }

/** Only compiled: a filter by several values has the type of one of them. */
export function refusedValues({ products: client }: Lapidary<{ products: typeof products }>): readonly unknown[] {
  return [
    client.list({ scope: 's', where: { labels: 'new', years: [2025, 2026], category: 'electronics/audio' } }),
    client.list({ scope: 's', where: { labels: ['new', null], years: null } }),
    // @ts-expect-error a value that no element has
    client.list({ scope: 's', where: { labels: 'old' } }),
    // @ts-expect-error texts for numbers
    client.list({ scope: 's', where: { years: ['2025'] } }),
    // @ts-expect-error a range where an item may have several values
    client.list({ scope: 's', where: { years: { from: 2025 } } }),
    // @ts-expect-error a number for a path
    client.list({ scope: 's', where: { category: 5 } }),
    defineCollection({ ...productBase, facets: { labels: eachOf(['new']) } }),
    // @ts-expect-error a value that no element has
    defineCollection({ ...productBase, facets: { labels: eachOf(['old']) } }),
    // @ts-expect-error an index for values that no element has
    defineCollection({ ...labelled, indexes: { old: { only: { labels: ['old'] } } } }),
    // @ts-expect-error a leaderboard on a facet of several values
    defineCollection({ ...labelled, leaderboards: { most: { where: { labels: ['new'] } } } }),
    // @ts-expect-error several values of what is no array
    defineCollection({ ...productBase, facets: { category: eachOf() } }),
    // @ts-expect-error one value of an array
    defineCollection({ ...productBase, facets: { labels: oneOf() } }),
    // @ts-expect-error a path that is an array
    defineCollection({ ...productBase, facets: { labels: hierarchy() } }),
  ]
}

/** Only compiled. */
export function refusedKeys(options: LapidaryOptions<{ comments: typeof comments }>, name: string): readonly unknown[] {
  return [
    createLapidary({ ...options, keys: { pk: 'pk', sk: 'sk' } }),
    createLapidary({ ...options, keys: { pk: name, sk: name } }),
    // @ts-expect-error two keys of one name
    createLapidary({ ...options, keys: { pk: 'key', sk: 'key' } }),
  ]
}

test('items of a page have the type of the schema', () => {
  type Page = Awaited<ReturnType<Client['list']>>
  expectTypeOf<Page['items'][number]>().toEqualTypeOf<Comment>()
  expectTypeOf<Awaited<ReturnType<Client['get']>>>().toEqualTypeOf<Comment>()
  expectTypeOf<Page['cursors']['next']>().toEqualTypeOf<string | null>()
  expect(comments.facets.rating.values).toEqual([1, 2, 3, 4, 5])
})

/** Only compiled: tickets of a closed status, ordered by a number. */
type Ticket = {
  readonly id: string
  readonly tenant: string
  readonly status: 'open' | 'closed'
  readonly urgent: boolean
  readonly priority: number
  readonly openedAt: Date
  readonly note?: string
}

const ticketBase = {
  name: 'TICKET',
  schema: schemaOf<Ticket>(),
  id: 'id',
  scope: { name: 'TENANT', attribute: 'tenant' },
} as const

const tickets = defineCollection({
  ...ticketBase,
  order: { attribute: 'priority', type: 'number' },
  facets: { status: anyOf(), urgent: oneOf('boolean') },
  leaderboards: { busiest: { where: {} } },
})

const noted = defineCollection({
  ...ticketBase,
  order: { attribute: 'priority', type: 'number' },
  facets: { status: anyOf(['open', 'closed']), note: oneOf('string', { optional: true }) },
})

const numbered = defineCollection({
  ...productBase,
  facets: { labels: eachOf(), category: hierarchy() },
  orders: { addedAt: 'addedAt', id: { attribute: 'id', type: 'string' } },
  indexes: { all: {}, byId: { order: 'id' }, everything: { across: 2 }, byLabel: { partition: ['labels'] } },
  pages: [{ order: 'id' }, { facet: 'labels' }, { across: true }],
})

/** Only compiled: pages have numbers where a page index has them. */
export function refusedNumbers(
  { numbered: client, several: other }: Lapidary<{ numbered: typeof numbered; several: typeof several }>,
  page: number,
): readonly unknown[] {
  const scope = 's'
  return [
    client.page(page, { scope }),
    client.page(page, { scope, by: 'addedAt' }),
    client.page(page, { scope, by: 'id' }),
    client.page(page, { scope, where: { labels: 'new' } }),
    client.page(page, {}),
    // @ts-expect-error a facet of several values without a page index
    client.page(page, { scope, where: { category: 'electronics' } }),
    client.page(page, { scope: ['s', 't'] }),
    client.page(1, { scope: ['s', 't'], where: { category: 'electronics' } }),
    other.page(page, { scope, by: 'createdAt' }),
    // @ts-expect-error an order without a page index
    other.page(page, { scope, by: 'rating' }),
    other.page(1, { scope, by: 'rating' }),
    // @ts-expect-error all scopes without a page index
    other.page(page, {}),
  ]
}

const several = defineCollection({
  ...base,
  facets: { language: oneOf() },
  order: 'createdAt',
  orders: { rating: { attribute: 'rating', type: 'number' }, text: { attribute: 'text', type: 'string' } },
  indexes: { all: {}, newest: { order: 'createdAt' }, byRating: { order: 'rating' }, byText: { order: 'text' } },
})

/** Without a default one that is named, the first is. */
const { order: _, ...unordered } = base
const unnamed = defineCollection({
  ...unordered,
  facets: { language: oneOf() },
  orders: { newest: 'createdAt', rating: { attribute: 'rating', type: 'number' } },
})

/** Only compiled. */
export function refusedOrders(
  client: Lapidary<{ several: typeof several; unnamed: typeof unnamed }>,
  feed: CollectionClient<Comment>,
): readonly unknown[] {
  const { id: _id, createdAt: _at, ...comment } = {} as Comment
  const scope = '42'
  const time = '2024-01-01T00:00:00.000Z'
  return [
    client.several.list({ scope, by: 'rating', from: 2, to: 4 }),
    client.several.list({ scope, by: 'createdAt', from: time }),
    client.several.list({ scope, by: undefined, from: time }),
    client.several.list({ scope, from: time, order: 'oldest' }),
    client.several.iterate({ scope, by: 'text', from: 'b' }),
    client.unnamed.list({ scope, by: 'newest', from: time }),
    client.unnamed.create(comment),
    feed.list({ scope, by: 'rating', from: 2 }),
    // @ts-expect-error an order that does not exist
    client.several.list({ scope, by: 'nope' }),
    // @ts-expect-error a number where the default order is a time
    client.several.list({ scope, from: 5 }),
    // @ts-expect-error a text where the order is a number
    client.several.list({ scope, by: 'rating', from: time }),
    // @ts-expect-error a number where the order is a time
    client.unnamed.list({ scope, by: 'newest', from: 5 }),
    // @ts-expect-error a text where the order is a number
    client.unnamed.page(2, { scope, by: 'rating', to: time }),
    // @ts-expect-error an order by a number that is no time
    defineCollection({ ...base, facets: {}, orders: { rating: 'rating' } }),
    // @ts-expect-error an order by what items may lack, which is not said
    defineCollection({ ...base, facets: {}, orders: { changed: 'updatedAt' } }),
    defineCollection({
      ...base,
      facets: {},
      orders: { changed: { attribute: 'updatedAt', type: 'time', optional: true } },
    }),
    // @ts-expect-error no order at all
    defineCollection({ ...unordered, facets: {} }),
  ]
}

/** Only compiled. */
export function refusedTickets(
  {
    tickets: client,
    comments: feed,
    noted: optional,
  }: Lapidary<{
    tickets: typeof tickets
    comments: typeof comments
    noted: typeof noted
  }>,
  { status, maybe }: { status: Ticket['status']; maybe: 'open' | undefined },
): readonly unknown[] {
  const whole = { id: '1', tenant: 't', status, urgent: true, priority: 1, openedAt: new Date() }
  const { id, ...withoutId } = whole
  const { tenant, ...withoutTenant } = whole
  const order = { attribute: 'priority', type: 'number' } as const
  return [
    client.list({ scope: 't', where: { status: maybe, urgent: true }, from: 5 }),
    client.list({ scope: 't', where: { status: ['open', 'closed'] } }),
    // @ts-expect-error an open facet has the values of its attribute
    client.list({ scope: 't', where: { status: 'opne' } }),
    // @ts-expect-error a text where the order is a number
    client.list({ scope: 't', from: '2024-01-01T00:00:00.000Z' }),
    // @ts-expect-error a number where the order is a time
    feed.list({ scope: '42', from: 5 }),
    client.leaderboard({ name: 'busiest' }),
    // @ts-expect-error a leaderboard that does not exist
    client.leaderboard({ name: 'busy' }),
    // @ts-expect-error there is none
    feed.leaderboard({ name: 'five-star' }),
    client.create(whole),
    client.create(withoutId),
    // @ts-expect-error nothing of an item
    client.create({}),
    // @ts-expect-error an item without its scope
    client.create(withoutTenant),
    defineCollection({ ...ticketBase, order, facets: { status: anyOf(['open']) } }),
    // @ts-expect-error a value that the attribute never has
    defineCollection({ ...ticketBase, order, facets: { status: anyOf(['opne']) } }),
    // @ts-expect-error null is asked of an optional facet only
    client.list({ scope: 't', where: { urgent: null } }),
    optional.list({ scope: 't', where: { status: ['open'], note: null } }),
    optional.list({ scope: 't', where: { note: 'a text' } }),
    // @ts-expect-error a value that the attribute never has
    optional.list({ scope: 't', where: { status: 'opne' } }),
    // @ts-expect-error texts for a boolean
    defineCollection({ ...ticketBase, order, facets: { urgent: oneOf() } }),
    // @ts-expect-error an order by an object
    defineCollection({ ...ticketBase, order: 'openedAt', facets: {} }),
    // @ts-expect-error a number that is no time
    defineCollection({ ...ticketBase, order: 'priority', facets: {} }),
    // @ts-expect-error a text that is no number
    defineCollection({ ...ticketBase, order: { attribute: 'tenant', type: 'number' }, facets: {} }),
  ]
}

test('a declaration tells its types', () => {
  type Client = Lapidary<{ tickets: typeof tickets }>['tickets']
  expectTypeOf<Parameters<Client['leaderboard']>[0]['name']>().toEqualTypeOf<'busiest'>()
  expectTypeOf<Parameters<Client['list']>[0]['from']>().toEqualTypeOf<number | undefined>()
  expect(tickets.order).toEqual({ attribute: 'priority', type: 'number' })
})
