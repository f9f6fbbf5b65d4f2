import { allOf } from '../model/combined-condition.ts'
import { type Condition, isAlways, isNever, term, termsOf } from '../model/condition.ts'
import { conditionWithin } from '../model/condition-within.ts'
import { ownValue } from '../model/own-value.ts'
import { knownSelection, type Query } from '../model/query.ts'
import { isRange } from '../model/value-range.ts'
import type { SourceShare } from './fetch-sizes.ts'
import type { WeighedPath } from './price.ts'

/**
 * Returns the queries that together answer one, for each `any` that it asks: one query for each of its conditions, by which other lists may be
 * chosen. An item that meets several of them answers several queries.
 *
 * @param most The most queries of a union: each reads a list or more.
 */
export function queriesOfUnions(query: Query, most: number): readonly (readonly Query[])[] {
  const { also } = query
  if (also === undefined) return []
  const parts = 'all' in also ? also.all : [also]
  return parts.flatMap((part) => {
    if (!('any' in part) || part.any.length > most) return []
    const others = parts.filter((other) => other !== part)
    return [part.any.map((met) => queryOf(query, [...others, met]))]
  })
}

/** Narrows a query by what it has to meet: by one value of a facet where lists may be chosen by it, else beside its filter. */
function queryOf({ also: _, ...query }: Query, met: readonly Condition[]): Query {
  const where = { ...query.where }
  const others = met
    .flatMap((each) => ('all' in each ? each.all : [each]))
    .filter((each) => {
      const isOne = 'facet' in each && !isRange(each.wanted) && each.wanted.length === 1
      if (!isOne || ownValue(where, each.facet) !== undefined || ownValue(query.whole ?? {}, each.facet) !== undefined)
        return true
      where[each.facet] = each.wanted
      return false
    })
  const also = conditionWithin(allOf(others), knownSelection(where))
  return { ...query, where, ...(isAlways(also) ? {} : { also }) }
}

/**
 * Returns the way that reads the lists of some together; undefined where two of them read the same list, of which they ask different items.
 *
 * @param asked What the query asks beside its filter.
 */
export function unionOf(paths: readonly WeighedPath[], asked: Condition): WeighedPath | undefined {
  const several = new Set(termsOf(asked).flatMap((each) => (each.several ? [each.facet] : [])))
  const parts = paths.flatMap(({ lists, sources, counts, residual, also }) => {
    const terms = Object.entries(residual).map(([facet, wanted]) => term(facet, wanted, several.has(facet)))
    return lists.map((list, i) => {
      const met = allOf([...terms, ...(also[i] === undefined ? [] : [also[i]])])
      return { list, source: sources[i] as SourceShare, count: counts[i], met }
    })
  })
  const read = parts.filter(({ met }) => !isNever(met))
  if (new Set(read.map(({ list: { index, label } }) => `${index} ${label}`)).size < read.length) return undefined
  return {
    lists: read.map(({ list }) => list),
    sources: read.map(({ source }) => source),
    counts: read.map(({ count }) => count),
    residual: {},
    also: read.map(({ met }) => (isAlways(met) ? undefined : met)),
  }
}
