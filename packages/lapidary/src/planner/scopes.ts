import type { AccessPath, AccessPaths, KnownValues, List, Lists, RefusedPath } from '../layouts/layout.ts'
import type { FacetValue } from '../model/facet.ts'
import { type Query, scopesOf } from '../model/query.ts'
import type { Estimates } from './estimates.ts'
import { keepLatest } from './keep-latest.ts'

/** Every way to answer a query of one scope, or of several: then each way reads the lists of all. */
export function accessPathsOf(lists: Lists, query: Query, known: KnownValues, maxSources: number): AccessPaths {
  const { alsoIn, ...first } = query
  if (alsoIn === undefined) return lists.accessPaths(query, known, maxSources)
  const each = scopesOf(query).map((scope) => {
    const { paths, refused } = lists.accessPaths({ ...first, scope }, known, maxSources)
    const ofScope = (path: AccessPath): readonly List[] => path.lists.map((list) => ({ ...list, scope }))
    return { paths, refused, lists: paths.map(ofScope) }
  })
  const [one] = each as [(typeof each)[number]]
  // A layout can do the same in every scope.
  const joined = one.paths.map((path, i) => ({ ...path, lists: each.flatMap((of) => of.lists[i] ?? []) }))
  const paths = joined.filter((path) => path.lists.length <= maxSources)
  return { paths, refused: [...one.refused, ...cappedOf(joined, maxSources)] }
}

/** Returns the indexes of which every way reads more lists than are merged, with how many the least of them takes. */
function cappedOf(paths: readonly AccessPath[], maxSources: number): readonly RefusedPath[] {
  const least = new Map<string, number>()
  for (const { index, lists } of paths) least.set(index, Math.min(lists.length, least.get(index) ?? lists.length))
  return [...least].flatMap(([index, needed]): RefusedPath[] =>
    needed > maxSources ? [{ index, refusal: { kind: 'sources', needed, most: maxSources, scopes: true } }] : [],
  )
}

/** The estimates of one of several scopes. */
export interface ScopeEstimates {
  readonly scope: string
  readonly estimates: Estimates
  /** Items that are counted in it; undefined where nothing was read of it. */
  readonly items: number | undefined
}

/**
 * Estimates of several scopes: of each list what its own scope's counts say, as a share of all items of the scopes. A scope of which nothing
 * was read is taken to have as many items as the others on average.
 */
export function scopesEstimates(scopes: readonly ScopeEstimates[]): Estimates {
  const [first] = scopes as [ScopeEstimates]
  const known = joined.get(first.estimates) ?? new Map<string, Joined>()
  joined.set(first.estimates, known)
  const name = JSON.stringify(scopes.map(({ scope, items }) => [scope, items]))
  const last = known.get(name)
  if (last?.of.every((estimates, i) => estimates === scopes[i]?.estimates)) return last.estimates
  const counted = scopes.flatMap(({ items }) => items ?? [])
  const total = counted.reduce((sum, items) => sum + items, 0)
  const mean = total === 0 ? 1 : total / counted.length
  const sizes = scopes.map(({ items }) => (total === 0 ? 1 : (items ?? mean)))
  const sum = sizes.reduce((all, items) => all + items, 0)
  const each = new Map(
    scopes.map(({ scope, estimates }, i) => {
      const part = (sizes[i] ?? 0) / sum
      return [scope, { ...estimates, share: (selection) => part * estimates.share(selection) } satisfies Estimates]
    }),
  )
  const weakest = scopes.find(({ items }) => items === undefined) ?? first
  const estimates: Estimates = {
    ...weakest.estimates,
    // Each list is of one scope, and asks there.
    count: () => undefined,
    values: (facet) => valuesOf(scopes, facet),
    seen: (facet) => seenOf(scopes, facet),
    inScope: (scope) => each.get(scope),
  }
  keepLatest(known, name, { of: scopes.map((one) => one.estimates), estimates }, MOST_JOINED)
  return estimates
}

interface Joined {
  readonly of: readonly Estimates[]
  readonly estimates: Estimates
}

/** Kept by the estimates of the first scope, so that plans made on them are remembered. */
const joined = new WeakMap<Estimates, Map<string, Joined>>()
const MOST_JOINED = 200

/** Joins the values of a facet in all scopes, if they are known of each. */
function valuesOf(scopes: readonly ScopeEstimates[], facet: string): readonly FacetValue[] | undefined {
  const each = scopes.map(({ estimates }) => estimates.values(facet))
  return each.includes(undefined) ? undefined : [...new Set(each.flatMap((known) => known ?? []))]
}

function seenOf(scopes: readonly ScopeEstimates[], facet: string): readonly FacetValue[] | undefined {
  const seen = scopes.flatMap(({ estimates }) => estimates.seen(facet) ?? [])
  return seen.length === 0 ? undefined : [...new Set(seen)]
}
