import fc from 'fast-check'
import { anyOf, defineCollection, parseQuery, type WhereInput } from 'lapidary'
import { collectionCase, collectionOf, queryOf, whereOf } from 'lapidary-testing'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { HttpProblem } from '../problem.ts'
import { questionAddress } from './address.ts'
import { type Question, readQuestion } from './question.ts'
import { EMPTY_TEXT, joinValues, splitValues } from './values-text.ts'
import { createViews, type View } from './view.ts'

const read = (view: View, address: string): Question => readQuestion(view, {}, new URLSearchParams(address))

test('an address asks the same question as the filter that it was made of, and there is one address for a question', () => {
  const drawn = collectionCase().chain((made) =>
    fc.record({ made: fc.constant(made), query: queryOf(made), also: whereOf(made, 1) }),
  )
  fc.assert(
    fc.property(drawn, ({ made, query, also }) => {
      const collection = collectionOf(made)
      const view = createViews(collection)({})
      const search = new URLSearchParams({ scope: String(query.scope) })
      for (const where of [query.where, also]) if (where !== undefined) search.append('where', JSON.stringify(where))
      for (const name of ['by', 'order', 'limit', 'from', 'to'] as const)
        if (query[name] !== undefined) search.set(name, query[name] === '' ? EMPTY_TEXT : String(query[name]))
      const filters = [query.where ?? {}, also]
      const asked = { ...query, where: { AND: filters } as unknown as WhereInput }
      // JSON leaves out what is undefined, and a filter in a filter has to ask something.
      fc.pre(!JSON.stringify(filters).includes('{}'))
      const first = read(view, String(search))
      expect(first.parsed).toEqual(parseQuery(collection, JSON.parse(JSON.stringify(asked))))
      const address = questionAddress(view, first, undefined)
      const second = read(view, address)
      expect(second.parsed).toEqual(first.parsed)
      expect(questionAddress(view, second, undefined)).toBe(address)
    }),
    { numRuns: 2_000 },
  )
})

test('values are split and joined without a loss', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom('', ',', '"', '","', 'a,b'))), (values) => {
      expect(splitValues(joinValues(values))).toEqual(values)
    }),
  )
})

test('a wrong parameter is refused by its name', () => {
  const made = defineCollection({
    name: 'COMMENT',
    schema: z.object({ id: z.string(), product: z.string(), at: z.string(), rating: z.number() }),
    id: 'id',
    scope: { name: 'PRODUCT', attribute: 'product' },
    order: 'at',
    facets: { rating: anyOf([1, 2, 3]) },
  })
  const view = createViews(made)({})
  const pathsOf = (address: string): readonly string[] => {
    try {
      read(view, address)
    } catch (error) {
      if (error instanceof HttpProblem) return (error.errors ?? []).map(({ path }) => path)
    }
    return []
  }
  expect(pathsOf('rating=9')).toEqual(['scope', 'rating'])
  expect(pathsOf('scope=1&not.rating=9')).toEqual(['not.rating'])
  expect(pathsOf('scope=1&where={"other":1}')).toEqual(['where.other'])
  expect(pathsOf('scope=1&where=[')).toEqual(['where'])
  expect(pathsOf('scope=1&rating.from=x&limit=0&order=up&page=1&cursor=c&by=no&from=yesterday')).toEqual(
    expect.arrayContaining(['rating.from', 'limit', 'order', 'page', 'from']),
  )
})
