import type { Collection, Item } from '../model/collection.ts'
import { LapidaryError } from '../model/errors.ts'
import { livenessOf } from '../model/expiry.ts'
import { knownOptions, type OptionNames } from '../model/known-options.ts'
import { allNames } from '../model/shown-names.ts'
import { PRIMARY_SORT_KEY } from '../model/stored-item.ts'
import type { CollectionContext, WithContext } from '../operations/context.ts'
import { scanPages } from '../table/paging.ts'

/** How items are exported. */
export interface ExportOptions {
  /** Stops the export with the error `aborted`. */
  readonly signal?: AbortSignal
}

const NAMES: OptionNames<ExportOptions> = { signal: true }

/**
 * All items of a collection, some hundreds at a time, in the table's own order: the same items come in the same order. Reads
 * consistently, so everything written before is there: 1 RCU for each 4 KB of the table, whatever else is in it.
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
      const items = live.map((entry) => context.codec.toItem(entry) as I)
      if (items.length > 0) yield items
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
  const ordered: Record<string, unknown> = {}
  for (const name of attributeNames(collection, item)) if (Object.hasOwn(item, name)) ordered[name] = item[name]
  return `${JSON.stringify(ordered)}\n`
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
