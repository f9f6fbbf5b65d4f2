import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { Collection, Item } from '../model/collection.ts'
import type { Entry } from '../model/entry.ts'
import { LapidaryError } from '../model/errors.ts'
import { livenessOf } from '../model/expiry.ts'
import { knownOptions, type OptionNames } from '../model/known-options.ts'
import { ownValue } from '../model/own-value.ts'
import { allNames } from '../model/shown-names.ts'
import { PRIMARY_SORT_KEY } from '../model/stored-item.ts'
import { LeftOut } from '../model/unreadable-item.ts'
import { attributeValue } from '../model/written-entry.ts'
import type { CollectionContext, WithContext } from '../operations/context.ts'
import { scanPages } from '../table/paging.ts'
import { jsonObject } from './json-numbers.ts'

/** How items are exported. */
export interface ExportOptions {
  /** Stops the export with the error `aborted`. */
  readonly signal?: AbortSignal
}

const NAMES: OptionNames<ExportOptions> = { signal: true }

/**
 * All items of a collection, some hundreds at a time, in the table's own order: the same items come in the same order. Reads
 * consistently, so everything written before is there: 1 RCU for each 4 KB of the table, whatever else is in it. Where some can't be read, it
 * gives the others and ends with `table_mismatch`; {@link exportLines} reads them all.
 *
 * @throws {LapidaryError} `aborted`, `unavailable`, `table_mismatch`.
 * @example
 * ```ts run
 * for await (const items of exportItems(lapidary.comments)) console.log(items.length)
 * ```
 */
export async function* exportItems<I>(
  { context }: WithContext<I>,
  options: ExportOptions = {},
): AsyncGenerator<readonly I[]> {
  const leftOut = new LeftOut()
  for await (const entries of itemEntries(context as CollectionContext, options)) {
    const items = entries.flatMap((entry) => {
      const [unreadable] = context.codec.unreadable(entry)
      if (unreadable === undefined) return [context.codec.toItem(entry) as I]
      leftOut.add(unreadable)
      return []
    })
    if (items.length > 0) yield items
  }
  leftOut.throwIfAny(context.collection)
}

/**
 * The same items as lines of JSON, as {@link jsonLine} makes them, numbers with all their digits: what is imported from them is equal.
 *
 * @throws {LapidaryError} `aborted`, `unavailable`, `table_mismatch`.
 * @example
 * ```ts run
 * for await (const lines of exportLines(lapidary.comments)) process.stdout.write(lines.join(''))
 * ```
 */
export async function* exportLines(
  { context }: WithContext,
  options: ExportOptions = {},
): AsyncGenerator<readonly string[]> {
  const { collection, codec } = context
  for await (const entries of itemEntries(context, options))
    yield entries.map((entry) => lineOf(collection, codec.storedValues(entry)))
}

async function* itemEntries(context: CollectionContext, options: ExportOptions): AsyncGenerator<readonly Entry[]> {
  knownOptions('the export', options, NAMES)
  const pages = scanPages(context.table, itemsScan(context), options.signal)
  const isLive = livenessOf(context.collection, context.codec, context.clock)
  try {
    let page = await pages.next()
    while (page.done !== true) {
      // The next page is read while this one is written.
      const next = pages.next()
      next.catch(() => {})
      const live = (page.value.Items ?? []).filter((entry) => isLive?.(entry) !== false)
      if (live.length > 0) yield live
      page = await next
    }
  } catch (error) {
    if (options.signal?.aborted !== true) throw error
    throw new LapidaryError('aborted', 'the export was stopped', { cause: error })
  }
}

/**
 * An item as a line of JSON, attributes in the order of the declaration: equal items are equal bytes.
 *
 * @example
 * ```ts run
 * for await (const items of exportItems(lapidary.comments)) {
 *   for (const item of items) process.stdout.write(jsonLine(comments, item))
 * }
 * ```
 */
export function jsonLine(collection: Collection, item: Item): string {
  const { numbers } = collection
  const values = Object.entries(item).flatMap(([name, value]) => {
    const kind = ownValue(numbers, name)
    return value === undefined ? [] : [[name, attributeValue(name, value, kind)] as const]
  })
  return lineOf(collection, new Map(values))
}

function lineOf(collection: Collection, values: ReadonlyMap<string, AttributeValue>): string {
  const names = attributeNames(collection, Object.fromEntries(values))
  const members = names.flatMap((name) => {
    const value = values.get(name)
    return value === undefined ? [] : [[name, value] as const]
  })
  return `${jsonObject(members)}\n`
}

/** The names of an item's attributes in their stable order. */
export function attributeNames(collection: Collection, item: Item): readonly string[] {
  if (collection.attributes !== undefined) return Object.keys(collection.attributes)
  const { id, scope, order, facets } = collection
  const first = [id, scope.attribute, ...Object.keys(facets), order.attribute]
  return [...new Set([...first, ...Object.keys(item).sort()])]
}

function itemsScan({ collection }: CollectionContext): Parameters<typeof scanPages>[1] {
  const names = Object.fromEntries((allNames(collection) ?? []).map((name, i) => [`#a${i}`, name]))
  return {
    ConsistentRead: true,
    // Duplicates and the records of idempotency keys are not items.
    FilterExpression: 'begins_with(PK, :pk) AND SK = :sk',
    ExpressionAttributeValues: { ':pk': { S: `${collection.name}#` }, ':sk': { S: PRIMARY_SORT_KEY } },
    ...(collection.attributes === undefined
      ? {}
      : { ProjectionExpression: Object.keys(names).join(', '), ExpressionAttributeNames: names }),
  }
}
