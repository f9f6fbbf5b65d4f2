import type { AnyCollection, Facet } from 'lapidary'

/** What a parameter asks of a facet. */
export type Asks = 'values' | 'from' | 'to' | 'startsWith' | 'hasEvery' | 'hasNone' | 'not'

/** One parameter of an address that asks something of a facet. */
export interface FacetParameter {
  readonly facet: string
  readonly asks: Asks
}

/** Parameters by their names, in the order of canonical addresses. */
export type FacetParameters = ReadonlyMap<string, FacetParameter>

/** The names of parameters that mean the same for every collection. No facet takes one of them: it is asked by `where`. */
export const COMMON_PARAMETERS: readonly string[] = [
  ...['scope', 'where', 'by', 'order', 'from', 'to', 'limit', 'cursor', 'page', 'counts', 'explain'],
  ...['sums', 'every', 'zone'],
]

/** Returns the parameters of a collection's facets. Where two would have one name, the later one is left to `where`. */
export function facetParameters({ facets }: AnyCollection): FacetParameters {
  const parameters = new Map<string, FacetParameter>()
  const add = (name: string, parameter: FacetParameter): void => {
    if (!COMMON_PARAMETERS.includes(name) && !parameters.has(name)) parameters.set(name, parameter)
  }
  for (const facet of Object.keys(facets)) add(facet, { facet, asks: 'values' })
  for (const [facet, declared] of Object.entries(facets)) {
    for (const asks of askedOf(declared)) add(`${facet}.${asks}`, { facet, asks })
    add(`not.${facet}`, { facet, asks: 'not' })
  }
  return parameters
}

function askedOf(facet: Facet): readonly Asks[] {
  if (facet.kind === 'eachOf') return ['hasEvery', 'hasNone']
  const texts: readonly Asks[] = holds(facet, 'string') ? ['startsWith'] : []
  return holds(facet, 'number') || texts.length > 0 ? ['from', 'to', ...texts] : []
}

/** Tells whether a facet may hold values of a type. */
export function holds({ values, type = 'string' }: Facet, wanted: 'number' | 'string'): boolean {
  return values === undefined ? type === wanted : values.some((value) => typeof value === wanted)
}
