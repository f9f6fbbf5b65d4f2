import type { Item } from '../model/collection.ts'
import { LapidaryError, shown, unprocessable } from '../model/errors.ts'
import { internalByChance, nextInternal } from '../model/internal-version.ts'
import { keyProblem } from '../model/key-text.ts'
import { knownOptions, type OptionNames } from '../model/known-options.ts'
import { isAlwaysInOrder } from '../model/order.ts'
import { ownValue } from '../model/own-value.ts'
import { validItem } from '../model/stored-item.ts'
import { Again, retrying } from '../table/retrying.ts'
import { newToken } from '../table/transaction.ts'
import { isWritten } from '../writes/is-written.ts'
import { itemWrites, type WriteCondition } from '../writes/item-writes.ts'
import { type Sent, sendWrites } from '../writes/send-writes.ts'
import { type CollectionContext, writeContext } from './context.ts'
import { deletesOfFormer } from './former-entries.ts'
import { firstAnswer, idempotencyRecord, takeKey } from './idempotency.ts'
import type { PlannedWrites } from './planned-writes.ts'
import { declaredVersion } from './preconditions.ts'
import { sortableId } from './sortable-id.ts'

/** Options of a creation. */
export interface CreateOptions {
  /**
   * The same key with the same item again returns the first answer, for a day. It doubles the write's cost, since it makes the write a
   * transaction.
   */
  readonly idempotencyKey?: string | undefined
}

/** Options of a creation that is part of a transaction. */
export interface PlannedCreateOptions {
  /**
   * Whether the item was stored before, here or in another collection, and comes back: it keeps its version and the time of its last change, so
   * that no version stands for two states of it. False when not given.
   */
  readonly restored?: boolean | undefined
}

const NAMES: OptionNames<CreateOptions> = { idempotencyKey: true }
const PLANNED_NAMES: OptionNames<PlannedCreateOptions> = { restored: true }
const MAX_CONFLICTS = 8

/**
 * Stores a new item. It makes the id, the first version and, for lists in order of time, the time when they are not given.
 *
 * @throws {LapidaryError} `unprocessable`, `already_exists`, `idempotency_mismatch`; `not_found` for a key whose item was deleted since.
 */
export async function createItem<I>(
  context: CollectionContext<I>,
  input: Item,
  options: CreateOptions = {},
): Promise<I> {
  const { idempotencyKey } = knownOptions('create', options, NAMES)
  const problem = idempotencyKey === undefined ? undefined : keyProblem(idempotencyKey)
  if (problem !== undefined)
    throw unprocessable('the idempotency key was refused', [{ path: 'idempotencyKey', message: problem }])
  const planned = await planCreate(context, input)
  const { item } = planned
  try {
    const created =
      idempotencyKey === undefined
        ? await createNew(context, input, planned)
        : await createOnce(context, input, planned, idempotencyKey)
    if (created === item) await context.hooks?.afterWrite?.({ id: madeId(context, item), item, previous: undefined })
    return created
  } finally {
    context.statistics?.wrote(String((item as Item)[context.collection.scope.attribute]))
  }
}

/**
 * Plans the writes of {@link createItem}.
 *
 * @throws {LapidaryError} `unprocessable`.
 */
export async function planCreate<I>(
  context: CollectionContext<I>,
  input: Item,
  options: PlannedCreateOptions = {},
): Promise<PlannedWrites<I>> {
  const { restored = false } = knownOptions('create', options, PLANNED_NAMES)
  const made = withMadeAttributes(context, input)
  const { collection } = context
  const item = await validItem(collection, restored ? { ...made, ...keptAttributes(context, input) } : made)
  await context.hooks?.beforeWrite?.({ id: madeId(context, item), item, previous: undefined })
  const declared = declaredVersion(collection, item as Item)
  // A write that is late, and was planned of the item before it went, must not meet its condition again now that it comes back.
  const version = restored ? internalByChance(context.table.random, declared) : nextInternal(undefined, declared)
  const stored = { item: item as Item, version }
  const writing = await writeContext(context)
  const writes = itemWrites(writing, undefined, stored, isNew(context))
  // An id that was made here is new, so no former item has left entries under it.
  if (ownValue(input, context.collection.id) === undefined) return { item, writes }
  return { item, writes: [...writes, ...(await deletesOfFormer(context, writing, stored.item, writes))] }
}

/** Makes the condition that no item has the id, or one that has expired. */
function isNew({ collection, codec, clock }: CollectionContext): WriteCondition {
  const { expires } = collection
  if (expires === undefined) return { ConditionExpression: 'attribute_not_exists(PK)' }
  return {
    ConditionExpression: 'attribute_not_exists(PK) OR #x <= :now',
    ExpressionAttributeNames: { '#x': codec.storedName(expires) },
    ExpressionAttributeValues: { ':now': { S: new Date(clock()).toISOString() } },
  }
}

async function createNew<I>(
  context: CollectionContext<I>,
  input: Item,
  { item, writes }: PlannedWrites<I>,
): Promise<I> {
  const [first] = writes
  let isLost = false
  const outcome = await untilSettled(context, item, async (once) => {
    const sent = await sendWrites(context.table, writes, once)
    isLost ||= sent.lost === true
    // An earlier try may have made the item that now has the id.
    const mayBeOwn = sent.outcome !== 'written' && isLost && first !== undefined
    return mayBeOwn && (await isWritten(context.table, first)) ? { outcome: 'written' } : sent
  })
  // No other write can have the id that was made here: an earlier try of this write got through, and its answer was lost.
  if (outcome === 'written' || ownValue(input, context.collection.id) === undefined) return item
  throw alreadyExists(context, item)
}

async function createOnce<I>(
  context: CollectionContext<I>,
  input: Item,
  { item, writes: ofItem }: PlannedWrites<I>,
  idempotencyKey: string,
): Promise<I> {
  const record = idempotencyRecord(context, idempotencyKey, input)
  const writes = [takeKey(context, record, item as Item), ...ofItem]
  let first: I | undefined
  const outcome = await untilSettled(context, item, async (once) => {
    const sent = await sendWrites(context.table, writes, once)
    if (sent.outcome !== 'written') first = await firstAnswer(context, record)
    if (first !== undefined) return { outcome: 'written' }
    // The key was taken a moment ago and is free again, so another try gets it.
    return sent.refused === 0 ? { outcome: 'conflict' } : sent
  })
  if (outcome === 'refused') throw alreadyExists(context, item)
  return first ?? item
}

/**
 * Repeats writes that meet others at the same items. All tries of a transaction have one token: one that is made late, after another of them and a
 * deletion, would bring the item back.
 */
function untilSettled(
  { table, collection }: CollectionContext,
  item: unknown,
  send: (once: { readonly ClientRequestToken: string }) => Promise<Sent>,
): Promise<'written' | 'refused'> {
  const once = { ClientRequestToken: newToken() }
  const gaveUp = (): never => {
    const id = shown((item as Item)[collection.id])
    throw new LapidaryError('unavailable', `other writes kept conflicting with ${collection.name} ${id}; try again`)
  }
  return retrying<'written' | 'refused'>(table, { most: MAX_CONFLICTS, gaveUp }, async () => {
    const { outcome } = await send(once)
    return outcome === 'conflict' ? new Again() : outcome
  })
}

function withMadeAttributes({ collection, clock, table }: CollectionContext, input: Item): Item {
  const { id, order, version, updatedAt } = collection
  const now = clock()
  const time = new Date(now).toISOString()
  return {
    ...input,
    [id]: ownValue(input, id) ?? sortableId(now, table.random),
    ...(order.type === 'time' ? { [order.attribute]: ownValue(input, order.attribute) ?? time } : {}),
    ...(version === undefined ? {} : { [version]: 1 }),
    ...(updatedAt === undefined ? {} : { [updatedAt]: isAlwaysInOrder(collection, updatedAt) ? time : null }),
  }
}

/** Returns the attributes that the library keeps, as a restored item has them. */
function keptAttributes({ collection: { version, updatedAt } }: CollectionContext, input: Item): Item {
  const kept = [version, updatedAt].flatMap((name) =>
    name === undefined ? [] : [[name, ownValue(input, name)] as const],
  )
  return Object.fromEntries(kept.filter(([, value]) => value !== undefined))
}

function madeId({ collection }: CollectionContext, item: unknown): string {
  return String((item as Item)[collection.id])
}

function alreadyExists({ collection }: CollectionContext, item: unknown): LapidaryError {
  return new LapidaryError(
    'already_exists',
    `a ${collection.name} with the id ${shown((item as Item)[collection.id])} exists already; change it, or choose another id`,
  )
}
