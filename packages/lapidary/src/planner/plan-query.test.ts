import fc from 'fast-check'
import { collectionCase, collectionOf, queryOf } from 'lapidary-testing'
import { describe, expect, test } from 'vitest'
import { type Comment, comments, schemaOf } from '../../test/comments-fixture.ts'
import { indexes } from '../layouts/indexes/indexes.ts'
import { type Collection, defineCollection } from '../model/collection.ts'
import { anyOf, oneOf } from '../model/facet.ts'
import type { IndexDeclaration } from '../model/index-declaration.ts'
import { parseQuery, type QueryInput } from '../model/query.ts'
import { exactSize, readPrice } from './entry-size.ts'
import { declaredEstimates, type Estimates } from './estimates.ts'
import type { Plan } from './plan.ts'
import { noteText } from './plan-note.ts'
import { planQuery } from './plan-query.ts'

function planOf(
  input: Partial<QueryInput>,
  collection: Collection = comments,
  maxSources = 32,
  estimates?: Estimates,
): Plan {
  const query = parseQuery(collection, { scope: '42', ...input })
  return planQuery(indexes().of(collection), query, estimates ?? declaredEstimates(collection), { maxSources })
}

const { facets } = comments
/** The comments with indexes of their own. */
const indexed = (
  indexes: Record<string, IndexDeclaration<'language' | 'rating'>>,
  declared: object = facets,
): Collection =>
  defineCollection({
    name: 'COMMENT',
    schema: schemaOf<Comment>(),
    id: 'id',
    scope: { name: 'PRODUCT', attribute: 'productId' },
    order: 'createdAt',
    facets: declared as typeof facets,
    indexes,
  })

describe('comments', () => {
  test.each<[string, Partial<QueryInput>]>([
    ['everything', {}],
    ['one language', { where: { language: 'en' } }],
    ['one rating', { where: { rating: 5 } }],
    ['one list', { where: { language: 'en', rating: 5 } }],
    ['a merge', { where: { language: 'en', rating: [2, 3, 5] } }],
    ['a merge of all languages', { where: { rating: [1, 2] } }],
    ['most ratings', { where: { rating: [2, 3, 4, 5] } }],
    ['common ratings of a language', { where: { language: 'en', rating: [4, 5] } }],
    ['all ratings', { where: { language: 'en', rating: [1, 2, 3, 4, 5] } }],
    ['oldest first', { where: { language: 'en' }, order: 'oldest', limit: 100 }],
    ['one item', { where: { rating: [1, 3] }, limit: 1 }],
    ['a range', { where: { rating: 4 }, from: '2020-01-01T00:00:00.000Z', to: '2021-01-01T00:00:00.000Z' }],
    ['no rating', { where: { rating: [] } }],
    ['no time', { from: '2021-01-01T00:00:00.000Z', to: '2020-01-01T00:00:00.000Z' }],
    ['awkward values', { scope: '4/2#', where: { language: 'a/b~' } }],
  ])('%s', (_, input) => {
    expect(planOf(input).text).toMatchSnapshot()
  })

  test('every other way is rejected with its price and a reason', () => {
    const { rejected, text } = planOf({ where: { language: 'en', rating: [2, 3, 5] } })
    expect([text, ...rejected.map((other) => `${other.text} | ${other.reason}`)]).toMatchSnapshot()
  })
})

describe('other indexes', () => {
  test('a wide list with a filter, where no index has the facet', () => {
    const plan = planOf({ where: { rating: [4, 5] } }, indexed({ all: {} }))
    expect(plan.text).toMatchInlineSnapshot(
      `"all[42] FILTER rating IN (4, 5) BY position DESC LIMIT 20 -- 2 RCU, 1 round"`,
    )
    expect(plan.notes).toEqual([])
  })

  test('a filter that discards most of what it reads is reported', () => {
    const plan = planOf({ where: { rating: [2, 3] } }, indexed({ all: {} }))
    expect(plan.text).toMatchInlineSnapshot(
      `"all[42] FILTER rating IN (2, 3) BY position DESC LIMIT 20 -- 12 RCU, 1 round"`,
    )
    expect(plan.notes.map(noteText)).toMatchInlineSnapshot(`
      [
        "the filter lets through 13 % of what it reads; an index on its facets would be cheaper",
      ]
    `)
  })

  test('a sort prefix is a list within a partition', () => {
    const plan = planOf(
      { where: { language: 'en', rating: [1, 2] } },
      indexed({ byLanguage: { partition: ['language'], sort: ['rating'] } }),
    )
    expect(plan.text).toMatchInlineSnapshot(
      `"byLanguage[42/en:1, 42/en:2] MERGE BY position DESC LIMIT 20 -- 2.5 RCU, 1 round"`,
    )
  })

  test('an index with a sort prefix answers without the facet by merging all its values', () => {
    const plan = planOf(
      { where: { language: 'en' } },
      indexed({ byLanguage: { partition: ['language'], sort: ['rating'] } }),
    )
    expect(plan.text).toMatchInlineSnapshot(
      `"byLanguage[42/en:1, 42/en:2, 42/en:3, 42/en:4, 42/en:5] MERGE BY position DESC LIMIT 20 -- 3 RCU, 1 round"`,
    )
  })

  test('a sparse index answers only for what it holds', () => {
    const sparse = indexed({ all: {}, critical: { only: { rating: [1, 2] } } })
    expect(planOf({ where: { rating: [1, 2] } }, sparse).text).toMatchInlineSnapshot(
      `"critical[42] BY position DESC LIMIT 20 -- 1.5 RCU, 1 round"`,
    )
    expect(planOf({ where: { rating: [1] } }, sparse).text).toMatchInlineSnapshot(
      `"critical[42] FILTER rating IN (1) BY position DESC LIMIT 20 -- 2.5 RCU, 1 round"`,
    )
    const other = planOf({ where: { rating: [1, 3] } }, sparse)
    expect(other.text).toMatchInlineSnapshot(
      `"all[42] FILTER rating IN (1, 3) BY position DESC LIMIT 20 -- 8 RCU, 1 round"`,
    )
    expect(other.rejected).toContainEqual({
      text: 'critical',
      rcu: null,
      rounds: null,
      reason: 'sparse: it holds only rating in (1, 2)',
      refusal: { kind: 'sparse', facet: 'rating', values: [1, 2] },
    })
  })

  test('the cap on sources shows when it is hit', () => {
    const plan = planOf({ where: { rating: [1, 2, 3] } }, indexed({ all: {}, byRating: { partition: ['rating'] } }), 2)
    expect(plan.text).toMatchInlineSnapshot(
      `"all[42] FILTER rating IN (1, 2, 3) BY position DESC LIMIT 20 -- 6 RCU, 1 round"`,
    )
    expect(plan.notes.map(noteText)).toContain('byRating would need 3 sources, more than maxSources, 2')
  })

  test('a query that no index can answer says why for each', () => {
    const only = indexed({ byLanguage: { partition: ['language'] }, english: { only: { language: ['en'] } } })
    expect(() => planOf({ where: { rating: 5 } }, only)).toThrow(
      expect.objectContaining({
        code: 'query_not_plannable',
        message: expect.stringMatching(/byLanguage the query leaves language open.*english sparse/),
      }),
    )
  })

  test('equal plans are told apart by their text', () => {
    const twice = indexed({ second: {}, first: {} })
    const plan = planOf({}, twice)
    expect(plan.text).toMatch(/^first\[/)
    expect(plan.rejected.map(({ reason }) => reason)).toEqual(['costs the same'])
  })
})

describe('with statistics', () => {
  const counts: Record<number, number> = { 1: 0, 2: 0, 3: 3, 4: 10, 5: 1000 }
  const counted = (selection: Readonly<Record<string, readonly unknown[]>>): number =>
    ((selection.rating ?? [1, 2, 3, 4, 5]) as number[]).reduce((sum, rating) => sum + (counts[rating] ?? 0), 0)
  const statistics: Estimates = {
    ...declaredEstimates(comments),
    basis: 'statistics',
    count: (selection) => counted(selection) || undefined,
    share: (selection) => counted(selection) / 1013,
  }

  test('a list in which nothing is counted is read: the counts may be behind', () => {
    const plan = planOf({ where: { language: 'en', rating: [2, 3] } }, comments, 32, statistics)
    expect(plan.text).toMatchInlineSnapshot(
      `"byLanguageAndRating[42/en/2, 42/en/3] MERGE BY position DESC LIMIT 20 -- 1 RCU, 1 round"`,
    )
    expect(plan.notes).toEqual([])
  })

  test('a range that is filtered for what is counted nowhere costs no more than its list to the end', () => {
    const oneIndex = indexed({ all: {} })
    const priced = (input: Partial<QueryInput>): number =>
      planOf({ where: { rating: [1] }, ...input }, oneIndex, 32, statistics).estimated.rcu
    const toTheEnd = readPrice(1013, exactSize(oneIndex.itemBytes))
    expect(priced({})).toBeLessThanOrEqual(toTheEnd)
    expect(priced({ from: '2020-01-01T00:00:00.000Z' })).toBe(priced({}))
  })
})

test('the text is one line, whatever the values hold', () => {
  const open = indexed({ all: {} }, { language: oneOf(), rating: anyOf() })
  expect(
    planOf({ where: { language: 'a\nb', rating: ['', 'x, y', '"', '5'] as never } }, open).text,
  ).toMatchInlineSnapshot(
    `"all[42] FILTER language IN ("a\\nb") AND rating IN ("", "\\"", 5, "x, y") BY position DESC LIMIT 20 -- 6 RCU, 1 round"`,
  )
})

test('the same query gets the same plan, from whichever layout object', () => {
  const made = collectionCase().chain((collection) => fc.tuple(fc.constant(collection), queryOf(collection)))
  fc.assert(
    fc.property(made, ([declared, query]) => {
      const plans = [0, 1].map(() => {
        const collection = collectionOf(declared)
        return planQuery(indexes().of(collection), parseQuery(collection, query), declaredEstimates(collection), {
          maxSources: declared.maxSources,
        })
      })
      expect(plans[0]).toEqual(plans[1])
      expect(plans[0]?.text).not.toMatch(/[\n\r]/)
    }),
  )
})

test('a plan is frozen', () => {
  const plan = planOf({ where: { rating: [1, 2] } })
  for (const part of [plan, plan.root, plan.estimated, plan.rejected, plan.notes])
    expect(Object.isFrozen(part)).toBe(true)
})

test('what was asked lately is weighed once, and what was asked long ago is forgotten', () => {
  const lists = indexes().of(comments)
  let weighed = 0
  const watched: typeof lists = {
    ...lists,
    accessPaths(...given) {
      weighed += 1
      const { paths } = lists.accessPaths(...given)
      return { paths: paths.filter(({ index }) => index === 'byLanguage'), refused: [] }
    },
  }
  const ask = (scope: string, estimates = declaredEstimates(comments)): Plan =>
    planQuery(watched, parseQuery(comments, { scope, where: { language: 'en' } }), estimates)
  expect(ask('first')).toBe(ask('first'))
  expect(weighed).toBe(1)
  // Other estimates are another question.
  ask('first', { ...declaredEstimates(comments) })
  expect(weighed).toBe(2)
  for (let i = 0; i < 1_000; i++) ask(`later-${i}`)
  expect(weighed).toBe(1_002)
  ask('later-999')
  expect(weighed).toBe(1_002)
  ask('first')
  expect(weighed).toBe(1_003)
})
