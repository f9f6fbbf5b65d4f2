import { randomUUID } from 'node:crypto'
import { DescribeTableCommand, type TableDescription } from '@aws-sdk/client-dynamodb'
import { LapidaryError } from '../model/errors.ts'
import { ownValue } from '../model/own-value.ts'
import type { CollectionContext } from '../operations/context.ts'
import { changeRegister, type IndexRegister, NO_REGISTER, readIndexRegister } from '../schema/index-register.ts'
import { KNOWN_EVERYWHERE_MS } from '../schema/index-states.ts'
import { holdLease } from '../stream/lease.ts'
import { type CapacityBudget, createCapacityBudget } from '../table/capacity-budget.ts'
import type { Backfill, BackfilledCollection, BackfillOptions } from './backfill-options.ts'
import { backfillKey, keepPlace } from './backfill-place.ts'
import { areBuilt, fillsOf, requireIndexes, wantedIndexes, withBackfill } from './backfill-register.ts'
import { type BackfillRun, progressReporter, scanAndFill } from './backfill-scan.ts'

const LEASE_MS = 6_000
const LOOK_MS = 1_000
const WAIT_MS = 100
/** How long ago an index was registered that every process knows, however slow the one that registered it was. */
const LONG_AGO_MS = 60_000

/**
 * Writes the keys that items lack, and takes away those that they should not have, while the table is used. Then the indexes are
 * complete, and lists are read from them.
 *
 * @throws {LapidaryError} `unavailable` when another process does it already, `table_mismatch` when the table lacks an index,
 * `declaration_invalid`, `unprocessable`, `aborted`.
 */
export async function backfill(contexts: readonly CollectionContext[], options: BackfillOptions): Promise<Backfill> {
  const [only] = contexts
  if (contexts.length > 1 && (options.index !== undefined || options.fill !== undefined)) {
    const names = contexts.map(({ collection }) => collection.name).join(', ')
    throw new LapidaryError('unprocessable', `an index and a fill are of one collection; name it, of ${names}`)
  }
  const budget = createCapacityBudget(options.capacity ?? Number.POSITIVE_INFINITY, only?.now ?? (() => 0))
  const collections: BackfilledCollection[] = []
  for (const context of contexts) collections.push(await backfillCollection(context, budget, options))
  const complete = collections.every(({ indexes }) => indexes.every(({ state }) => state === 'ready'))
  return { collections, complete, capacity: budget.spent }
}

async function backfillCollection(
  context: CollectionContext,
  budget: CapacityBudget,
  options: BackfillOptions,
): Promise<BackfilledCollection> {
  const { collection, table, clock } = context
  const owner = options.owner ?? randomUUID()
  const lost = new AbortController()
  const signal = options.signal === undefined ? lost.signal : AbortSignal.any([options.signal, lost.signal])
  const wanted = wantedIndexes(context, options.index)
  const fills = fillsOf(context, options.fill)
  const leased = { key: backfillKey(collection.name), owner, leaseMs: options.leaseMs ?? LEASE_MS, clock, signal }
  await using _lease = await holdLease(table, leased, `the indexes of ${collection.name}`, (error) => lost.abort(error))
  const description = await described(context)
  const report = progressReporter(context, budget, options, description.ItemCount || undefined)
  const run: BackfillRun = { context, budget, options, wanted, owner, signal, report }
  const inTable = (description.GlobalSecondaryIndexes ?? []).map(({ IndexName = '' }) => IndexName)
  let before: IndexRegister | undefined
  const change = (register: IndexRegister): IndexRegister => {
    before = register
    return withBackfill(context, register, { wanted, fills, inTable, now: clock() })
  }
  // Registers what this process declares, where it has not done so yet.
  await context.states.unusable()
  if (options.dryRun === true) {
    const register = change((await readIndexRegister(table, collection)) ?? NO_REGISTER)
    return guarded(run, () => filled(run, register, []))
  }
  requireIndexes(description, context, wanted, table.tableName)
  const register = await changeRegister(table, collection, change)
  const forgotten = Object.keys(before?.indexes ?? {}).filter((name) => !Object.hasOwn(register.indexes, name))
  return guarded(run, async () => {
    const areFillsNew = JSON.stringify(before?.fills) !== JSON.stringify(register.fills)
    await waitUntilKnown(run, register, areFillsNew)
    return filled(run, register, forgotten)
  })
}

/** Waits until every process that writes knows of what is filled: an item that is written from then on has its keys. */
async function waitUntilKnown(
  { context, wanted, signal, report }: BackfillRun,
  { indexes }: IndexRegister,
  areFillsNew: boolean,
): Promise<void> {
  const { clock } = context
  const now = clock()
  // The process that noted the time may have been slow to write it: only what is long ago is certain.
  const isRecent = (name: string): boolean => {
    const index = ownValue(indexes, name)
    return index?.state === 'filling' && now - index.since < LONG_AGO_MS
  }
  if (!areFillsNew && !wanted.some(isRecent)) return
  const until = now + KNOWN_EVERYWHERE_MS
  for (let left = until - clock(); left > 0; left = until - clock()) {
    report('wait', 0, left)
    signal.throwIfAborted()
    await context.table.sleep(Math.min(left, WAIT_MS))
  }
}

async function filled(
  run: BackfillRun,
  register: IndexRegister,
  forgotten: readonly string[],
): Promise<BackfilledCollection> {
  const { context, wanted, owner, options } = run
  const { collection, table } = context
  const dryRun = options.dryRun === true
  const { place, unfitItems } = await scanAndFill(run, register)
  const state = (name: string): 'filling' | 'ready' => ownValue(register.indexes, name)?.state ?? 'filling'
  const fit = wanted.filter((name) => !Object.hasOwn(place.unfit, name))
  if (!dryRun) {
    await built(run, fit)
    await changeRegister(table, collection, (found) => withReady(found, register, fit))
    await keepPlace(table, collection.name, owner, undefined)
    context.states.changed()
  }
  const { items, written, filled: given, again, unfit } = place
  return {
    ...{ collection: collection.name, items, written, filled: given, again, unfit, unfitItems, forgotten },
    indexes: wanted.map((name) => ({ name, state: !dryRun && fit.includes(name) ? 'ready' : state(name) })),
  }
}

/** Indexes that are still those that were filled are complete. */
function withReady(found: IndexRegister, register: IndexRegister, fit: readonly string[]): IndexRegister {
  const indexes = { ...found.indexes }
  for (const name of fit) {
    const [now, then] = [ownValue(indexes, name), ownValue(register.indexes, name)]
    if (now === undefined || now.digest !== then?.digest || now.since !== then.since) continue
    indexes[name] = { ...now, state: 'ready', proven: true }
  }
  return { ...found, indexes }
}

/** Waits until DynamoDB has built the indexes itself. */
async function built(run: BackfillRun, names: readonly string[]): Promise<void> {
  while (!areBuilt(await described(run.context), names)) {
    run.report('build')
    run.signal.throwIfAborted()
    await run.context.table.sleep(LOOK_MS)
  }
}

async function described({ table }: CollectionContext): Promise<TableDescription> {
  return (await table.send(new DescribeTableCommand({ TableName: table.tableName }))).Table ?? {}
}

/** What the signal stops is `aborted`, with the reason; a lost lease says so itself. */
async function guarded<T>({ signal, options }: BackfillRun, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!signal.aborted) throw error
    if (options.signal?.aborted !== true) throw signal.reason
    throw new LapidaryError('aborted', 'the backfill was stopped; run again, it goes on where it was', { cause: error })
  }
}
