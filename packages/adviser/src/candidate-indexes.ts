import type { Collection, FacetValue, IndexDeclaration } from 'lapidary'
import { compareBytes, furtherOrders, indexInOrder, knownSelection, ownValue } from 'lapidary/internal'
import type { CheckedWorkload } from './workload.ts'

/** An index that may be worth its writes. */
export interface CandidateIndex {
  readonly name: string
  readonly declaration: IndexDeclaration
}

/** The most facets whose subsets are all tried; with more, each facet by itself and those that queries name together. */
const MOST_FACETS = 4

/** How many of the most frequent queries have sparse indexes tried. */
const MOST_SPARSE = 8

/**
 * Returns the indexes from which sets are chosen: on every subset of the facets that queries narrow, and for each query a sparse one that holds
 * its values of some facets, with the others in the key. Each order has those of its own queries.
 *
 * A facet in the sort prefix makes the same lists at the same price as in the partition, in fewer partitions, so it is not tried.
 */
export function candidateIndexes(collection: Collection, workload: CheckedWorkload): readonly CandidateIndex[] {
  const orders = [undefined, ...furtherOrders(collection).map(([name]) => name)]
  return orders.flatMap((by) => {
    const queries = workload.queries.filter(({ query, share }) => share > 0 && query.by === by)
    const candidates = candidatesFor(collection, queries)
    if (by === undefined) return candidates
    return candidates.map(({ name, declaration }) => ({
      name: indexInOrder(name, by),
      declaration: { ...declaration, order: by },
    }))
  })
}

function candidatesFor(collection: Collection, queries: CheckedWorkload['queries']): readonly CandidateIndex[] {
  const asked = queries.map(({ query }) => query.where)
  const narrowed = Object.keys(collection.facets).filter((facet) => asked.some((where) => facet in where))
  const named = new Map<string, CandidateIndex>()
  const add = (candidate: CandidateIndex): void => {
    if (!named.has(candidate.name)) named.set(candidate.name, candidate)
  }
  const together = [[], ...narrowed.map((facet) => [facet]), ...asked.map((where) => Object.keys(where)), narrowed]
  const partitions =
    narrowed.length <= MOST_FACETS ? subsets(narrowed) : together.map((facets) => queriesInOrder(narrowed, facets))
  for (const partition of partitions) add({ name: nameOf(partition, {}), declaration: { partition } })
  const most = queries.toSorted((a, b) => b.share - a.share).slice(0, MOST_SPARSE)
  for (const where of most.map(({ query }) => knownSelection(query.where))) {
    for (const facets of togetherOf(Object.keys(where))) {
      if (facets.length === 0) continue
      const only = Object.fromEntries(facets.map((facet) => [facet, ownValue(where, facet) ?? []]))
      if (Object.values(only).some((values) => values.length === 0)) continue
      const partition = queriesInOrder(
        narrowed,
        Object.keys(where).filter((facet) => !facets.includes(facet)),
      )
      add({ name: nameOf(partition, only), declaration: { partition, only } })
    }
  }
  return [...named.values()]
}

/** Returns all subsets; with many facets, each by itself and all together. */
function togetherOf(facets: readonly string[]): readonly (readonly string[])[] {
  return facets.length <= MOST_FACETS ? subsets(facets) : [...facets.map((facet) => [facet]), facets]
}

function subsets(facets: readonly string[]): readonly (readonly string[])[] {
  return Array.from({ length: 2 ** facets.length }, (_, i) => facets.filter((_facet, bit) => (i >> bit) % 2 === 1))
}

function queriesInOrder(facets: readonly string[], chosen: readonly string[]): readonly string[] {
  return facets.filter((facet) => chosen.includes(facet))
}

/** Names an index as DynamoDB allows, in at most 255 letters: `byLanguageAndRating`, `rating_4_5`, `rating_4_5_byLanguage`. */
function nameOf(partition: readonly string[], only: Readonly<Record<string, readonly FacetValue[]>>): string {
  const plain = (text: string): string =>
    text.replace(/[^A-Za-z0-9_.-]/g, (mark) => `.${mark.codePointAt(0)?.toString(16)}.`)
  const by = partition.map((facet) => plain(facet.charAt(0).toUpperCase() + facet.slice(1))).join('And')
  const held = Object.entries(only)
    .toSorted(([a], [b]) => compareBytes(a, b))
    .map(([facet, values]) => plain([facet, ...values].join('_')))
  const name = [...held, ...(by === '' ? [] : [`by${by}`])].join('_')
  return name === '' ? 'all' : name.length <= 120 ? name.padEnd(3, '_') : `${name.slice(0, 100)}_${hashOf(name)}`
}

function hashOf(text: string): string {
  let hash = 0
  for (const character of text) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0
  return hash.toString(36)
}
