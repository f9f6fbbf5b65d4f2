import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { CollectionLayout } from '../../layouts/layout.ts'
import type { Collection } from '../../model/collection.ts'
import type { Entry, EntryCodec } from '../../model/entry.ts'
import { derivedPartition, derivedPrefix } from '../../model/reserved-keys.ts'
import { isItemKey } from '../../model/stored-item.ts'
import { heavyClass } from '../../planner/size-classes.ts'
import type { Amounts, Projection } from '../projection.ts'
import { cellReader } from './counted-cell.ts'
import {
  bytesName,
  COUNTS,
  classCounterName,
  counterName,
  countsKey,
  statisticsShape,
  TOTAL,
  TOTAL_BYTES,
  TOTAL_SIZED,
} from './counts-shape.ts'
import { byteReader } from './item-bytes.ts'

/** How many items each scope has and what they weigh, by the values of the facets: one amount for each counter. */
export function countsProjection(collection: Collection, codec: EntryCodec, layout: CollectionLayout): Projection {
  const bytesOf = byteReader(collection, codec, layout)
  const { by, counted } = statisticsShape(collection)
  const cellOf = cellReader(collection, codec, [...by, ...counted])
  const prefix = derivedPrefix(COUNTS, collection.name)
  return {
    name: 'counts',
    collection: collection.name,
    dated: true,
    isItem: (key) => isItemKey(collection, key),
    contributions(image) {
      const { scope, value } = cellOf(image)
      const counter = counterName(counted.map(value))
      const bytes = bytesOf(image)
      const own = counter === undefined ? {} : { [counter]: 1, [bytesName(counter)]: bytes, ...ofClass(bytes, counter) }
      const amounts = { ...own, [TOTAL]: 1, [TOTAL_BYTES]: bytes, [TOTAL_SIZED]: 1, ...ofClass(bytes, TOTAL) }
      const all = { target: countsKey(collection, scope), amounts }
      return by.length === 0 ? [all] : [all, { target: countsKey(collection, scope, by.map(value)), amounts }]
    },
    owns: ({ PK }) => PK.startsWith(prefix),
    partitionOf: (scope) => derivedPartition(COUNTS, collection.name, scope),
    entryOf: (_, amounts) => numbersEntry(amounts),
    amountsOf: numbersOf,
  }
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
