import { PutItemCommand } from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import { anyOf, defineCollection, indexes, nativeKeys, oneOf, powerSet } from 'lapidary'
import { chosenSeed, createOracle } from 'lapidary-testing'
import { describe, expect, test } from 'vitest'
import { testEngines } from '../../../test/engines/index.ts'
import { collect } from './collect.ts'
import { schemaOf } from './comments-fixture.ts'
import { openTestTable } from './test-table.ts'

type Review = {
  readonly id: string
  readonly product: string
  readonly at: string
  readonly stars: number
  readonly grade: string
  readonly language: string
  readonly bought?: boolean
}

/** Lists are in the order of two of its facets, whose values do not sort as they are declared. */
const reviews = defineCollection({
  name: 'REVIEW',
  schema: schemaOf<Review>(),
  id: 'id',
  scope: { name: 'PRODUCT', attribute: 'product' },
  order: 'at',
  orders: { stars: { attribute: 'stars', type: 'number' }, grade: { attribute: 'grade', type: 'string' } },
  facets: {
    language: oneOf(),
    stars: anyOf([10, 1, 2, 3, -4.5]),
    grade: anyOf(['b', 'a', 'é', 'c'], { listed: false }),
    bought: anyOf([true, false], { optional: true, listed: false }),
  },
})

const STARS = [10, 1, 2, 3, -4.5]
const GRADES = ['b', 'a', 'é', 'c']
const review = (i: number): Review => ({
  ...{ id: `r${i}`, product: 'p', at: new Date(Date.UTC(2026, 0, 1 + (i % 9))).toISOString() },
  ...{ stars: STARS[(i * 7) % 5] ?? 1, grade: GRADES[(i * 5) % 4] ?? 'a', language: i % 3 === 0 ? 'de' : 'en' },
  ...(i % 4 === 0 ? {} : { bought: i % 4 === 1 }),
})
const seed = chosenSeed(process.env.FC_SEED)
console.log(`FC_SEED=${seed}`)

const [embedded, local] = testEngines()
const layouts = [
  { layout: indexes(), engine: embedded },
  { layout: powerSet(), engine: embedded },
  { layout: nativeKeys(), engine: local },
]

describe.each(layouts)('lists in the order of a facet, by $layout.name', ({ layout, engine }) => {
  test('some of its values are the ranges of them, whatever else is asked, both ways and with pages of any size', async () => {
    if (engine === undefined) throw new Error('no engine')
    await using table = await openTestTable(engine, { reviews }, { layout })
    const oracle = createOracle(reviews)
    for (let i = 0; i < 60; i++) oracle.put(await table.lapidary.reviews.create(review(i)))
    const some = <T>(values: readonly T[]) => fc.option(fc.subarray([...values], { minLength: 1 }), { nil: undefined })
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          by: fc.constantFrom('stars' as const, 'grade' as const),
          order: fc.constantFrom('highest' as const, 'lowest' as const),
          limit: fc.constantFrom(1, 3, 20, 100),
          stars: some(STARS),
          grade: some(GRADES),
          language: fc.constantFrom(undefined, 'en', 'fr'),
          bought: some([true, false, null]),
        }),
        async ({ stars, grade, language, bought, ...rest }) => {
          const given = { stars, grade, language, bought }
          const where = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
          const query = { scope: 'p', where, ...rest } as never
          const items = await collect(table.lapidary.reviews.iterate(query))
          expect(items).toEqual(oracle.matching(query))
        },
      ),
      { seed, numRuns: 60 },
    )
  })
})

test('the plan reads the range, and no more, and a value that is declared no more is left out of it', async () => {
  if (embedded === undefined) throw new Error('no engine')
  await using table = await openTestTable(embedded, { reviews })
  const { reviews: client } = table.lapidary
  for (let i = 0; i < 60; i++) await client.create(review(i))
  const list = (stars: readonly never[], order: 'highest' | 'lowest' = 'highest') =>
    client.list({ scope: 'p', by: 'stars', where: { stars }, order, limit: 100 })
  const lowest = await list([1, 2] as never)
  expect(lowest.plan.text).toMatch(/^allByStars\[p:1\.2\] FILTER stars IN \(1, 2\) BY stars DESC LIMIT 100/)
  expect(lowest.plan.actual).toMatchObject({ itemsRead: lowest.items.length, requests: 1 })
  const apart = await list([10, 1] as never, 'lowest')
  expect(apart.plan.text).toMatch(/^allByStars\[p:1, p:10\] MERGE BY stars ASC LIMIT 100/)
  expect(apart.plan.actual?.itemsRead).toBe(apart.items.length)
  const all = await list(STARS as never)
  expect(all.plan.text).toMatch(/^allByStars\[p\] BY stars DESC/)

  // As an item is that was written while 1.5 was declared: its key lies between those of 1 and 2.
  const keyOf = async (stars: number): Promise<string> =>
    (await client.writes.create({ ...review(100), stars })).writes[0]?.Put?.Item?.['s.~stars']?.S ?? ''
  const [one, two] = [await keyOf(1), await keyOf(2)]
  const between = `${one.slice(0, 4)}8${one.slice(5)}`
  expect(between > one && between < two).toBe(true)
  const { writes } = await client.writes.create({ ...review(100), stars: 1 })
  const undeclared = { ...writes[0]?.Put?.Item, stars: { N: '1.5' }, 's.~stars': { S: between } }
  await table.client.send(new PutItemCommand({ TableName: table.tableName, Item: undeclared }))
  expect((await list([1, 2] as never)).items).toEqual(lowest.items)
})

test('many scopes are read by a filter where their ranges would be too many sources', async () => {
  if (embedded === undefined) throw new Error('no engine')
  await using table = await openTestTable(embedded, { reviews })
  const { reviews: client } = table.lapidary
  const scopes = Array.from({ length: 17 }, (_, i) => `p${i}`)
  for (const [i, product] of scopes.entries()) await client.create({ ...review(i), product })
  const query = { by: 'stars', where: { stars: [1, 10] as never[] }, order: 'highest', limit: 100 } as const
  const { items, plan } = await client.list({ ...query, scope: scopes })
  expect(items.map(({ id }) => id).toSorted()).toEqual(
    scopes.flatMap((_, i) => ([1, 10].includes(review(i).stars) ? [`r${i}`] : [])).toSorted(),
  )
  expect(plan.text).toContain('FILTER stars IN')
  expect(plan.text).toMatch(/^allByStars/)
  // The index that is read is not said to be refused.
  expect(plan.rejected.map(({ text }) => text)).not.toContain('allByStars')
  expect(plan.notes).not.toContainEqual(expect.objectContaining({ index: 'allByStars' }))
})

test('a value of -0 is where 0 is', async () => {
  if (embedded === undefined) throw new Error('no engine')
  const zeros = defineCollection({
    ...{ name: 'ZERO', schema: schemaOf<Review>(), id: 'id', scope: { name: 'PRODUCT', attribute: 'product' } },
    ...{ order: 'at', orders: { stars: { attribute: 'stars', type: 'number' } } },
    facets: { stars: anyOf([-0, 1], { listed: false }) },
  })
  await using table = await openTestTable(embedded, { zeros })
  const { zeros: client } = table.lapidary
  await client.create({ ...review(1), stars: 0 })
  expect((await client.list({ scope: 'p', by: 'stars', where: { stars: [0] }, order: 'highest' })).items).toHaveLength(
    1,
  )
})

test('a facet that is not listed is in no index, and an index that names it is refused', async () => {
  const names = indexes()
    .of(reviews)
    .indexes.map(({ name }) => name)
  expect(names).toEqual(['all', 'byLanguage', 'byStars', 'byLanguageAndStars', 'allByStars', 'allByGrade'])
  expect(powerSet().of(reviews).entriesOf(review(1), {})).toHaveLength(32)
  const declare = () =>
    defineCollection({
      ...{ name: 'REVIEW', schema: schemaOf<Review>(), id: 'id', scope: { name: 'PRODUCT', attribute: 'product' } },
      ...{
        order: 'at',
        facets: { language: oneOf({ listed: false }) },
        indexes: { byLanguage: { partition: ['language'] } },
      },
    })
  expect(declare).toThrow('index byLanguage is on language, which is declared listed: false')
})
