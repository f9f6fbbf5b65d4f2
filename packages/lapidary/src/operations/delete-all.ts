import type { Collection, Item } from '../model/collection.ts'
import { LapidaryError, unprocessable } from '../model/errors.ts'
import { knownOptions, type OptionNames } from '../model/known-options.ts'
import { orderNamed } from '../model/order.ts'
import { compareToBound, isInOrder, positionOf } from '../model/position.ts'
import { askedOf, MAX_LIMIT, parseQuery, type Query, type QueryInput, scopesOf, selects } from '../model/query.ts'
import { listPage } from '../read/list.ts'
import type { Page } from '../read/page.ts'
import { createCapacityBudget, withinBudget } from '../table/capacity-budget.ts'
import type { TableClient } from '../table/table-client.ts'
import { planDelete } from './change.ts'
import type { CollectionContext } from './context.ts'
import { makeChange } from './make-change.ts'

/** How all items of a scope are deleted. */
export interface DeleteAllOptions {
  /** Capacity units a second, read and written together; no limit when not given. */
  readonly capacity?: number | undefined
  /** Reads and counts, and deletes nothing. */
  readonly dryRun?: boolean | undefined
  /** Stops it with the error `aborted`, once what is under way is done; `details.deleted` says how many are gone. */
  readonly signal?: AbortSignal | undefined
  /** Told after each page. */
  readonly onProgress?: ((progress: DeleteAllProgress) => void) | undefined
}

/** How far it is. */
export interface DeleteAllProgress {
  /** Items that are deleted; with `dryRun`, that would be. */
  readonly deleted: number
  /** All that the filter selects, where that was counted before it began. */
  readonly total: number | undefined
  /** Capacity units taken so far. */
  readonly capacity: number
}

/** What was deleted. */
export interface DeletedAll {
  /** Items that were deleted; with `dryRun`, that would be. */
  readonly deleted: number
  /** Capacity units that it took. */
  readonly capacity: number
}

const NAMES: OptionNames<Omit<QueryInput, 'order' | 'limit'> & DeleteAllOptions> = {
  ...{ scope: true, where: true, by: true, from: true, to: true },
  ...{ capacity: true, dryRun: true, signal: true, onProgress: true },
}

/** Deletes that are under way at once. */
const LANES = 8
/** What a request is expected to take, before it says what it took. */
const REQUEST_UNITS = 1

/**
 * Deletes all items of a scope, or those that a filter selects, each as `delete` does: with its further entries, and with the hooks of the
 * collection. An item that another process moves or changes meanwhile is deleted if it is still one of them. Killed anywhere and run again,
 * it deletes what is left.
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
    throw unprocessable('nothing was deleted', [{ path, message: 'is missing: say of which scopes all are deleted' }])
  }
  const budget = createCapacityBudget(capacity ?? Number.POSITIVE_INFINITY, context.now)
  const paced = { ...context, table: withinBudget(tellingCapacity(context.table), budget, REQUEST_UNITS, signal) }
  const isAsked = answering(collection, query)
  let deleted = 0
  const stopped = (): LapidaryError =>
    new LapidaryError('aborted', `deleting was stopped; ${deleted} items are deleted, and the next run goes on`, {
      details: { deleted },
      cause: signal?.reason,
    })
  const remove = async (item: Item): Promise<void> => {
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
      await inLanes(page.items, remove, signal)
      onProgress?.({ deleted, total, capacity: budget.spent })
      cursor = page.cursors.next
    } while (cursor !== null)
  } catch (error) {
    throw signal?.aborted === true ? stopped() : error
  }
  return { deleted, capacity: budget.spent }
}

/** A table of which every command tells what it took: a budget goes by that. */
function tellingCapacity(table: TableClient): TableClient {
  const send = (command: never, settings?: never): Promise<unknown> => {
    Object.assign((command as { readonly input: object }).input, { ReturnConsumedCapacity: 'TOTAL' })
    return table.send(command, settings)
  }
  return { ...table, send: send as TableClient['send'] }
}

/** Deletes an item if it is still asked for as it is read. False where it is not, or is gone. */
async function deleteIf(context: CollectionContext, id: string, isAsked: (item: Item) => boolean): Promise<boolean> {
  let isDeleted = false
  try {
    await makeChange(context, id, async () => {
      const planned = await planDelete(context, id, {}, isAsked)
      isDeleted = planned.writes.length > 0
      return planned
    })
  } catch (error) {
    // Another was faster, or the index still lists what is deleted.
    if (error instanceof LapidaryError && error.code === 'not_found') return false
    throw error
  }
  return isDeleted
}

/** Tells the items that answer a query, by the items themselves. */
function answering(collection: Collection, query: Query): (item: Item) => boolean {
  const { scope, facets } = collection
  const scopes = scopesOf(query)
  const where = askedOf(query)
  const order = orderNamed(collection, query.by)
  const placed = { ...collection, order }
  return (item) => {
    if (!scopes.includes(String(item[scope.attribute])) || !selects(where, item, facets)) return false
    if (query.by === undefined && query.from === undefined && query.to === undefined) return true
    if (!isInOrder(order, item)) return false
    const position = positionOf(placed, item)
    return (
      (query.from === undefined || compareToBound(position, query.from) > 0) &&
      (query.to === undefined || compareToBound(position, query.to) < 0)
    )
  }
}

/** Does something with each item, some at a time. What is begun is ended, whatever fails beside it. */
async function inLanes<T>(
  items: readonly T[],
  act: (item: T) => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const left = items.values()
  let failed = false
  const lane = async (): Promise<void> => {
    for (const item of left) {
      if (failed) return
      try {
        signal?.throwIfAborted()
        await act(item)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: LANES }, lane))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}
