import type { Collection } from '../../model/collection.ts'
import type { Entry } from '../../model/entry.ts'
import { LapidaryError } from '../../model/errors.ts'
import type { FacetValue } from '../../model/facet.ts'
import { facetText } from '../../model/query.ts'
import { derivedPartition, derivedPrefix } from '../../model/reserved-keys.ts'
import { isItemKey } from '../../model/stored-item.ts'
import { heavyClass } from '../../planner/size-classes.ts'
import type { Amount, Amounts } from '../amount.ts'
import { declaredReader } from '../register/declared-reader.ts'
import { declarationOf } from '../register/plain-declaration.ts'
import { keyKind, type Shape } from '../register/shape.ts'
import type { SumProjection } from '../sum-projection.ts'
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
  SUM_PREFIX,
  summedName,
  sumName,
  TOTAL,
  TOTAL_BYTES,
  TOTAL_SIZED,
} from './counts-shape.ts'
import { byteReader } from './item-bytes.ts'
import { numbersEntry } from './numbers-entry.ts'
import { sumIn, summedNumber } from './summed-attribute.ts'

/**
 * How many items each scope has and what they weigh, by the values of the facets: one amount for each counter.
 *
 * @param own The collections of this process, which have the functions of computed facets.
 */
export function countsProjection(shape: Shape, own: readonly Collection[]): SumProjection {
  const { by, counted, declaration, bytes: shown, sums = [] } = shape.made as CountsMade
  const collection = declarationOf(declaration)
  const bytesOf = byteReader(shown)
  const cellOf = cellReader(collection, declaredReader(declaration, collection, own), [...by, ...counted])
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
      const summed = sums.flatMap((of) => {
        const number = summedNumber(of, image)
        return number === undefined ? [] : [[of.attribute, number] as const]
      })
      const beside = (name: string): Amounts =>
        Object.fromEntries(
          summed.flatMap(([attribute, number]) => [
            [sumName(name, attribute), number],
            [summedName(name, attribute), 1],
          ]),
        )
      // Counted once by each value of one facet, with the others at any: as many counters as it has values, not their product.
      const counter = (chosen: Chosen): string | undefined =>
        counterName(counted.map((facet) => (isEach(facet) ? chosenText(chosen, facet) : counterText(value(facet)))))
      const own = (chosen: Chosen): Amounts => {
        const name = counter(chosen)
        return name === undefined
          ? {}
          : { [name]: 1, [bytesName(name)]: bytes, ...ofClass(bytes, name), ...beside(name) }
      }
      const whole = { [TOTAL]: 1, [TOTAL_BYTES]: bytes, [TOTAL_SIZED]: 1, ...ofClass(bytes, TOTAL), ...beside(TOTAL) }
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

/** All numbers and sums of an item, so that counters which another version of the program keeps stay in it. */
function numbersOf(entry: Entry): Amounts {
  const numbers = Object.entries(entry).flatMap(([name, { N }]): [string, Amount][] => {
    if (name.startsWith(SUM_PREFIX)) return [[name, sumIn(entry, name)]]
    return N === undefined ? [] : [[name, Number(N)]]
  })
  return Object.fromEntries(numbers)
}
