import type { Collection } from '../../model/collection.ts'
import { dayOf } from '../../model/day.ts'
import type { Entry } from '../../model/entry.ts'
import { shown } from '../../model/errors.ts'
import { toNativeValue } from '../../model/native-value.ts'
import { ownValue } from '../../model/own-value.ts'
import { isTime } from '../../model/position.ts'
import { derivedPartition, derivedPrefix } from '../../model/reserved-keys.ts'
import { shardOf } from '../../model/spread.ts'
import { isItemKey } from '../../model/stored-item.ts'
import { declaredReader } from '../register/declared-reader.ts'
import { declarationOf, type PlainDeclaration, plainDeclaration } from '../register/plain-declaration.ts'
import { keyKind, type Shape, shapeOf } from '../register/shape.ts'
import type { SumProjection } from '../sum-projection.ts'
import { type CountedAttribute, countedAttribute } from './counted-attribute.ts'
import { cellReader } from './counted-cell.ts'
import { counterAmounts, sumsBeside } from './counter-amounts.ts'
import { statisticsShape } from './counts-shape.ts'
import { numbersEntry, numbersOf } from './numbers-entry.ts'

/** What the projections of counts by day are called: of each scope, and of all scopes. */
export const COUNTS_BY_DAY = 'counts-by-day'
export const COUNTS_BY_DAY_ACROSS = 'counts-by-day-across'

/**
 * What counts by day are made by, as plain data. Each scope has an item for each day, in it a counter for every value of the closed facets, as
 * counts have them; other facets are not in it, so a change is in one item more.
 */
export interface CountsByDayMade {
  readonly counted: readonly string[]
  readonly sums: readonly CountedAttribute[]
  readonly time: CountedAttribute
  readonly zone: string
  /** Of all scopes, over how many items of each day they are spread. */
  readonly shards?: number
  readonly declaration: PlainDeclaration
}

/** The shapes of counts by day: of each scope and of all scopes, as far as they are declared. */
export function countsByDayShapes(collection: Collection): readonly Shape[] {
  const { days, across } = collection.statistics
  if (days === undefined) return []
  const { counted } = statisticsShape(collection)
  const made: CountsByDayMade = {
    counted,
    sums: collection.sums.toSorted().map((attribute) => countedAttribute(collection, attribute)),
    time: countedAttribute(collection, days.attribute),
    zone: days.zone,
    declaration: plainDeclaration(collection, counted),
  }
  const ofScopes = shapeOf({ collection: collection.name, name: COUNTS_BY_DAY }, made)
  if (across === undefined) return [ofScopes]
  return [ofScopes, shapeOf({ collection: collection.name, name: COUNTS_BY_DAY_ACROSS }, { ...made, shards: across })]
}

/** The partition of a scope's days, or of those of a shard of all scopes. */
export function daysPartition(shape: Shape, group: string): string {
  return derivedPartition(keyKind(shape.name, shape), shape.collection, group)
}

/**
 * How many items each scope has on each day, by the values of the closed facets.
 *
 * @param own The collections of this process, which have the functions of computed facets.
 */
export function countsByDayProjection(shape: Shape, own: readonly Collection[]): SumProjection {
  const { counted, sums, time, zone, shards, declaration } = shape.made as CountsByDayMade
  const collection = declarationOf(declaration)
  const cellOf = cellReader(collection, declaredReader(declaration, collection, own), counted)
  const prefix = derivedPrefix(keyKind(shape.name, shape), collection.name)
  const day = dayOf(zone)
  return {
    name: shape.name,
    collection: collection.name,
    made: shape.made,
    dated: true,
    isItem: (key) => isItemKey(collection, key),
    contributions(image) {
      const cell = cellOf(image)
      const at = timeIn(time, image)
      if (at === undefined) return []
      const { all } = counterAmounts(collection, counted, cell, sumsBeside(sums, image))
      const group = shards === undefined ? cell.scope : String(shardOf(cell.scope, shards))
      return [{ target: { PK: daysPartition(shape, group), SK: day(at) }, amounts: all }]
    },
    owns: ({ PK }) => PK.startsWith(prefix),
    ...(shards === undefined ? { partitionOf: (scope: string) => daysPartition(shape, scope) } : {}),
    entryOf: (_, amounts) => numbersEntry(amounts),
    amountsOf: numbersOf,
  }
}

/** @throws {TypeError} For a value that is no time. */
function timeIn({ attribute, stored }: CountedAttribute, image: Entry): string | undefined {
  const value = ownValue(image, stored)
  if (value === undefined || value.NULL === true) return undefined
  if (value.S !== undefined && isTime(value.S)) return value.S
  throw new TypeError(
    `${attribute} is ${shown(toNativeValue(value, 'decimal'))}, no ISO 8601 time in UTC with milliseconds, so the item can't be counted by day`,
  )
}

/** A collection of the facets by which days are counted. */
export function countedByDay({ facets, ...collection }: Collection): Collection {
  const { counted } = statisticsShape({ facets, ...collection })
  return {
    ...collection,
    facets: Object.fromEntries(Object.entries(facets).filter(([name]) => counted.includes(name))),
  }
}
