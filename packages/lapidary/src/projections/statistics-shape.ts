import type { Collection } from '../model/collection.ts'
import type { FacetValue } from '../model/facet.ts'
import { facetText } from '../model/query.ts'
import { scopeKey } from '../model/stored-item.ts'
import type { TargetKey } from '../streams/projection.ts'

/**
 * How a collection is counted: one item for all of a scope and one for each value of its `oneOf` facets (`S`, `S#en`), in
 * each a counter for every value of its `anyOf` facets (`count_5`).
 */
export interface StatisticsShape {
  readonly by: readonly string[]
  readonly counted: readonly string[]
}

export function statisticsShape(collection: Collection): StatisticsShape {
  const names = (kind: string): string[] =>
    Object.entries(collection.facets)
      .filter(([, facet]) => facet.kind === kind)
      .map(([name]) => name)
  return { by: names('oneOf'), counted: names('anyOf') }
}

export const STATISTICS_SORT_KEY = 'S'
export const TOTAL = 'count_total'
const COUNTER = /^count_(.*)$/s

/**
 * Beside `count_5`, `bytes_5`: what lists show of those items weighs so many bytes together. `sized_total` counts the items whose
 * bytes are in: counts from before bytes were kept lack some, and then the bytes say nothing.
 */
export const TOTAL_BYTES = 'bytes_total'
export const TOTAL_SIZED = 'sized_total'
const KEPT = /^(count|bytes|sized)_/

/** Whether an attribute of a statistics item is one that is added up. */
export function isCounter(name: string): boolean {
  return KEPT.test(name)
}

export function bytesName(counter: string): string {
  return `bytes_${counter.slice('count_'.length)}`
}

/** `S` for all of a scope, `S#en` for one value of each `oneOf` facet. */
export function statisticsKey(collection: Collection, scope: string, byValues?: readonly FacetValue[]): TargetKey {
  return { PK: scopeKey(collection, scope), SK: [STATISTICS_SORT_KEY, ...(byValues ?? []).map(facetText)].join('#') }
}

/** `count_5`; of several `anyOf` facets `count_5.OPEN`; undefined when there is none and the total says it all. */
export function counterName(values: readonly FacetValue[]): string | undefined {
  return values.length === 0 ? undefined : `count_${values.map(counterText).join('.')}`
}

/** A facet's value in a counter's name; a value that reads `total` is escaped, so that it does not meet the total. */
export function counterText(value: FacetValue): string {
  const text = facetText(value)
  return text === 'total' ? '%74otal' : text
}

/** The value texts that a counter counts; undefined for the total and for what is no counter. */
export function counterTexts(name: string): readonly string[] | undefined {
  const values = name === TOTAL ? undefined : COUNTER.exec(name)?.[1]
  return values?.split('.')
}
