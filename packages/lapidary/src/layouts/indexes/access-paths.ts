import type { Collection } from '../../model/collection.ts'
import type { FacetValue } from '../../model/facet.ts'
import { escapeComponent } from '../../model/key-text.ts'
import { EVERY_SCOPE, facetText, type Query, type Selection } from '../../model/query.ts'
import type { AccessPath, KnownValues, List, RefusedPath } from '../layout.ts'
import { aroundPrefix } from './around.ts'
import { everyScope, type FacetIndex, partitionKey, sortPrefix } from './index-keys.ts'

/**
 * Any index can answer any query at some price: facets of its keys take their values from the query or, where the query
 * leaves one open, from the facet's known values; facets that it lacks become a residual filter.
 */
export function accessPath(
  collection: Collection,
  index: FacetIndex,
  query: Query,
  known: KnownValues,
  maxSources: number,
): AccessPath | RefusedPath {
  const refused = (reason: string, capped = false): RefusedPath => ({ index: index.name, reason, capped })
  if (index.around === 'parent') return refused(`assembled: it holds each ${collection.name} by itself`)

  for (const [facet, values] of Object.entries(index.only)) {
    const wanted = own(query.where, facet) ?? known(facet)
    if (wanted === undefined || !wanted.every((value) => values.includes(value))) {
      return refused(`sparse: it holds only ${facet} in (${values.join(', ')})`)
    }
  }

  const places = placesOf(index, query)
  if (places === undefined)
    return refused(
      index.across === undefined
        ? 'its lists are of one scope, and the query is of all'
        : 'its lists are of all scopes',
    )

  const keyed = [...index.partition, ...index.sort]
  const choices: (readonly FacetValue[])[] = []
  for (const facet of keyed) {
    const values = own(query.where, facet) ?? own(index.only, facet) ?? known(facet)
    if (values === undefined) return refused(`the query leaves ${facet} open and its values are not known`)
    choices.push(values)
  }
  const count = choices.reduce((product, values) => product * values.length, places.length)
  if (count > maxSources) return refused(`would need ${count} sources, more than the cap of ${maxSources}`, true)

  const tuples = cartesian(choices)
  const lists = places.flatMap((place) => tuples.map((values) => list(collection, index, place, values)))
  const residual: Record<string, readonly FacetValue[]> = {}
  for (const [facet, values] of Object.entries(query.where)) {
    const narrowedByIndex = keyed.includes(facet) || sameValues(own(index.only, facet), values)
    if (!narrowedByIndex) residual[facet] = values
  }
  return { index: index.name, lists, residual }
}

/** The scope of the query, escaped, or the partitions of all scopes; undefined where the index does not have them. */
function placesOf({ across }: FacetIndex, { scope }: Query): readonly string[] | undefined {
  if ((across !== undefined) !== (scope === EVERY_SCOPE)) return undefined
  return across === undefined ? [escapeComponent(scope)] : Array.from({ length: across }, (_, i) => everyScope(i))
}

function list(collection: Collection, index: FacetIndex, place: string, values: readonly FacetValue[]): List {
  const partition = values.slice(0, index.partition.length)
  const sort = values.slice(index.partition.length)
  const holds: Record<string, readonly FacetValue[]> = { ...index.only }
  for (const [i, facet] of [...index.partition, ...index.sort].entries()) holds[facet] = [values[i] as FacetValue]
  const label = [place, ...partition.map(facetText)].join('/')
  const { around } = index
  return Object.freeze({
    index: index.name,
    label: sort.length === 0 ? label : `${label}:${sort.map(facetText).join('#')}`,
    partition: partitionKey(around === undefined ? collection : collection.scope, place, partition),
    prefix: around === 'below' || around === 'above' ? aroundPrefix(around) : sortPrefix(sort),
    holds: Object.freeze(holds) as Selection,
    ...(around === 'above' ? { reversed: true } : {}),
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
