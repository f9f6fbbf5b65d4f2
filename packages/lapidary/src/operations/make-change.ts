import type { Item } from '../model/collection.ts'
import { LapidaryError, shown } from '../model/errors.ts'
import { Again, retrying } from '../table/retrying.ts'
import type { TableClient } from '../table/table-client.ts'
import { isWritten } from '../writes/is-written.ts'
import { sendOnce } from '../writes/send-once.ts'
import { type Sent, sendWrites } from '../writes/send-writes.ts'
import type { CollectionContext } from './context.ts'
import type { PlannedWrites } from './planned-writes.ts'
import { sortableId } from './sortable-id.ts'

/** The planned writes of a change, with the item as it was read for it. */
export interface PlannedChange<I> extends PlannedWrites<I> {
  readonly id: string
  /** The item before; undefined for a new item. */
  readonly previous: Item | undefined
  /** Whether the change is not idempotent, so that it must be made once only. */
  readonly once?: boolean
}

const MAX_CONFLICTS = 8
/** The most tries of a change that is made once: writers of one counter come in crowds. */
const MAX_CONFLICTS_ONCE = 40
const STEADY_FROM = 5

/**
 * Plans a change and makes it, anew each time that another write came first. That write may have been an earlier try of the change itself whose
 * answer was lost: then the change is made.
 */
export async function makeChange<I>(
  context: CollectionContext,
  id: string,
  plan: () => Promise<PlannedChange<I>>,
  { once = false }: { readonly once?: boolean } = {},
): Promise<I> {
  const { collection, table, hooks } = context
  const gaveUp = (tries: number): never => {
    throw new LapidaryError(
      'unavailable',
      `${collection.name} ${shown(id)} changed ${tries} times while it was being changed; try again`,
    )
  }
  const retries = once ? { most: MAX_CONFLICTS_ONCE, steadyFrom: STEADY_FROM, gaveUp } : { most: MAX_CONFLICTS, gaveUp }
  const lost: PlannedChange<I>[] = []
  const made = await retrying<PlannedChange<I>>(table, retries, async () => {
    const [planned] = await Promise.allSettled([plan()])
    // A try may be made at any moment, also while the plan reads. So it is looked for afterwards: whatever the plan has found of it is seen here.
    const own = await firstMade(table, lost)
    if (own !== undefined) return own
    if (planned.status === 'rejected') throw planned.reason
    const { value } = planned
    if (value.writes.length === 0) return value
    const sent = await send(context, value, once)
    if (sent.outcome === 'written') return value
    if (sent.lost === true) lost.push(value)
    return new Again()
  })
  const { item, previous } = made
  if (made.writes.length > 0) await hooks?.afterWrite?.({ id, item, previous })
  return item
}

/** Finds a change that was made, of those whose answers were lost: at most one of them can be, since each is on the condition of the same version. */
async function firstMade<I>(
  table: TableClient,
  lost: readonly PlannedChange<I>[],
): Promise<PlannedChange<I> | undefined> {
  for (const change of lost) {
    const [first] = change.writes
    if (first !== undefined && (await isWritten(table, first))) return change
  }
  return undefined
}

async function send(context: CollectionContext, planned: PlannedChange<unknown>, once: boolean): Promise<Sent> {
  const { table, clock, collection } = context
  const { item, previous, writes } = planned
  try {
    return once ? await sendOnce(table, writes, sortableId(clock(), table.random)) : await sendWrites(table, writes)
  } finally {
    const { attribute } = collection.scope
    const scopes = [previous, item as Item | undefined].flatMap((each) => (each === undefined ? [] : [each[attribute]]))
    // An item that moves changes the counts of both.
    for (const scope of new Set(scopes)) context.statistics?.wrote(String(scope))
  }
}
