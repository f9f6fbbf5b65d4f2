import type { FacetValue } from '../../model/facet.ts'
import { EVERY_SCOPE, facetText, type Query, type Selection } from '../../model/query.ts'
import type { AccessPath, KnownValues, List, RefusedPath } from '../layout.ts'
import { type FacetIndex, placeText } from './index-keys.ts'

/** Of an index on facets what its lists are named by. */
export type FacetLists = Pick<FacetIndex, 'name' | 'partition' | 'sort' | 'only' | 'across'>

/** The indexes whose lists are in the order of a query. */
export function inOrderOf<I extends { readonly by?: string }>(
  indexes: readonly I[],
  { by: asked }: Pick<Query, 'by'>,
): readonly I[] {
  return indexes.filter(({ by }) => by === asked)
}

/** The scope and the facet values of a list, before its keys. */
export interface ListPlace {
  readonly scope: string
  /** One of the partitions of all scopes; undefined for a list of one scope. */
  readonly shard: number | undefined
  readonly partition: readonly FacetValue[]
  readonly sort: readonly FacetValue[]
}

/**
 * Any index can answer any query at some price: facets of its keys take their values from the query or, where the query
 * leaves one open, from the facet's known values; facets that it lacks become a residual filter.
 */
export function accessPath(
  index: FacetLists,
  query: Query,
  known: KnownValues,
  maxSources: number,
  listOf: (place: ListPlace) => Pick<List, 'partition' | 'prefix' | 'reversed'>,
): AccessPath | RefusedPath {
  const refused = (reason: string, capped = false): RefusedPath => ({ index: index.name, reason, capped })

  for (const [facet, values] of Object.entries(index.only)) {
    const wanted = own(query.where, facet) ?? known(facet)
    if (wanted === undefined || !wanted.every((value) => values.includes(value))) {
      return refused(`sparse: it holds only ${facet} in (${values.map(String).join(', ')})`)
    }
  }

  const shards = shardsOf(index, query)
  if (shards === undefined) {
    return refused(
      index.across === undefined
        ? 'its lists are of one scope, and the query is of all'
        : 'its lists are of all scopes',
    )
  }

  const keyed = [...index.partition, ...index.sort]
  const choices: (readonly FacetValue[])[] = []
  for (const facet of keyed) {
    const values = own(query.where, facet) ?? own(index.only, facet) ?? known(facet)
    if (values === undefined) return refused(`the query leaves ${facet} open and its values are not known`)
    choices.push(values)
  }
  const count = choices.reduce((product, values) => product * values.length, shards.length)
  if (count > maxSources) return refused(`would need ${count} sources, more than the cap of ${maxSources}`, true)

  const tuples = cartesian(choices)
  const { scope } = query
  const lists = shards.flatMap((shard) => tuples.map((values) => list(index, { scope, shard }, values, listOf)))
  const residual: Record<string, readonly FacetValue[]> = {}
  for (const [facet, values] of Object.entries(query.where)) {
    const narrowedByIndex = keyed.includes(facet) || sameValues(own(index.only, facet), values)
    if (!narrowedByIndex) residual[facet] = values
  }
  return { index: index.name, lists, residual }
}

/** Of a query of all scopes the partitions that have them, else one without a number; undefined where the index has no such lists. */
function shardsOf({ across }: FacetLists, { scope }: Query): readonly (number | undefined)[] | undefined {
  if ((across !== undefined) !== (scope === EVERY_SCOPE)) return undefined
  return across === undefined ? [undefined] : Array.from({ length: across }, (_, shard) => shard)
}

function list(
  index: FacetLists,
  where: Pick<ListPlace, 'scope' | 'shard'>,
  values: readonly FacetValue[],
  listOf: (place: ListPlace) => Pick<List, 'partition' | 'prefix' | 'reversed'>,
): List {
  const partition = values.slice(0, index.partition.length)
  const sort = values.slice(index.partition.length)
  const holds: Record<string, readonly FacetValue[]> = { ...index.only }
  for (const [i, facet] of [...index.partition, ...index.sort].entries()) holds[facet] = [values[i] as FacetValue]
  const label = [placeText(where), ...partition.map(facetText)].join('/')
  return Object.freeze({
    index: index.name,
    label: sort.length === 0 ? label : `${label}:${sort.map(facetText).join('#')}`,
    ...listOf({ ...where, partition, sort }),
    holds: Object.freeze(holds) as Selection,
  })
}

function cartesian(choices: readonly (readonly FacetValue[])[]): readonly (readonly FacetValue[])[] {
  return choices.reduce<readonly (readonly FacetValue[])[]>(
    (found, values) => found.flatMap((tuple) => values.map((value) => [...tuple, value])),
    [[]],
  )
}

function sameValues(a: readonly FacetValue[] | undefined, b: readonly FacetValue[]): boolean {
  return a !== undefined && a.length === b.length && b.every((value) => a.includes(value))
}

/** Facets may be named as members of every object are: `constructor`. */
function own<V>(record: Readonly<Record<string, V>>, name: string): V | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}
