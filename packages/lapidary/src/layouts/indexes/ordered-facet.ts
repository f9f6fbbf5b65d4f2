import type { Collection } from '../../model/collection.ts'
import type { FacetValue } from '../../model/facet.ts'
import type { Order } from '../../model/order.ts'
import { ownValue } from '../../model/own-value.ts'
import { compareOrderValues, hasPosition, type OrderValue, orderValue } from '../../model/position.ts'
import { type Filter, facetText } from '../../model/query.ts'
import { isRange } from '../../model/value-range.ts'
import type { AccessPath, List } from '../layout.ts'

/** A closed facet whose attribute an index is in the order of: some of its values are ranges of each list. */
export interface OrderedFacet {
  readonly facet: string
  /** All its values, in the order of positions. */
  readonly values: readonly OrderValue[]
}

/** Returns the facet whose attribute lists are ordered by, where its values are known and sort as positions do. */
export function orderedFacet({ facets }: Pick<Collection, 'facets'>, order: Order): OrderedFacet | undefined {
  const { kind, values, optional, origin } = ownValue(facets, order.attribute) ?? {}
  if (kind === 'eachOf' || values === undefined || optional || origin !== undefined) return undefined
  // A value that is no time is in no item of the order.
  const arePositions = values.every((value) => hasPosition(order, { [order.attribute]: value }))
  if (order.type === 'decimal' || !arePositions) return undefined
  // As positions hold them: -0 is 0.
  return { facet: order.attribute, values: values.map((value) => orderValue(order, value)).sort(compareOrderValues) }
}

/** Wanted values that are neighbours in the order. */
type Run = readonly [OrderValue, ...OrderValue[]]

/**
 * Returns a path, and before it the same with each list cut to the ranges of the values that a query names of the facet that the lists are in the
 * order of: the ratings 1 and 2 are one range, where a filter reads all that comes before them. Several ranges are several sources, so the planner
 * has both to choose from.
 */
export function pathsWithin(
  path: AccessPath,
  ordered: OrderedFacet | undefined,
  maxSources: number,
): readonly AccessPath[] {
  const wanted = ordered && ownValue(path.residual, ordered.facet)
  if (ordered === undefined || wanted === undefined || isRange(wanted)) return [path]
  const runs = runsOf(ordered.values, wanted)
  if (path.lists.length * runs.length > maxSources) return [path]
  const lists = path.lists.flatMap((list) => runs.map((run) => partOf(list, ordered.facet, run)))
  // Between two declared values may be one that is not declared any more, which a filter by values leaves out.
  const isExact = runs.every((run) => run.length === 1)
  return [{ ...path, lists, residual: isExact ? without(path.residual, ordered.facet) : path.residual }, path]
}

/** Returns the values that are wanted, each run of neighbours together. */
function runsOf(values: readonly OrderValue[], wanted: readonly FacetValue[]): readonly Run[] {
  const runs: [OrderValue, ...OrderValue[]][] = []
  let open = false
  for (const value of values) {
    if (!wanted.includes(value)) open = false
    else if (open) runs.at(-1)?.push(value)
    else {
      runs.push([value])
      open = true
    }
  }
  return runs
}

function partOf(list: List, facet: string, run: Run): List {
  const [first] = run
  return Object.freeze({
    ...list,
    label: `${list.label}:${run.map(facetText).join('.')}`,
    holds: Object.freeze({ ...list.holds, [facet]: run }),
    within: Object.freeze({
      lower: { order: first, id: undefined, side: 'before' as const },
      upper: { order: run.at(-1) ?? first, id: undefined, side: 'after' as const },
    }),
  })
}

function without(filter: Filter, facet: string): Filter {
  return Object.fromEntries(Object.entries(filter).filter(([name]) => name !== facet))
}
