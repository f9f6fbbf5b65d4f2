import { describe, expect, test } from 'vitest'
import { comments } from '../../test/comments-fixture.ts'
import { indexes } from '../layouts/indexes/indexes.ts'
import type { List } from '../layouts/layout.ts'
import { type Collection, defineCollection } from '../model/collection.ts'
import { anyOf } from '../model/facet.ts'
import { parseQuery, type QueryInput } from '../model/query.ts'
import { declaredEstimates, type Estimates, type RecentGiving } from './estimates.ts'
import { type Plan, planSources } from './plan.ts'
import { type PlannerOptions, planQuery } from './plan-query.ts'

const merging: QueryInput = { scope: '42', where: { language: 'en', rating: [1, 3] } }

/** What lists gave, by their labels. */
const recentOf =
  (given: Readonly<Record<string, Partial<RecentGiving>>>) =>
  ({ label }: List): RecentGiving | undefined => {
    const seen = given[label]
    return seen && { given: 0, passed: seen.given ?? 0, read: seen.given ?? 0, ahead: 0, ...seen }
  }

function plan(
  input: QueryInput,
  options: PlannerOptions = {},
  collection: Collection = comments,
  estimates: Estimates = declaredEstimates(collection),
): Plan {
  return planQuery(indexes().of(collection), parseQuery(collection, input), estimates, options)
}

const fetched = (of: Plan): readonly number[] => planSources(of).map(({ source }) => source.fetch)

describe('where lists were read lately', () => {
  const burst = recentOf({ '42/en/1': { given: 1 }, '42/en/3': { given: 60 } })

  test('a plan reads by what they gave, and says so in its text and its price', () => {
    const [usual, local] = [plan(merging), plan(merging, { recent: burst })]
    expect(fetched(usual)[0]).toBeGreaterThanOrEqual(fetched(usual)[1] ?? 0)
    expect(fetched(local)[1]).toBeGreaterThan(fetched(local)[0] ?? 0)
    expect(local.estimated).not.toEqual(usual.estimated)
    expect(local.text.split(' -- ')[0]).toBe(usual.text.split(' -- ')[0])
    expect(local.text).toContain(`-- ${Math.round(local.estimated.rcu * 2) / 2} RCU`)
    // What was rejected stays so, at the prices of whole lists.
    expect(local).toMatchObject({ rejected: usual.rejected, notes: usual.notes, query: usual.query })
    expect(Object.isFrozen(local)).toBe(true)
  })

  test('what certainly comes next needs no room for chance', () => {
    const ahead = recentOf({ '42/en/1': { given: 12, ahead: 10 }, '42/en/3': { given: 8, ahead: 9 } })
    const [some, most] = [recentOf({ '42/en/1': { given: 12 }, '42/en/3': { given: 8 } }), ahead]
    expect(plan(merging, { recent: most }).estimated.rounds).toBeLessThan(
      plan(merging, { recent: some }).estimated.rounds,
    )
  })

  test('the plan is that of whole lists, where one of them was not read', () => {
    const usual = plan(merging)
    expect(plan(merging, { recent: recentOf({ '42/en/3': { given: 60 } }) })).toMatchObject({ text: usual.text })
    expect(fetched(plan(merging, { recent: recentOf({ '42/en/3': { given: 60 } }) }))).toEqual(fetched(usual))
    expect(plan(merging, { recent: () => undefined }).root).toEqual(usual.root)
  })

  test('one list that is the answer has all of it, wherever the page begins', () => {
    const one: QueryInput = { scope: '42', where: { language: 'en' } }
    expect(plan(one, { recent: () => ({ given: 1, passed: 1, read: 50, ahead: 0 }) })).toEqual(plan(one))
  })

  test('nothing to read stays nothing to read', () => {
    const none: QueryInput = { scope: '42', where: { rating: [] } }
    expect(plan(none, { recent: () => ({ given: 1, passed: 1, read: 1, ahead: 0 }) })).toEqual(plan(none))
  })

  test('another way is taken where it is cheaper there, and the usual one is rejected', () => {
    const filtering = defineCollection({
      ...comments,
      indexes: { all: {}, byLanguageAndRating: { partition: ['language', 'rating'] } },
    } as never) as unknown as Collection
    // Nearly all that was read lately passed the filter.
    const asked: QueryInput = { scope: '42', where: { language: 'en', rating: [1, 2, 3, 4] } }
    const usual = plan(asked, {}, filtering)
    const local = plan(asked, { recent: recentOf({ '42': { given: 400, passed: 400, read: 400 } }) }, filtering)
    expect([usual.text, local.text].map((text) => text.split('[')[0])).toEqual(['byLanguageAndRating', 'all'])
    expect(local.rejected.map(({ text }) => text.split('[')[0])).toEqual(['byLanguageAndRating'])
    expect(local.rejected[0]?.rcu).toBe(usual.estimated.rcu)
  })
})

describe('a plan that is not taken says why', () => {
  test('costs more, with the rounds that it may take more', () => {
    const { rejected, estimated, roundPrice } = plan(merging)
    expect(rejected.length).toBeGreaterThan(0)
    for (const { reason, rcu } of rejected) {
      expect(Number(/^costs ([\d.]+) RCU more/.exec(reason)?.[1])).toBeGreaterThan(0)
      expect(rcu).toBeGreaterThan(0)
    }
    expect(roundPrice).toBe(3)
    expect(estimated.rounds).toBeLessThan(2)
  })

  test('costs the same with more requests', () => {
    const twice = defineCollection({
      ...comments,
      indexes: { whole: {}, split: { partition: ['rating'] } },
    } as never) as unknown as Collection
    const estimates = {
      ...declaredEstimates(twice),
      // Two lists of half a block each, or one of a block: both cost one unit.
      size: (list: List) => ({ mean: list.index === 'whole' ? 4_096 : 2_048, spread: 0, doubt: 0 }),
      count: (selection: object) => ('rating' in selection ? 1 : 2),
      share: (selection: object) => ('rating' in selection ? 0.5 : 1),
      values: () => [4, 5],
    }
    const { text, rejected } = plan({ scope: '42' }, {}, twice, estimates)
    expect(text).toMatch(/^whole\[/)
    expect(rejected).toMatchObject([{ rcu: 1, reason: 'costs the same with more requests' }])
  })
})

test('the same question on the same estimates is one plan, and another cap or round price is another question', () => {
  const lists = indexes().of(comments)
  const query = parseQuery(comments, merging)
  const estimates = declaredEstimates(comments)
  const ask = (options: PlannerOptions = {}): Plan => planQuery(lists, query, estimates, options)
  expect(ask()).toBe(ask())
  expect(ask({ maxSources: 32, roundPrice: 3 })).toBe(ask())
  expect(ask({ roundPrice: 0.1 }).roundPrice).toBe(0.1)
  expect(ask({ maxSources: 1 }).text).not.toBe(ask().text)
  expect(ask()).toMatchObject({ kind: 'plan', query, basis: 'declared', trust: estimates.trust })
})

test('of one question the plan on the latest estimates is remembered, so that those before it can go', () => {
  const lists = indexes().of(comments)
  const query = parseQuery(comments, merging)
  const earlier = { ...declaredEstimates(comments) }
  const first = planQuery(lists, query, earlier)
  planQuery(lists, query, { ...earlier })
  const again = planQuery(lists, query, earlier)
  expect(again).toEqual(first)
  expect(again).not.toBe(first)
})

test('where nothing was learned of a place, its plan is the very one that is remembered', () => {
  const lists = indexes().of(comments)
  const query = parseQuery(comments, merging)
  const estimates = declaredEstimates(comments)
  const usual = planQuery(lists, query, estimates)
  expect(planQuery(lists, query, estimates, { recent: () => undefined })).toBe(usual)
  const elsewhere = planQuery(lists, query, estimates, { recent: recentOf({ '42/fr/1': { given: 9 } }) })
  expect(elsewhere).toBe(usual)
})

test('a question that no item can match is a plan that costs and reads nothing', () => {
  const { query, ...rest } = plan({ scope: '42', where: { rating: [] } })
  expect(rest).toEqual({
    ...{
      kind: 'plan',
      root: { kind: 'empty', reason: 'unmatched' },
      text: 'EMPTY (no value or no time is left to match) -- 0 RCU, 0 rounds',
      basis: 'declared',
    },
    ...{ estimated: { rcu: 0, requests: 0, rounds: 0 }, roundPrice: 0, trust: 40, rejected: [], notes: [] },
  })
})

/** The comments with indexes of their own. */
const indexed = (declared: object, facets: object = comments.facets): Collection =>
  defineCollection({ ...comments, facets, indexes: declared } as never) as unknown as Collection

describe('the notes of a plan', () => {
  test('name the caps that were hit, and no other reason why an index can not answer', () => {
    const sparse = indexed({ all: {}, critical: { only: { rating: [1, 2] } }, byRating: { partition: ['rating'] } })
    const asked: QueryInput = { scope: '42', where: { rating: [3, 4, 5] } }
    expect(plan(asked, { maxSources: 2 }, sparse).notes).toEqual([
      { kind: 'refused', index: 'byRating', refusal: { kind: 'sources', needed: 3, most: 2, scopes: false } },
    ])
    expect(plan(asked, {}, sparse).notes).toEqual([])
  })

  test.each([
    [0.3, 0],
    [0.29, 1],
  ])('warn of a filter that lets through less than 30 %%: at %d', (share, warnings) => {
    const facets = { rating: anyOf([1, 2], { frequencies: { 1: share, 2: 1 - share } }) }
    const { notes } = plan({ scope: '42', where: { rating: [1] } }, {}, indexed({ all: {} }, facets))
    expect(notes).toHaveLength(warnings)
  })
})

test('a query that no index can answer says why for each, also as data', () => {
  const only = indexed({ byLanguage: { partition: ['language'] }, english: { only: { language: ['en'] } } })
  const refused = [
    {
      text: 'byLanguage',
      rcu: null,
      rounds: null,
      reason: 'the query leaves language open and its values are not known',
      refusal: { kind: 'values', facet: 'language', asked: 'open' },
    },
    {
      ...{ text: 'english', rcu: null, rounds: null, reason: 'sparse: it holds only language in (en)' },
      refusal: { kind: 'sparse', facet: 'language', values: ['en'] },
    },
  ]
  expect(() => plan({ scope: '42', where: { rating: 5 } }, {}, only)).toThrow(
    expect.objectContaining({
      code: 'query_not_plannable',
      message: expect.stringContaining(refused.map(({ text, reason }) => `${text} ${reason}`).join('; ')),
      details: { refused },
    }),
  )
})

describe('an index that may not be read now', () => {
  const estimates = declaredEstimates(comments)
  const layout = indexes().of(comments)
  const planned = (unusable?: PlannerOptions['unusable']): Plan =>
    planQuery(layout, parseQuery(comments, merging), estimates, { unusable })
  const usual = planned()
  const index = planSources(usual)[0]?.source.list.index ?? ''
  const without = (kind: 'filling' | 'absent', name = index): Plan => planned(new Map([[name, { kind }]]))

  test('is refused with its reason, and the next best way is taken', () => {
    const other = without('filling')
    expect(planSources(other).map(({ source }) => source.list.index)).not.toContain(index)
    expect(other.notes).toContainEqual({ kind: 'refused', index, refusal: { kind: 'filling' } })
    expect(other.rejected).toContainEqual({
      ...{ text: index, rcu: null, rounds: null, refusal: { kind: 'filling' } },
      reason: 'is not used: it is filling; lapidary backfill completes it, once the table has it',
    })
  })

  test('is another question for each reason, and none where it would not answer', () => {
    expect(without('absent').notes).not.toEqual(without('filling').notes)
    expect(without('filling')).toBe(without('filling'))
    expect(planned(new Map())).toBe(usual)
    const elsewhere = without('filling', 'elsewhere')
    expect([elsewhere.root, elsewhere.notes, elsewhere.rejected]).toEqual([usual.root, usual.notes, usual.rejected])
  })
})
