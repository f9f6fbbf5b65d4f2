import type { Collection, Item } from '../model/collection.ts'
import { LapidaryError, unprocessable } from '../model/errors.ts'
import { knownOptions, type OptionNames } from '../model/known-options.ts'
import { orderNamed } from '../model/order.ts'
import { compareToBound, isInOrder, positionOf } from '../model/position.ts'
import { answers, MAX_LIMIT, parseQuery, type Query, type QueryInput, scopesOf } from '../model/query.ts'
import { listPage } from '../read/list.ts'
import type { Page } from '../read/page.ts'
import { createCapacityBudget, withinBudget } from '../table/capacity-budget.ts'
import { inLanes } from '../table/in-lanes.ts'
import type { TableClient } from '../table/table-client.ts'
import { planDelete } from './change.ts'
import type { CollectionContext } from './context.ts'
import { makeChange } from './make-change.ts'

/** Options of the deletion of a scope's items. */
export interface DeleteAllOptions {
  /** Capacity units a second, read and written together; no limit when not given. */
  readonly capacity?: number | undefined
  /** Reads and counts, and deletes nothing. */
  readonly dryRun?: boolean | undefined
  /** Stops the deletion with the error `aborted`, once the deletes under way are done; `details.deleted` says how many items are gone. */
  readonly signal?: AbortSignal | undefined
  /** Called after each page. */
  readonly onProgress?: ((progress: DeleteAllProgress) => void) | undefined
}

/** The progress of the deletion. */
export interface DeleteAllProgress {
  /** How many items are deleted; with `dryRun`, would be. */
  readonly deleted: number
  /** How many items the filter selects, where that was counted before the deletion began. */
  readonly total: number | undefined
  /** Capacity units taken so far. */
  readonly capacity: number
}

/** The result of the deletion. */
export interface DeletedAll {
  /** How many items were deleted; with `dryRun`, would be. */
  readonly deleted: number
  /** Capacity units taken. */
  readonly capacity: number
}

const NAMES: OptionNames<Omit<QueryInput, 'order' | 'limit'> & DeleteAllOptions> = {
  ...{ scope: true, where: true, by: true, from: true, to: true },
  ...{ capacity: true, dryRun: true, signal: true, onProgress: true },
}

/** How many deletes are under way at once. */
const LANES = 8
/** The expected units of a request, before it reports its own. */
const REQUEST_UNITS = 1

/**
 * Deletes all items of a scope, or those that a filter selects, each as `delete` does: with its further entries, and with the hooks of the
 * collection. An item that another process moves or changes meanwhile is deleted if it is still one of them. A run that is killed anywhere and
 * started again deletes the rest.
 *
 * @throws {LapidaryError} `unprocessable`, `aborted`, `unavailable`.
 */
export async function deleteAllItems(
  context: CollectionContext,
  given: Omit<QueryInput, 'order' | 'limit'> & DeleteAllOptions,
): Promise<DeletedAll> {
  const { collection } = context
  const { capacity, dryRun = false, signal, onProgress, ...input } = knownOptions('deleteAll', given, NAMES)
  const asked = { ...input, order: 'newest', limit: MAX_LIMIT } as const
  const query = parseQuery(collection, asked)
  if (scopesOf(query).length === 0) {
    const path = collection.scope.attribute
    throw unprocessable('nothing was deleted', [
      { path, message: 'is missing: name the scopes whose items are to be deleted' },
    ])
  }
  const budget = createCapacityBudget(capacity ?? Number.POSITIVE_INFINITY, context.now)
  const paced = { ...context, table: withinBudget(tellingCapacity(context.table), budget, REQUEST_UNITS, signal) }
  const isAsked = itemFilter(collection, query)
  let deleted = 0
  const stopped = (): LapidaryError =>
    new LapidaryError('aborted', `deleting was stopped; ${deleted} items are deleted, and the next run goes on`, {
      details: { deleted },
      cause: signal?.reason,
    })
  const remove = async (item: Item): Promise<void> => {
    signal?.throwIfAborted()
    if (dryRun || (await deleteIf(paced, String(item[collection.id]), isAsked))) deleted += 1
  }
  let cursor: string | null = null
  let total: number | undefined
  try {
    do {
      signal?.throwIfAborted()
      const options = cursor === null ? {} : { cursor, counts: false }
      const page: Page<Item> = await listPage(paced as CollectionContext<Item>, asked, {
        ...options,
        attributes: [collection.id],
      })
      total ??= page.page.total ?? undefined
      await inLanes(page.items, LANES, remove)
      onProgress?.({ deleted, total, capacity: budget.spent })
      cursor = page.cursors.next
    } while (cursor !== null)
  } catch (error) {
    throw signal?.aborted === true ? stopped() : error
  }
  return { deleted, capacity: budget.spent }
}

/** Wraps a table so that every command reports its capacity, which the budget goes by. */
function tellingCapacity(table: TableClient): TableClient {
  const send = (command: never, settings?: never): Promise<unknown> => {
    Object.assign((command as { readonly input: object }).input, { ReturnConsumedCapacity: 'TOTAL' })
    return table.send(command, settings)
  }
  return { ...table, send: send as TableClient['send'] }
}

/** Deletes an item if it is still asked for as it is read. Returns false where it is not, or is gone. */
async function deleteIf(context: CollectionContext, id: string, isAsked: (item: Item) => boolean): Promise<boolean> {
  let isDeleted = false
  try {
    await makeChange(context, id, async () => {
      const planned = await planDelete(context, id, {}, isAsked)
      isDeleted = planned.writes.length > 0
      return planned
    })
  } catch (error) {
    // Another process was faster, or the index still lists a deleted item.
    if (error instanceof LapidaryError && error.code === 'not_found') return false
    throw error
  }
  return isDeleted
}

/** Makes the test whether an item answers a query, by the item itself. */
function itemFilter(collection: Collection, query: Query): (item: Item) => boolean {
  const { scope } = collection
  const scopes = scopesOf(query)
  const order = orderNamed(collection, query.by)
  const placed = { ...collection, order }
  return (item) => {
    if (!scopes.includes(String(item[scope.attribute])) || !answers(collection, query, item)) return false
    if (query.by === undefined && query.from === undefined && query.to === undefined) return true
    if (!isInOrder(order, item)) return false
    const position = positionOf(placed, item)
    return (
      (query.from === undefined || compareToBound(position, query.from) > 0) &&
      (query.to === undefined || compareToBound(position, query.to) < 0)
    )
  }
}
