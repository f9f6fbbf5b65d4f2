import type { Collection } from '../../model/collection.ts'
import { LapidaryError } from '../../model/errors.ts'
import { facetText } from '../../model/query.ts'
import { derivedPartition, derivedPrefix } from '../../model/reserved-keys.ts'
import { shardOf } from '../../model/spread.ts'
import { isItemKey } from '../../model/stored-item.ts'
import { heavyClass } from '../../planner/size-classes.ts'
import type { Amounts } from '../amount.ts'
import { declaredReader } from '../register/declared-reader.ts'
import { declarationOf } from '../register/plain-declaration.ts'
import { keyKind, type Shape } from '../register/shape.ts'
import type { SumProjection } from '../sum-projection.ts'
import type { TargetKey } from '../target-key.ts'
import { cellReader } from './counted-cell.ts'
import { type Chosen, chosenText, counterAmounts, sumsBeside } from './counter-amounts.ts'
import { bytesName, type CountsMade, classCounterName, countsKey, TOTAL, TOTAL_SIZED } from './counts-shape.ts'
import { byteReader } from './item-bytes.ts'
import { numbersEntry, numbersOf } from './numbers-entry.ts'

/**
 * How many items each scope has and what they weigh, by the values of the facets: one amount for each counter. Counts of all scopes are the same, with
 * shards in place of scopes.
 *
 * @param own The collections of this process, which have the functions of computed facets.
 */
export function countsProjection(shape: Shape, own: readonly Collection[]): SumProjection {
  const { by, counted, declaration, bytes: shown, sums = [], shards } = shape.made as CountsMade
  const collection = declarationOf(declaration)
  const bytesOf = byteReader(shown)
  const cellOf = cellReader(collection, declaredReader(declaration, collection, own), [...by, ...counted])
  const kind = keyKind(shape.name, shape)
  const prefix = derivedPrefix(kind, collection.name)
  requireFewRows(collection, shape.made as CountsMade)
  const isEach = (facet: string): boolean => collection.facets[facet]?.kind === 'eachOf'
  return {
    name: shape.name,
    collection: collection.name,
    made: shape.made,
    dated: true,
    isItem: (key) => isItemKey(collection, key),
    contributions(image) {
      const cell = cellOf(image)
      const bytes = bytesOf(image)
      const sumsOf = sumsBeside(sums, image)
      const { all, once } = counterAmounts(collection, counted, cell, (name) => ({
        [bytesName(name)]: bytes,
        ...(name === TOTAL ? { [TOTAL_SIZED]: 1 } : {}),
        ...ofClass(bytes, name),
        ...sumsOf(name),
      }))
      const group = shards === undefined ? cell.scope : String(shardOf(cell.scope, shards))
      const target = (texts?: readonly string[]): TargetKey => countsKey(shape, group, texts)
      if (by.length === 0) return [{ target: target(), amounts: all }]
      const ofValue = (chosen: Chosen): TargetKey =>
        target(by.map((facet) => (isEach(facet) ? chosenText(chosen, facet) : facetText(cell.value(facet)))))
      const byValue = by
        .filter(isEach)
        .flatMap((facet) => cell.values(facet).map((each) => ({ target: ofValue([facet, each]), amounts: once })))
      return [{ target: target(), amounts: all }, { target: ofValue(undefined), amounts: all }, ...byValue]
    },
    owns: ({ PK }) => PK.startsWith(prefix),
    ...(shards === undefined ? { partitionOf: (scope: string) => derivedPartition(kind, collection.name, scope) } : {}),
    entryOf: (_, amounts) => numbersEntry(amounts),
    amountsOf: numbersOf,
  }
}

/** Of three, one change could be of more items of counts than a transaction takes; of two, where all scopes are counted beside. */
const MOST_EACH_OF = 2
const MOST_EACH_OF_ACROSS = 1

function requireFewRows({ name, facets }: Collection, { by, shards }: CountsMade): void {
  const each = by.filter((facet) => facets[facet]?.kind === 'eachOf')
  const [most, beside] = shards === undefined ? [MOST_EACH_OF, ''] : [MOST_EACH_OF_ACROSS, ' where all scopes are too']
  if (each.length <= most) return
  throw new LapidaryError(
    'declaration_invalid',
    `${name}: lists are counted by each value of ${each.join(', ')}, and at most ${most} such ${most === 1 ? 'facet' : 'facets'} can be counted${beside}; say counted: false of the others`,
  )
}

function ofClass(bytes: number, counter: string): Amounts {
  const heavy = heavyClass(bytes)
  return heavy === undefined ? {} : { [classCounterName(heavy, counter)]: 1 }
}
