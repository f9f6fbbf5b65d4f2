import { isDeepStrictEqual } from 'node:util'
import type { AttributeValue, TransactWriteItem } from '@aws-sdk/client-dynamodb'
import type { Layout } from '../layouts/layout.ts'
import type { Collection, Item } from '../model/collection.ts'
import { shown } from '../model/errors.ts'
import { type FacetValue, valueProblem } from '../model/facet.ts'
import { PRIMARY_SORT_KEY } from '../model/stored-item.ts'
import type { Change } from '../streams/change.ts'
import { guardedWrite } from '../streams/guarded-write.ts'
import type { Contribution, CountingProjection, NetContribution } from '../streams/projection.ts'
import type { Entry, EntryCodec } from '../table/entry.ts'
import { itemBytes } from './item-bytes.ts'
import { leaderboardWrites } from './leaderboard.ts'
import {
  bytesName,
  counterName,
  isCounter,
  statisticsKey,
  statisticsShape,
  TOTAL,
  TOTAL_BYTES,
  TOTAL_SIZED,
} from './statistics-shape.ts'

export interface StatisticsProjectionOptions {
  readonly collection: Collection
  readonly codec: EntryCodec
  readonly layout: Layout
  readonly tableName: string
}

/** Counts of each scope's items with their bytes, and the leaderboards that follow from them in the same transaction. */
export function statisticsProjection(options: StatisticsProjectionOptions): CountingProjection {
  const { collection, codec, tableName } = options
  const { by, counted } = statisticsShape(collection)

  const { id, order, scope } = collection
  const names = [id, order.attribute, scope.attribute, ...by, ...counted].map((name) => codec.storedName(name))
  const cellOf = (entry: Entry): Cell => {
    // A text of 10,000 characters is weighed and not decoded.
    const held: Record<string, AttributeValue> = {}
    for (const name of names) if (entry[name] !== undefined) held[name] = entry[name]
    const item = codec.toItem(held)
    return {
      bytes: itemBytes(collection, options.layout, entry, item),
      scope: scopeOf(collection, item),
      by: by.map((name) => facetValue(collection, item, name)),
      counted: counted.map((name) => facetValue(collection, item, name)),
    }
  }

  return {
    kind: 'counting',
    name: `statistics of ${collection.name}`,
    writesPerTarget: 1 + collection.leaderboards.length,
    contributions(change) {
      if (!isItemOf(collection, change)) return []
      const was = change.before === undefined ? undefined : cellOf(change.before)
      const is = change.after === undefined ? undefined : cellOf(change.after)
      if (isDeepStrictEqual(was, is)) return []
      const removed = was === undefined ? [] : counts(collection, was, -1)
      const added = is === undefined ? [] : counts(collection, is, 1)
      return [...removed, ...added]
    },
    writes(net, before) {
      const after = countsAfter(net, before)
      return [
        guardedWrite(tableName, net.target, before, after),
        ...leaderboardWrites(options, net.target, before, after),
      ] satisfies TransactWriteItem[]
    },
  }
}

/** Whether a change is one of an item of the collection itself, as against what is kept beside it. */
export function isItemOf(collection: Collection, { key }: Pick<Change, 'key'>): boolean {
  return key.SK === PRIMARY_SORT_KEY && key.PK.startsWith(`${collection.name}#`)
}

interface Cell {
  readonly scope: string
  readonly by: readonly FacetValue[]
  readonly counted: readonly FacetValue[]
  readonly bytes: number
}

function counts(collection: Collection, { scope, by, counted, bytes }: Cell, one: 1 | -1): readonly Contribution[] {
  const counter = counterName(counted)
  const own = counter === undefined ? {} : { [counter]: one, [bytesName(counter)]: one * bytes }
  const added = { ...own, [TOTAL]: one, [TOTAL_BYTES]: one * bytes, [TOTAL_SIZED]: one }
  const all = { target: statisticsKey(collection, scope), counts: added }
  return by.length === 0 ? [all] : [all, { target: statisticsKey(collection, scope, by), counts: added }]
}

/** The counters after a batch is added; undefined when nothing is left to count, so that no item stands for nothing. */
export function countsAfter(
  net: Pick<NetContribution, 'counts' | 'at'>,
  before: Entry | undefined,
): Record<string, AttributeValue> | undefined {
  const after: Record<string, AttributeValue> = {}
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(net.counts)])
  for (const name of names) {
    if (!isCounter(name)) continue
    const count = Number(before?.[name]?.N ?? 0) + (net.counts[name] ?? 0)
    if (count !== 0) after[name] = { N: String(count) }
  }
  if (Object.keys(after).length === 0) return undefined
  const asOf = Math.max(net.at, Date.parse(before?.asOf?.S ?? '') || 0)
  return { ...after, asOf: { S: new Date(asOf).toISOString() } }
}

/** By the same rules as an item is let in: a value that no list has must not become a counter, nor a text `5` the number. */
function facetValue(collection: Collection, item: Item, attribute: string): FacetValue {
  const value = item[attribute]
  const facet = collection.facets[attribute]
  const problem = facet === undefined ? 'is no facet' : valueProblem(facet, value)
  if (problem === undefined) return value as FacetValue
  throw new TypeError(`${attribute} ${value === undefined ? 'is missing' : problem}, so the item can't be counted`)
}

function scopeOf({ scope: { attribute } }: Collection, item: Item): string {
  const value = item[attribute]
  if (typeof value === 'string' && value !== '') return value
  throw new TypeError(`${attribute} is ${value === undefined ? 'missing' : shown(value)}, so the item can't be counted`)
}
