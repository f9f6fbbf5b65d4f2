import type { Collection, Facet, FacetValue } from 'lapidary'
import { declaredEstimates, typedValue } from 'lapidary/internal'

/** A value of a facet and how often it is, 0 to 1. */
export interface ValueShare {
  readonly value: FacetValue
  /** As the page shows it; the value that stands for all others has a text of its own. */
  readonly text: string
  readonly share: number
}

/** The values of a facet that the playground supposes items to have. */
export interface FacetShares {
  readonly name: string
  readonly facet: Facet
  readonly values: readonly ValueShare[]
}

export const OTHERS = 'any other'
export const NONE = 'none'
const MOST_VALUES = 40
/** Stands for the values that are neither declared nor asked for. */
const OTHER_VALUES = { string: 'other', number: 0.5, boolean: false } as const

/**
 * Returns the values of each facet: those that are declared or asked for, as often as a person says, else as the planner takes them.
 *
 * @param asked Values that the query names, by facet.
 * @param given How often values are, by facet and text, in any unit.
 */
export function facetShares(
  collection: Collection,
  asked: (facet: string) => readonly FacetValue[],
  given: Readonly<Record<string, Readonly<Record<string, number>>>> = {},
): readonly FacetShares[] {
  return Object.entries(collection.facets).map(([name, facet]) => {
    const own = Object.hasOwn(given, name) ? given[name] : undefined
    const usual = usualShares(collection, name, facet, asked(name))
    const weights = usual.map(({ text, share }) => {
      const weight = own !== undefined && Object.hasOwn(own, text) ? own[text] : share
      return typeof weight === 'number' && weight >= 0 && Number.isFinite(weight) ? weight : share
    })
    const sum = weights.reduce((all, weight) => all + weight, 0)
    // An item has one value of most facets; it may have all of those of an eachOf.
    const shareOf = (weight: number): number => (isEach(facet) ? Math.min(1, weight) : sum === 0 ? 0 : weight / sum)
    const shares = usual.map((each, i) => ({ ...each, share: shareOf(weights[i] ?? 0) }))
    const isNothing = sum === 0 && !isEach(facet)
    return { name, facet, values: isNothing ? shares.map((each, i) => ({ ...each, share: i === 0 ? 1 : 0 })) : shares }
  })
}

/** Whether an item may have several values; of a hierarchy it has one path. */
export function isEach(facet: Facet): boolean {
  return facet.kind === 'eachOf' && facet.separator === undefined
}

function usualShares(
  collection: Collection,
  name: string,
  facet: Facet,
  asked: readonly FacetValue[],
): readonly ValueShare[] {
  const estimates = declaredEstimates(collection)
  const shareOf = (value: FacetValue): number => estimates.share({ [name]: [value] })
  const share = (value: FacetValue): ValueShare => ({
    ...{ value, share: shareOf(value) },
    text: value === null ? NONE : String(value),
  })
  if (facet.values !== undefined) return facet.values.filter((value) => value !== null || !isEach(facet)).map(share)
  const named = Object.keys(facet.frequencies ?? {}).map((text) => typedValue(facet, text) as FacetValue)
  const known = [...new Set([...named, ...asked])]
    .filter((value) => value !== null || !isEach(facet))
    .slice(0, MOST_VALUES)
  const shares = known.map(share)
  if (isEach(facet)) return shares.length === 0 ? [share('tag')] : shares
  const rest = Math.max(0, 1 - shares.reduce((sum, each) => sum + each.share, 0))
  const nothing = facet.optional && !known.includes(null) ? [{ value: null, text: NONE, share: 0 }] : []
  return [...shares, { value: OTHER_VALUES[facet.type ?? 'string'], text: OTHERS, share: rest }, ...nothing]
}
