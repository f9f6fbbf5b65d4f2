import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { Collection } from '../../model/collection.ts'
import type { Entry } from '../../model/entry.ts'
import { createEntryReader } from '../../model/entry-reader.ts'
import { LapidaryError } from '../../model/errors.ts'
import type { FacetValue } from '../../model/facet.ts'
import { facetText } from '../../model/query.ts'
import { derivedPartition, derivedPrefix } from '../../model/reserved-keys.ts'
import { isItemKey } from '../../model/stored-item.ts'
import { heavyClass } from '../../planner/size-classes.ts'
import { declarationOf } from '../register/plain-declaration.ts'
import { keyKind, type Shape } from '../register/shape.ts'
import type { Amounts, SumProjection } from '../sum-projection.ts'
import type { TargetKey } from '../target-key.ts'
import { cellReader } from './counted-cell.ts'
import {
  ANY_TEXT,
  bytesName,
  COUNTS,
  type CountsMade,
  classCounterName,
  counterName,
  counterText,
  countsKey,
  TOTAL,
  TOTAL_BYTES,
  TOTAL_SIZED,
} from './counts-shape.ts'
import { byteReader } from './item-bytes.ts'

/** How many items each scope has and what they weigh, by the values of the facets: one amount for each counter. */
export function countsProjection(shape: Shape): SumProjection {
  const { by, counted, declaration, bytes: shown } = shape.made as CountsMade
  const collection = declarationOf(declaration)
  const bytesOf = byteReader(shown)
  const cellOf = cellReader(collection, createEntryReader(collection), [...by, ...counted])
  const kind = keyKind(COUNTS, shape)
  const prefix = derivedPrefix(kind, collection.name)
  requireFewRows(collection, by)
  const isEach = (facet: string): boolean => collection.facets[facet]?.kind === 'eachOf'
  return {
    name: COUNTS,
    collection: collection.name,
    made: shape.made,
    dated: true,
    isItem: (key) => isItemKey(collection, key),
    contributions(image) {
      const { scope, value, values } = cellOf(image)
      const bytes = bytesOf(image)
      // Counted once by each value of one facet, with the others at any: as many counters as it has values, not their product.
      const counter = (chosen: Chosen): string | undefined =>
        counterName(counted.map((facet) => (isEach(facet) ? chosenText(chosen, facet) : counterText(value(facet)))))
      const own = (chosen: Chosen): Amounts => {
        const name = counter(chosen)
        return name === undefined ? {} : { [name]: 1, [bytesName(name)]: bytes, ...ofClass(bytes, name) }
      }
      const whole = { [TOTAL]: 1, [TOTAL_BYTES]: bytes, [TOTAL_SIZED]: 1, ...ofClass(bytes, TOTAL) }
      const ofValues = counted.filter(isEach).flatMap((facet) => values(facet).map((each) => own([facet, each])))
      const amounts = Object.assign({}, own(undefined), whole, ...ofValues)
      const all = { target: countsKey(shape, scope), amounts }
      if (by.length === 0) return [all]
      const target = (chosen: Chosen): TargetKey =>
        countsKey(
          shape,
          scope,
          by.map((facet) => (isEach(facet) ? chosenText(chosen, facet) : facetText(value(facet)))),
        )
      const byValue = by
        .filter(isEach)
        .flatMap((facet) =>
          values(facet).map((each) => ({ target: target([facet, each]), amounts: { ...own(undefined), ...whole } })),
        )
      return [all, { target: target(undefined), amounts }, ...byValue]
    },
    owns: ({ PK }) => PK.startsWith(prefix),
    partitionOf: (scope) => derivedPartition(kind, collection.name, scope),
    entryOf: (_, amounts) => numbersEntry(amounts),
    amountsOf: numbersOf,
  }
}

/** Of three, one change could be of more items of counts than a transaction takes. */
const MOST_EACH_OF = 2

function requireFewRows({ name, facets }: Collection, by: readonly string[]): void {
  const each = by.filter((facet) => facets[facet]?.kind === 'eachOf')
  if (each.length <= MOST_EACH_OF) return
  throw new LapidaryError(
    'declaration_invalid',
    `${name}: lists are counted by each value of ${each.join(', ')}, and at most ${MOST_EACH_OF} such facets can be counted; say counted: false of the others`,
  )
}

/** One value of an `eachOf` facet; undefined for all of each. */
type Chosen = readonly [facet: string, value: FacetValue] | undefined

function chosenText(chosen: Chosen, facet: string): string {
  return chosen?.[0] === facet ? counterText(chosen[1]) : ANY_TEXT
}

function ofClass(bytes: number, counter: string): Amounts {
  const heavy = heavyClass(bytes)
  return heavy === undefined ? {} : { [classCounterName(heavy, counter)]: 1 }
}

/** Amounts as attributes of the same names; undefined when all are 0. */
function numbersEntry(amounts: Amounts): Entry | undefined {
  const held = Object.entries(amounts).filter(([, amount]) => amount !== 0)
  if (held.length === 0) return undefined
  return Object.fromEntries(held.map(([name, amount]): [string, AttributeValue] => [name, { N: String(amount) }]))
}

/** All numbers of an item, so that counters which another version of the program keeps stay in it. */
function numbersOf(entry: Entry): Amounts {
  const numbers = Object.entries(entry).filter(([, { N }]) => N !== undefined)
  return Object.fromEntries(numbers.map(([name, { N }]) => [name, Number(N)]))
}
