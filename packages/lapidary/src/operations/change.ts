import { isDeepStrictEqual } from 'node:util'
import { type AttributeValue, DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import type { Item } from '../model/collection.ts'
import type { Entry } from '../model/entry.ts'
import { LapidaryError, shown, unprocessable } from '../model/errors.ts'
import { keyProblem } from '../model/key-text.ts'
import { INTERNAL_VERSION } from '../model/reserved-names.ts'
import { primaryKey, validItem } from '../model/stored-item.ts'
import { jitteredDelay } from '../table/retrying.ts'
import type { CollectionContext } from './context.ts'
import { entryOf } from './create.ts'
import { getEntry, notFound } from './look-up.ts'

export interface ChangeOptions {
  /** Only if the item still has this version; without it, the change is made to whatever version there is. */
  readonly ifVersion?: number | undefined
}

const MAX_CONFLICTS = 8

/**
 * Changes some attributes of an item, as one step: concurrent changes of other attributes are kept. A change that changes
 * nothing writes nothing.
 *
 * @throws {LapidaryError} `not_found`, `unprocessable`, `version_conflict`.
 */
export async function patchItem<I>(
  context: CollectionContext<I>,
  id: string,
  changes: Item,
  options: ChangeOptions = {},
): Promise<I> {
  refuseKeptAttributes(context, changes)
  for (let attempt = 1; ; attempt++) {
    const entry = await getEntry(context, id)
    const before = context.codec.toItem(entry)
    requireVersion(context, entry, id, options.ifVersion)
    const merged = await validItem(context.collection, { ...before, ...changes })
    if (isDeepStrictEqual(merged, before)) return merged
    const after = await validItem(context.collection, { ...(merged as Item), ...nextVersion(context, before) })
    if (await replaceEntry(context, entry, after as Item)) return after
    if (attempt >= MAX_CONFLICTS) {
      throw new LapidaryError(
        'unavailable',
        `${context.collection.name} ${shown(id)} changed ${attempt} times while it was being changed; try again`,
      )
    }
    await context.table.sleep(jitteredDelay(attempt, context.table.random))
  }
}

/**
 * Deletes an item.
 *
 * @throws {LapidaryError} `not_found`, `version_conflict`.
 */
export async function deleteItem(context: CollectionContext, id: string, options: ChangeOptions = {}): Promise<void> {
  if (options.ifVersion !== undefined) requireVersion(context, await getEntry(context, id), id, options.ifVersion)
  if (keyProblem(id) !== undefined) throw notFound(context, id)
  const { table } = context
  const { PK, SK } = primaryKey(context.collection, id)
  const condition = versionCondition(context, options.ifVersion)
  try {
    const { Attributes } = await table.send(
      new DeleteItemCommand({
        TableName: table.tableName,
        Key: { PK: { S: PK }, SK: { S: SK } },
        ReturnValues: 'ALL_OLD',
        ...condition,
      }),
    )
    if (Attributes !== undefined) context.statistics?.wrote(scopeOf(context, Attributes))
  } catch (error) {
    if (!isConditionFailure(error)) throw error
    if (options.ifVersion === undefined) throw notFound(context, id)
    throw versionConflict(context, id, options.ifVersion)
  }
}

function scopeOf({ collection, codec }: CollectionContext, entry: Entry): string {
  return String(codec.toItem(entry)[collection.scope.attribute])
}

function refuseKeptAttributes({ collection }: CollectionContext, changes: Item): void {
  const kept = [collection.id, collection.scope.attribute, collection.version, collection.updatedAt]
  const errors = Object.keys(changes)
    .filter((attribute) => kept.includes(attribute))
    .map((path) => ({ path, message: "can't be changed" }))
  if (errors.length > 0) throw unprocessable(`the change of a ${collection.name} was refused`, errors)
}

function nextVersion({ collection, clock }: CollectionContext, before: Item): Item {
  const { version, updatedAt } = collection
  return {
    ...(version === undefined ? {} : { [version]: Number(before[version]) + 1 }),
    ...(updatedAt === undefined ? {} : { [updatedAt]: new Date(clock()).toISOString() }),
  }
}

/** False when another change came first. */
async function replaceEntry(context: CollectionContext, before: Entry, after: Item): Promise<boolean> {
  const current = versionOf(context, before)
  const entry: Record<string, AttributeValue> = entryOf(context, after)
  if (context.collection.version === undefined) entry[INTERNAL_VERSION] = { N: String(current + 1) }
  try {
    await context.table.send(
      new PutItemCommand({ TableName: context.table.tableName, Item: entry, ...versionCondition(context, current) }),
    )
    return true
  } catch (error) {
    if (isConditionFailure(error)) return false
    throw error
  } finally {
    context.statistics?.wrote(String(after[context.collection.scope.attribute]))
  }
}

function versionCondition(context: CollectionContext, version: number | undefined): object {
  if (version === undefined) return { ConditionExpression: 'attribute_exists(PK)' }
  return {
    ConditionExpression: '#v = :v',
    ExpressionAttributeNames: { '#v': versionName(context) },
    ExpressionAttributeValues: { ':v': { N: String(version) } },
  }
}

function versionName({ collection, codec }: CollectionContext): string {
  return collection.version === undefined ? INTERNAL_VERSION : codec.storedName(collection.version)
}

function versionOf(context: CollectionContext, entry: Entry): number {
  return Number(entry[versionName(context)]?.N)
}

function requireVersion(context: CollectionContext, entry: Entry, id: string, wanted: number | undefined): void {
  if (wanted !== undefined && versionOf(context, entry) !== wanted) throw versionConflict(context, id, wanted)
}

function versionConflict({ collection }: CollectionContext, id: string, wanted: number): LapidaryError {
  return new LapidaryError(
    'version_conflict',
    `${collection.name} ${shown(id)} is no longer at version ${wanted}; read it again and repeat the change`,
  )
}

function isConditionFailure(error: unknown): boolean {
  return error instanceof Error && error.name === 'ConditionalCheckFailedException'
}
