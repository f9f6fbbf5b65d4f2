import type { Collection } from '../../model/collection.ts'
import type { Entry } from '../../model/entry.ts'
import type { FacetValue } from '../../model/facet.ts'
import type { Amounts } from '../amount.ts'
import { type CountedAttribute, summedNumber } from './counted-attribute.ts'
import type { CountedCell } from './counted-cell.ts'
import { ANY_TEXT, counterName, counterText, summedName, sumName, TOTAL } from './counts-shape.ts'

/** One value of an `eachOf` facet; undefined for all of each. */
export type Chosen = readonly [facet: string, value: FacetValue] | undefined

/** What an item adds to the counters of one item of counts. */
export interface CounterAmounts {
  /** To all of them. */
  readonly all: Amounts
  /** To those that count it once, whatever it has of facets of several values. */
  readonly once: Amounts
}

/** Gives what an item adds to counters: a counter for the values of the facets that are counted in one item, and one for all. */
export function counterAmounts(
  { facets }: Collection,
  counted: readonly string[],
  { value, values }: CountedCell,
  beside: (counter: string) => Amounts,
): CounterAmounts {
  const isEach = (facet: string): boolean => facets[facet]?.kind === 'eachOf'
  // Counted once by each value of one facet, with the others at any: as many counters as it has values, not their product.
  const own = (chosen: Chosen): Amounts => {
    const texts = counted.map((facet) => (isEach(facet) ? chosenText(chosen, facet) : counterText(value(facet))))
    const name = counterName(texts)
    return name === undefined ? {} : { [name]: 1, ...beside(name) }
  }
  const once = { ...own(undefined), [TOTAL]: 1, ...beside(TOTAL) }
  const ofValues = counted.filter(isEach).flatMap((facet) => values(facet).map((each) => own([facet, each])))
  return { once, all: Object.assign({}, once, ...ofValues) }
}

export function chosenText(chosen: Chosen, facet: string): string {
  return chosen?.[0] === facet ? counterText(chosen[1]) : ANY_TEXT
}

/** Gives the sums of an image that stand beside a counter. */
export function sumsBeside(sums: readonly CountedAttribute[], image: Entry): (counter: string) => Amounts {
  const summed = sums.flatMap((of) => {
    const number = summedNumber(of, image)
    return number === undefined ? [] : [[of.attribute, number] as const]
  })
  return (counter) =>
    Object.fromEntries(
      summed.flatMap(([attribute, number]) => [
        [sumName(counter, attribute), number],
        [summedName(counter, attribute), 1],
      ]),
    )
}
