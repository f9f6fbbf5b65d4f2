import {
  anyOf,
  type Collection,
  defineCollection,
  eachOf,
  type Item,
  indexes,
  type Layout,
  oneOf,
  type PagesDeclaration,
  powerSet,
} from 'lapidary'
import { deflated, packed, trainDictionary } from 'lapidary/codecs'
import { seededRandom } from 'lapidary-testing'
import { describe, expect, test } from 'vitest'
import { randomWorkload } from '../../../bench/src/adviser/random-workload.ts'
import { type Comment, comment, comments, schemaOf } from '../../lapidary/test/comments-fixture.ts'
import { type AdviseProgress, advise, priceLayout } from './advise.ts'
import { candidateIndexes } from './candidate-indexes.ts'
import { declarations } from './index-search.ts'
import type { PricedPageIndex } from './page-indexes.ts'
import type { PricedLayout } from './priced-layout.ts'
import { US_EAST_1 } from './prices.ts'
import { checkedWorkload, type Workload } from './workload.ts'

const usual: Workload = {
  writesPerSecond: 5,
  readsPerSecond: 200,
  queries: [
    { where: { language: 'en' }, share: 0.6 },
    { where: { language: 'en', rating: [4, 5] }, share: 0.3 },
    { share: 0.1 },
  ],
}

test('the set that is found costs what the best of all sets of the candidates costs', async () => {
  let compared = 0
  for (let seed = 200; compared < 6; seed++) {
    const { collection, workload } = randomWorkload(seededRandom(seed))
    const candidates = candidateIndexes(collection, checkedWorkload(collection, workload))
    if (candidates.length < 4 || candidates.length > 8) continue
    compared += 1
    const pricesOfAll = Array.from({ length: 2 ** candidates.length }, async (_, set) => {
      const taken = declarations(candidates.filter((_candidate, i) => (set >> i) % 2 === 1))
      try {
        return (await priceLayout({ ...collection, indexes: taken }, indexes(), workload)).price.onDemand
      } catch {
        return Number.POSITIVE_INFINITY
      }
    })
    const prices = await Promise.all(pricesOfAll)
    const { choice, search } = await advise(collection, workload, { layouts: {} })
    expect(search).toMatchObject({ indexes: candidates.length, proven: true })
    expect(choice.price.onDemand / Math.min(...prices)).toBeLessThan(1.0011)
    expect(choice.price.onDemand / Math.min(...prices)).toBeGreaterThan(1 - 1e-9)
  }
})

test('of each order there is an index, and the set for several is the best of all sets too', async () => {
  const several = defineCollection({
    ...{
      name: 'COMMENT',
      schema: schemaOf<Comment>(),
      id: 'id',
      scope: { name: 'PRODUCT', attribute: 'productId' },
      updatedAt: 'updatedAt',
    },
    order: 'createdAt',
    orders: {
      rating: { attribute: 'rating', type: 'number' },
      changed: { attribute: 'updatedAt', type: 'time', optional: true },
    },
    facets: { language: oneOf(['en', 'de'], { frequencies: { en: 0.2, de: 0.8 } }) },
  })
  const workload: Workload = {
    ...{ writesPerSecond: 5, readsPerSecond: 50, writes: { create: 0.5, edit: { rating: 0.2, text: 0.3 } } },
    queries: [
      { where: { language: 'en' }, share: 0.7 },
      { where: { language: 'en' }, by: 'rating', share: 0.3 },
    ],
  }
  const candidates = candidateIndexes(several as never, checkedWorkload(several as never, workload))
  expect(candidates.map(({ name }) => name)).toContain('byLanguageByRating')
  expect(candidates.filter(({ declaration }) => declaration.order === 'changed')).toEqual([
    { name: 'allByChanged', declaration: { partition: [], order: 'changed' } },
  ])
  const pricesOfAll = Array.from({ length: 2 ** candidates.length }, async (_, set) => {
    const taken = declarations(candidates.filter((_candidate, i) => (set >> i) % 2 === 1))
    try {
      return (await priceLayout({ ...several, indexes: taken } as never, indexes(), workload)).price.onDemand
    } catch {
      return Number.POSITIVE_INFINITY
    }
  })
  const prices = await Promise.all(pricesOfAll)
  const { choice } = await advise(several as never, workload, { layouts: {} })
  expect(choice.price.onDemand / Math.min(...prices)).toBeCloseTo(1, 2)
  const chosen = Object.values(choice.indexes ?? {}).map(({ order }) => order)
  expect(chosen).toEqual(expect.arrayContaining([undefined, 'rating', 'changed']))
  // An edit moves the entry in an index of the edited attribute.
  const units = async (attribute: string): Promise<number> =>
    (await priceLayout(several as never, indexes(), { ...workload, writes: { edit: { [attribute]: 1 } } }))
      .unitsPerWrite
  expect((await units('rating')) - (await units('text'))).toBeCloseTo(1)
})

test('write units are those of the rule: four indexes on items of up to a KB', async () => {
  const of = async (writes: Workload['writes']): Promise<number> =>
    (await priceLayout(comments as never, indexes(), { ...usual, writes: writes ?? {} })).unitsPerWrite
  expect(await of({ create: 1 })).toBeCloseTo(5)
  expect(await of({ delete: 1 })).toBeCloseTo(5)
  expect(await of({ edit: { rating: 1 } })).toBeCloseTo(7)
  expect(await of({ edit: { text: 1 } })).toBeCloseTo(5)
})

test('a power set of five ratings and one language has 32 entries, twice each for a transaction', async () => {
  const queries = [{ where: { language: 'en', rating: [4, 5] }, share: 1 }]
  const of = (layout: Layout): Promise<PricedLayout> => priceLayout(comments as never, layout, { ...usual, queries })
  expect((await of(powerSet())).unitsPerWrite).toBeCloseTo(2 * 2 * 32)
  // The item and its index entry, then one look at it and 31 duplicates in a transaction.
  expect((await of(powerSet({ kept: 'stream' }))).unitsPerWrite).toBeCloseTo(2 + 2 * (1 + 2 * 31))
  // A list costs half a unit for each 4 KB that it shows.
  expect((await of(powerSet())).unitsPerRead).toBe(2)
  expect((await of(indexes())).unitsPerRead).toBeGreaterThan(2)
})

test('what can not hold the collection is refused with its reason', async () => {
  const many = oneOf(Array.from({ length: 12 }, (_, i) => `v${i}`))
  const wide = { ...comments, facets: { ...comments.facets, rating: { ...many, kind: 'anyOf' } } } as never
  const { refused } = await advise(wide, { ...usual, queries: [{ share: 1 }] })
  expect(refused.map(({ layout, reason }) => [layout, reason])).toEqual([
    ['power-set', expect.stringMatching(/rating/)],
    ['power-set', expect.stringMatching(/rating/)],
  ])
})

test('a codec is priced by real items: the declared one against none', async () => {
  const items = Array.from({ length: 40 }, (_, i) =>
    comment({ id: String(i), text: `Comment ${i} says that it is good and sharp. `.repeat(8) }),
  )
  const codec = deflated({ dictionaries: [trainDictionary(comments as never, items)] })
  const of = (collection: object, rest: Partial<Workload>): Promise<PricedLayout> =>
    priceLayout(collection as never, indexes(), { ...usual, queries: [{ share: 1 }], ...rest })
  expect((await of({ ...comments, codec }, { items })).unitsPerRead).toBeLessThan(
    (await of(comments, { items })).unitsPerRead,
  )
  // A codec would pack a made-up text to nothing.
  expect((await of({ ...comments, codec }, {})).unitsPerRead).toBe((await of(comments, {})).unitsPerRead)
})

test('codecs without real items are refused: made-up texts pack to nothing', async () => {
  await expect(advise(comments as never, usual, { codecs: { packed: packed() } })).rejects.toThrow(
    /savings of packed.*give real items/,
  )
})

test('layouts that list an item once are refused where it has several values, and indexes are priced', async () => {
  const tagged = defineCollection({
    ...{
      name: 'TICKET',
      schema: schemaOf<{ id: string; tenant: string; at: string; tags: string[] }>(),
      id: 'id',
      order: 'at',
    },
    ...{ scope: { name: 'TENANT', attribute: 'tenant' }, facets: { tags: eachOf() } },
  })
  const items = [{ id: 't1', tenant: 'acme', at: '2026-01-01T00:00:00.000Z', tags: ['slow', 'vip'] }]
  const { choice, refused } = await advise(tagged as never, { writesPerSecond: 1, readsPerSecond: 1, items })
  expect(choice.layout).toBe('indexes')
  expect(refused.map(({ layout }) => layout)).toEqual(['native-keys', 'power-set', 'power-set'])
})

test('what costs the same is told, and of it the simplest is the choice', async () => {
  const same = { 'indexes again': { ...indexes(), name: 'again' } }
  const { choice, ties, reason } = await advise(comments as never, usual, { layouts: same })
  expect(choice.name).toBe('indexes, the cheapest set')
  expect(ties).toEqual(['indexes again, the cheapest set'])
  expect(reason.at(-1)).toMatch(/^indexes again, the cheapest set: as cheap, as far as can be told/)
})

test('page indexes that the collection declares are priced beside the first one', async () => {
  const declared = (pages: readonly PagesDeclaration[]) =>
    defineCollection({
      ...{ name: 'THING', schema: schemaOf<Item>(), id: 'id', order: 'at' },
      pages: pages as readonly PagesDeclaration<'status'>[],
      scope: { name: 'PARENT', attribute: 'parent' },
      orders: { amount: { attribute: 'amount', type: 'number' } },
      facets: { status: oneOf(['open', 'closed']) },
      indexes: { all: {}, byAmount: { order: 'amount' }, ofAll: { across: 2 } },
    }) as never
  const scopes = [{ scopes: 10, items: 500, reads: 1, writes: 1 }]
  const adviceOf = async (pages: readonly PagesDeclaration[], writes: Workload['writes'] = { create: 1 }) => {
    const rest = { queries: [{ share: 1 }], pages: { share: 1 } }
    const workload = { writesPerSecond: 1, readsPerSecond: 1, scopes, writes, ...rest }
    return (await advise(declared(pages), workload, { layouts: {} })).pages
  }
  const treeOf = async (...given: Parameters<typeof adviceOf>) =>
    (await adviceOf(...given)).indexes.find(({ name }) => name === 'dynamodb') as PricedPageIndex
  const [first, ordered, across] = await Promise.all([
    treeOf([]),
    treeOf([{ order: 'amount' }]),
    treeOf([{ across: true }]),
  ])
  expect(ordered.unitsPerWrite / first.unitsPerWrite).toBeCloseTo(2, 1)
  expect(ordered.storedBytes).toBe(2 * first.storedBytes)
  expect(across.storedBytes).toBe(2 * first.storedBytes)
  // All scopes have one tree.
  expect(across.hottest / first.hottest).toBeCloseTo(10, 0)
  // An edit moves only the entries that are ordered by the edited attribute.
  const edited = { edit: { amount: 1 } }
  expect([
    (await treeOf([], edited)).unitsPerWrite,
    (await treeOf([{ order: 'amount' }], edited)).unitsPerWrite,
  ]).toEqual([0, expect.closeTo(2 + 2 * (2 + 1), 0)])
  expect((await adviceOf([{ order: 'amount' }])).refused).toContainEqual({
    name: 'page-markers',
    reason: "it keeps only the default order, and pages has { order: 'amount' }",
  })
})

test('a page index is advised where pages are asked for by their number', async () => {
  const pagesOf = async (more: Partial<Workload>) =>
    (await advise(comments as never, { ...usual, ...more }, { layouts: {} })).pages
  expect((await pagesOf({})).choice).toBe('none')
  const few = await pagesOf({ pages: { share: 0.1 } })
  expect(few.refused.map(({ name }) => name)).toEqual(['none'])
  expect(few.indexes.map(({ name }) => name).toSorted()).toEqual([
    'dynamodb',
    'file',
    'page-markers',
    'pglite',
    'postgres',
    'redis',
    's3',
  ])
  // Markers write one block where segments write a leaf and a branch, unless an old entry changes.
  expect(few.choice).toBe('page-markers')
  expect(few.reason).toMatch(/redis at \$11\.68/)
  const scopes = [{ scopes: 1, items: 50_000, reads: 1, writes: 1 }]
  const edited = await pagesOf({ pages: { share: 0.1 }, scopes, writes: { create: 0.9, edit: { rating: 0.1 } } })
  expect(edited).toMatchObject({ choice: 'dynamodb', refused: [{ name: 'none' }, { name: 'page-markers' }] })
  // An edit of a text changes no list. Of so long a list a tree is looked up for less, so what is written decides only where few pages are read.
  const appended = { scopes, writes: { create: 0.9, edit: { text: 0.1 } } }
  expect((await pagesOf({ pages: { share: 0.01 }, ...appended })).choice).toBe('page-markers')
  expect((await pagesOf({ pages: { share: 0.1 }, ...appended })).choice).toBe('dynamodb')
  expect((await pagesOf({ pages: { share: 0.1, stores: ['redis', 'dynamodb'] } })).choice).toBe('redis')
  const there = { ...US_EAST_1, stores: { ...US_EAST_1.stores, redis: { month: 0, gigabytes: 10 } } }
  const { pages } = await advise(comments as never, { ...usual, pages: { share: 0.1 } }, { layouts: {}, prices: there })
  expect(pages.indexes.find(({ name }) => name === 'redis')?.price.onDemand).toBe(0)
})

test('dollars are units by the price, and other prices make other dollars', async () => {
  const priced = await priceLayout(comments as never, indexes(), usual)
  const month = 730 * 3600
  expect(priced.price.writes).toBeCloseTo((5 * 5 * month * 0.625) / 1e6)
  expect(priced.price.reads).toBeCloseTo((200 * priced.unitsPerRead * month * 0.125) / 1e6)
  const dear = { ...US_EAST_1, onDemand: { millionWriteUnits: 625, millionReadUnits: 0.125 } }
  const { choice } = await advise(comments as never, usual, { prices: dear })
  // An index has to be worth its writes if these are dear.
  expect(Object.keys(choice.indexes ?? {})).toHaveLength(1)
})

test('what would be throttled is not the choice, and is told', async () => {
  const { choice, reason } = await advise(comments as never, { ...usual, writesPerSecond: 3000 })
  expect(choice.hottest).toMatchObject({ share: expect.any(Number) })
  expect(choice.hottest.share).toBeGreaterThan(1)
  expect(reason.join(' ')).toMatch(/hottest partition .* takes 300 %/)
  const spread = [{ scopes: 1000, items: 100, reads: 1, writes: 1 }]
  expect(
    (await advise(comments as never, { ...usual, writesPerSecond: 3000, scopes: spread })).choice.hottest.share,
  ).toBeLessThan(0.1)
})

test('without filters that have to have an answer, sparse indexes may be all there is', async () => {
  const queries = [{ where: { rating: [1] }, share: 1 }]
  const { choice } = await advise(comments as never, { ...usual, queries, queriesOnly: true }, { layouts: {} })
  expect(choice.indexes).toEqual({ rating_1: { partition: [], only: { rating: [1] } } })
  const all = await advise(comments as never, { ...usual, queries })
  expect(Object.values(all.choice.indexes ?? {}).some(({ only }) => only === undefined)).toBe(true)
})

describe('a search among more sets than can be tried', () => {
  const names = ['f0', 'f1', 'f2', 'f3', 'f4', 'f5']
  const values = ['a', 'b', 'c', 'd']
  const indexed = [[], ['f0'], ['f1'], ['f2'], ['f3'], ['f4'], ['f5'], names]
  const wide = defineCollection({
    ...{ name: 'THING', schema: schemaOf<Item>(), id: 'id', order: 'at' },
    scope: { name: 'PARENT', attribute: 'parent' },
    facets: Object.fromEntries(names.map((name) => [name, anyOf(values)])),
    indexes: Object.fromEntries(indexed.map((partition, i) => [`index${i}`, { partition }])),
  }) as unknown as Collection
  const rates = { writesPerSecond: 5, readsPerSecond: 200 }

  test('ends when its time is over, with a layout, and says what it covered', async () => {
    const seen: AdviseProgress[] = []
    const onProgress = (progress: AdviseProgress): void => void seen.push(progress)
    const { choice, search } = await advise(wide, rates, { seconds: 2, onProgress })
    expect(choice.price.onDemand).toBeGreaterThan(0)
    expect(search).toMatchObject({ proven: false, sets: 2 ** search.indexes })
    expect(search.indexes).toBeGreaterThan(20)
    expect(search.considered).toBeLessThan(search.indexes)
    expect(search.milliseconds).toBeGreaterThanOrEqual(seen.at(-1)?.milliseconds ?? 0)
    expect(seen.length).toBeGreaterThan(10)
  })

  test('ends as soon as its caller waits no longer', async () => {
    const stop = new AbortController()
    const advice = advise(wide, rates, { seconds: 3600, signal: stop.signal })
    setTimeout(() => stop.abort(new Error('nobody waits')), 100)
    await expect(advice).rejects.toThrow('nobody waits')
  })

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('has no time of %d seconds', async (seconds) => {
    await expect(advise(wide, rates, { seconds })).rejects.toThrow(`seconds is ${seconds}; it has to be a number`)
  })
})

describe('a workload that can not be is refused', () => {
  const refused: readonly (readonly [string, Partial<Workload>, RegExp])[] = [
    ['zero reads', { readsPerSecond: 0 }, /readsPerSecond is 0.*give the expected reads a second/],
    ['negative reads', { readsPerSecond: -1 }, /readsPerSecond is -1/],
    ['negative writes', { writesPerSecond: -5 }, /writesPerSecond is -5/],
    ['no number', { writesPerSecond: Number.NaN }, /writesPerSecond is NaN/],
    ['queries below 1', { queries: [{ share: 0.5 }, { where: { rating: 5 }, share: 0.3 }] }, /queries add up to 0.8/],
    ['a share above 1', { queries: [{ share: 1.5 }] }, /share of 1.5/],
    ['no queries', { queries: [] }, /queries is empty/],
    ['an unknown facet', { queries: [{ where: { colour: 'red' }, share: 1 }] }, /query 1 .*colour: is not a facet/],
    ['an unknown value', { queries: [{ where: { rating: 6 }, share: 1 }] }, /rating: must be one of/],
    ['writes that do not add up', { writes: { create: 0.5, delete: 0.1 } }, /writes add up to 0.6/],
    ['an edited id', { writes: { edit: { id: 1 } } }, /never edited/],
    ['unknown frequencies', { frequencies: { colour: { red: 1 } } }, /"colour" is not a facet/],
    ['frequencies that do not add up', { frequencies: { rating: { 1: 0.5 } } }, /frequencies of rating add up to 0.5/],
    ['frequencies of no value', { frequencies: { rating: { 9: 1 } } }, /frequencies of rating .* must be one of/],
    ['items of no bytes', { itemBytes: 0 }, /itemBytes is 0/],
    ['no items', { items: [] }, /items is empty/],
    ['a share of pages above 1', { pages: { share: 2 } }, /pages have a share of 2/],
    ['changes that come less than one at a time', { pages: { share: 0.1, together: 0 } }, /0 changes together/],
    ['an unknown store', { pages: { share: 0.1, stores: ['mysql' as never] } }, /"mysql" is no store.*redis/],
    ['an empty scope', { scopes: [{ scopes: 1, items: 0, reads: 1, writes: 1 }] }, /0 as items/],
    [
      'scopes that do not add up',
      { scopes: [{ scopes: 1, items: 5, reads: 0.5, writes: 1 }] },
      /scopes \(reads\) add up to 0.5/,
    ],
  ]
  test.each(refused)('%s', async (_, wrong, message) => {
    await expect(advise(comments as never, { ...usual, ...wrong })).rejects.toThrow(
      expect.objectContaining({ code: 'bad_request', message: expect.stringMatching(message) }),
    )
  })

  test('prices that are none', async () => {
    const prices = { ...US_EAST_1, gigabyteMonth: '0.25' as never }
    await expect(advise(comments as never, usual, { prices })).rejects.toThrow(/"0.25" as gigabyteMonth/)
    await expect(advise(comments as never, usual, { utilisation: 0 })).rejects.toThrow(/utilisation is 0/)
  })
})
