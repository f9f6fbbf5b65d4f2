import type { AccessPath, AccessPaths, KnownValues, Lists, RefusedPath } from '../layouts/layout.ts'
import { type Query, scopesOf } from '../model/query.ts'
import type { Estimates } from './estimates.ts'

/** Every way to answer a query of one scope, or of several: then each way reads the lists of all. */
export function accessPathsOf(lists: Lists, query: Query, known: KnownValues, maxSources: number): AccessPaths {
  const { alsoIn, ...first } = query
  if (alsoIn === undefined) return lists.accessPaths(query, known, maxSources)
  const each = scopesOf(query).map((scope) => lists.accessPaths({ ...first, scope }, known, maxSources))
  const [one] = each as [AccessPaths]
  // What a layout can do does not depend on the scope.
  const joined = one.paths.map((path, i) => ({ ...path, lists: each.flatMap(({ paths }) => paths[i]?.lists ?? []) }))
  const isCapped = (path: AccessPath): boolean => path.lists.length > maxSources
  const capped = joined.filter(isCapped).map(
    ({ index, lists: sources }): RefusedPath => ({
      index,
      reason: `would need ${sources.length} sources, more than the cap of ${maxSources}`,
      capped: true,
    }),
  )
  return { paths: joined.filter((path) => !isCapped(path)), refused: [...one.refused, ...capped] }
}

/** Estimates of which each list has only a part, all of them the same. */
export function spreadEstimates(estimates: Estimates, parts: number): Estimates {
  const known = spreads.get(estimates) ?? new Map<number, Estimates>()
  spreads.set(estimates, known)
  const spread = known.get(parts) ?? {
    ...estimates,
    share: (selection) => estimates.share(selection) / parts,
    count: () => undefined,
  }
  known.set(parts, spread)
  return spread
}

/** One for each, so that plans made on them are remembered. */
const spreads = new WeakMap<Estimates, Map<number, Estimates>>()
