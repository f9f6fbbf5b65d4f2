import { isWanted } from '../../model/condition.ts'
import type { FacetValue } from '../../model/facet.ts'
import { ownValue } from '../../model/own-value.ts'
import { EVERY_SCOPE, type Filter, facetText, type Query, type Selection } from '../../model/query.ts'
import { isInRange, isRange } from '../../model/value-range.ts'
import type { AccessPath, AccessPaths, KnownValues, List, RefusedPath } from '../layout.ts'
import type { Refusal } from '../refusal.ts'
import { type FacetIndex, scopeText } from './index-keys.ts'
import { pathsWithin } from './ordered-facet.ts'

/** The part of a facet index that its lists are named by. */
export type FacetLists = Pick<FacetIndex, 'name' | 'partition' | 'sort' | 'only' | 'across' | 'shards' | 'ordered'>

/** Returns the indexes whose lists are in the order of a query. */
export function inOrderOf<I extends { readonly by?: string }>(
  indexes: readonly I[],
  { by: asked }: Pick<Query, 'by'>,
): readonly I[] {
  return indexes.filter(({ by }) => by === asked)
}

/** The scope and the facet values of a list, before its keys. */
export interface ListValues {
  readonly scope: string
  /** The number of the partition, where the index spreads its lists or all scopes over several; undefined for a list in one partition. */
  readonly shard: number | undefined
  readonly partition: readonly FacetValue[]
  readonly sort: readonly FacetValue[]
}

/** The keys of a list; the index is that of the path, unless it is the table itself. */
export type KeyedList = Pick<List, 'partition' | 'prefix' | 'reversed'> & Partial<Pick<List, 'index'>>

/** Returns every way to answer by some indexes, and those that can't. */
export function pathsOfIndexes<I extends Pick<FacetLists, 'ordered'>>(
  indexes: readonly I[],
  maxSources: number,
  pathOf: (index: I) => AccessPath | RefusedPath,
): AccessPaths {
  const paths: AccessPath[] = []
  const refused: RefusedPath[] = []
  for (const index of indexes) {
    const answer = pathOf(index)
    if ('lists' in answer) paths.push(...pathsWithin(answer, index.ordered, maxSources))
    else refused.push(answer)
  }
  return { paths, refused }
}

/**
 * Makes the access path of an index. Any index can answer any query at some price: facets of its keys take their values from the query or, where
 * the query leaves one open, from the facet's known values; facets that it lacks become a residual filter.
 */
export function accessPath(
  index: FacetLists,
  query: Query,
  known: KnownValues,
  maxSources: number,
  listOf: (values: ListValues) => KeyedList,
): AccessPath | RefusedPath {
  const refused = (refusal: Refusal): RefusedPath => ({ index: index.name, refusal })

  const asked = (facet: string, all: readonly FacetValue[] | undefined): readonly FacetValue[] | undefined => {
    const wanted = ownValue(query.where, facet)
    return isRange(wanted) ? all?.filter((value) => isInRange(wanted, value)) : (wanted ?? all)
  }

  for (const [facet, values] of Object.entries(index.only)) {
    const wanted = asked(facet, known(facet))
    if (wanted === undefined || !wanted.every((value) => values.includes(value))) {
      return refused({ kind: 'sparse', facet, values })
    }
  }

  const shards = shardsOf(index, query)
  if (shards === undefined) return refused({ kind: 'scope', lists: index.across === undefined ? 'one' : 'all' })

  const keyed = [...index.partition, ...index.sort]
  const choices: (readonly FacetValue[])[] = []
  for (const facet of keyed) {
    const values = asked(facet, ownValue(index.only, facet) ?? known(facet))
    if (values === undefined) {
      return refused({ kind: 'values', facet, asked: ownValue(query.where, facet) === undefined ? 'open' : 'range' })
    }
    choices.push(values)
  }
  const count = choices.reduce((product, values) => product * values.length, shards.length)
  if (count > maxSources) return refused({ kind: 'sources', needed: count, most: maxSources, scopes: false })

  const tuples = cartesian(choices)
  const { scope } = query
  const lists = shards.flatMap((shard) => tuples.map((values) => list(index, { scope, shard }, values, listOf)))
  const residual: Record<string, Filter[string]> = {}
  for (const [facet, wanted] of Object.entries(query.where)) {
    const held = ownValue(index.only, facet)?.every((value) => isWanted(wanted, value)) === true
    if (!held && !keyed.includes(facet)) residual[facet] = wanted
  }
  return { index: index.name, lists, residual }
}

/**
 * Returns the partitions over which the lists of a query are spread, one without a number where they are not spread; undefined where the index
 * has no such lists.
 */
function shardsOf(
  { across, shards = across }: FacetLists,
  { scope }: Query,
): readonly (number | undefined)[] | undefined {
  if ((across !== undefined) !== (scope === EVERY_SCOPE)) return undefined
  return shards === undefined ? [undefined] : Array.from({ length: shards }, (_, shard) => shard)
}

function list(
  index: FacetLists,
  where: Pick<ListValues, 'scope' | 'shard'>,
  values: readonly FacetValue[],
  listOf: (values: ListValues) => KeyedList,
): List {
  const partition = values.slice(0, index.partition.length)
  const sort = values.slice(index.partition.length)
  const holds: Record<string, readonly FacetValue[]> = { ...index.only }
  for (const [i, facet] of [...index.partition, ...index.sort].entries()) holds[facet] = [values[i] as FacetValue]
  const label = [scopeText(where), ...partition.map(facetText)].join('/')
  return Object.freeze({
    index: index.name,
    label: sort.length === 0 ? label : `${label}:${sort.map(facetText).join('#')}`,
    ...listOf({ ...where, partition, sort }),
    holds: Object.freeze(holds) as Selection,
    ...(where.shard === undefined ? {} : { part: 1 / (index.shards ?? index.across ?? 1) }),
  })
}

function cartesian(choices: readonly (readonly FacetValue[])[]): readonly (readonly FacetValue[])[] {
  return choices.reduce<readonly (readonly FacetValue[])[]>(
    (found, values) => found.flatMap((tuple) => values.map((value) => [...tuple, value])),
    [[]],
  )
}
