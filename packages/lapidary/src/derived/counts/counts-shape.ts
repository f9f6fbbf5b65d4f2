import type { CollectionLayout } from '../../layouts/layout.ts'
import type { Collection } from '../../model/collection.ts'
import { type Condition, facetsOf } from '../../model/condition.ts'
import { declaredValues, type FacetValue } from '../../model/facet.ts'
import { type Filter, facetText } from '../../model/query.ts'
import { derivedPartition, sortKeyOf } from '../../model/reserved-keys.ts'
import { isRange } from '../../model/value-range.ts'
import { type PlainDeclaration, plainDeclaration } from '../register/plain-declaration.ts'
import { keyKind, type Shape, shapeOf } from '../register/shape.ts'
import type { TargetKey } from '../target-key.ts'
import { type CountedAttribute, countedAttribute } from './counted-attribute.ts'
import { type ShownBytes, shownBytes } from './item-bytes.ts'

/**
 * How a collection is counted: one item for all of a scope and one for each value of its `by` facets (`~`, `en`), in each a
 * counter for every value of the others (`count_5`). Facets that are not counted are in neither.
 */
export interface StatisticsShape {
  readonly by: readonly string[]
  readonly counted: readonly string[]
}

/** What counts are made by, as plain data. */
export interface CountsMade extends StatisticsShape {
  /** The attributes that are added up beside the counts; absent where there are none. */
  readonly sums?: readonly CountedAttribute[]
  /** Of the counts of all scopes, over how many items of counts they are spread. */
  readonly shards?: number
  readonly declaration: PlainDeclaration
  readonly bytes: ShownBytes
}

/** The shape of a collection's counts. */
export function countsShape(collection: Collection, layout: Pick<CollectionLayout, 'indexes'>): Shape {
  return shapeOf({ collection: collection.name, name: COUNTS }, countsMade(collection, layout))
}

/** The shape of the counts of all scopes; undefined where they are not declared. */
export function countsAcrossShape(
  collection: Collection,
  layout: Pick<CollectionLayout, 'indexes'>,
): Shape | undefined {
  const { across } = collection.statistics
  if (across === undefined) return undefined
  const made: CountsMade = { ...countsMade(collection, layout), shards: across }
  return shapeOf({ collection: collection.name, name: COUNTS_ACROSS }, made)
}

function countsMade(collection: Collection, layout: Pick<CollectionLayout, 'indexes'>): CountsMade {
  const { by, counted } = statisticsShape(collection)
  const sums = collection.sums.toSorted().map((attribute) => countedAttribute(collection, attribute))
  return {
    ...{ by, counted },
    ...(sums.length === 0 ? {} : { sums }),
    declaration: plainDeclaration(collection, [...by, ...counted]),
    bytes: shownBytes(collection, layout),
  }
}

/** Counters of one item: far from the 400 KB that DynamoDB allows, with their bytes and classes beside them. */
const MOST_COUNTERS = 500

/** `anyOf` and `eachOf` facets that were declared with their values are counters, the smallest first, as long as an item can hold them all. Any other has items of its own. */
export function statisticsShape(collection: Collection): StatisticsShape {
  const facets = Object.entries(collection.facets).filter(([, { counted }]) => counted)
  const closed = facets.flatMap(([name, facet]) => {
    const values = facet.kind === 'oneOf' ? undefined : declaredValues(facet)
    return values === undefined ? [] : [[name, values.length + (facet.kind === 'eachOf' ? 1 : 0)] as const]
  })
  const counted: string[] = []
  let counters = 1
  for (const [name, values] of closed.sort(([, a], [, b]) => a - b)) {
    counters *= values
    if (counters <= MOST_COUNTERS) counted.push(name)
  }
  const names = facets.map(([name]) => name)
  return {
    by: names.filter((name) => !counted.includes(name)),
    counted: names.filter((name) => counted.includes(name)),
  }
}

/**
 * Whether counts say how many items a filter lets through: none that a facet narrows which is not counted. Items with several values of
 * a facet are counted by each of them, and not by two together, so a condition beside the filter may not ask of these.
 */
export function isCounted({ facets }: Collection, where: Filter, also?: Condition): boolean {
  const narrowed = Object.entries(where)
  const each = narrowed.filter(([name]) => facets[name]?.kind === 'eachOf')
  return (
    (also === undefined || facetsOf(also).every((name) => facets[name]?.counted && facets[name].kind !== 'eachOf')) &&
    narrowed.every(([name]) => facets[name]?.counted) &&
    each.length <= 1 &&
    each.every(([, wanted]) => isRange(wanted) || wanted.length <= 1)
  )
}

/** Stands in keys and counters for all values of an `eachOf` facet: there each item counts once. No escaped text is it. */
export const ANY_TEXT = '%*'

/** What keys of counts begin with, after their `~`. */
export const COUNTS = 'counts'
/** The same of counts of all scopes. */
export const COUNTS_ACROSS = 'counts-across'
export const TOTAL = 'count_total'
const COUNTER = /^count_(.*)$/s

/**
 * Beside `count_5`, `bytes_5`: what lists show of those items weighs so many bytes together. `sized_total` counts the items whose
 * bytes are in: counts from before bytes were kept lack some, and then the bytes say nothing.
 */
export const TOTAL_BYTES = 'bytes_total'
export const TOTAL_SIZED = 'sized_total'

export function bytesName(counter: string): string {
  return `bytes_${counter.slice('count_'.length)}`
}

/** `upto64k_5`: how many of the items of `count_5` are heavy and in the class of up to 64 KB. Usual ones are in no class. */
export function classCounterName(classBytes: number, counter: string): string {
  return `upto${classBytes / 1_024}k_${counter.slice('count_'.length)}`
}

/** What the names of sums begin with. They are texts, which hold every digit however many items are summed. */
export const SUM_PREFIX = 'sum_'

/**
 * Beside `count_5`, `sum_5.amount`: the amounts of those items together. No other name is taken for it, since every counter of a shape has as
 * many texts.
 */
export function sumName(counter: string, attribute: string): string {
  return `${SUM_PREFIX}${counter.slice('count_'.length)}.${attribute}`
}

/** `summed_5.amount`: how many of the items of `count_5` have an amount. */
export function summedName(counter: string, attribute: string): string {
  return `summed_${counter.slice('count_'.length)}.${attribute}`
}

/** Sort key `~` for all of a scope, `en` for one value of each `by` facet. */
export function countsKey(shape: Shape, scope: string, byTexts: readonly string[] = []): TargetKey {
  return { PK: derivedPartition(keyKind(shape.name, shape), shape.collection, scope), SK: sortKeyOf(byTexts) }
}

/** `count_5`; of several facets `count_5.OPEN`; undefined when there is none and the total says it all. */
export function counterName(texts: readonly string[]): string | undefined {
  return texts.length === 0 ? undefined : `count_${texts.join('.')}`
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
