import type { AttributeValue, TransactWriteItem } from '@aws-sdk/client-dynamodb'
import { ruleSources } from '../layouts/key-rule.ts'
import type { Item } from '../model/collection.ts'
import { isComputed } from '../model/facet-origin.ts'
import { LARGEST_NUMBER } from '../model/facet-values.ts'
import { type Increment, isIncrement } from '../model/increment.ts'
import { keySources } from '../model/key-sources.ts'
import { keyProblem } from '../model/key-text.ts'
import { INTERNAL_VERSION, isReservedName } from '../model/reserved-names.ts'
import { outputItem, primaryKey } from '../model/stored-item.ts'
import { getEntry } from '../read/look-up.ts'
import { type Kept, layoutKeeping } from '../schema/index-states.ts'
import { Again, retrying } from '../table/retrying.ts'
import { sendOnce } from '../writes/send-once.ts'
import type { CollectionContext } from './context.ts'
import type { PatchOptions } from './preconditions.ts'
import { sortableId } from './sortable-id.ts'

const MAX_CONFLICTS = 40
const STEADY_FROM = 5

/**
 * Adds to numbers of an item without reading it first, where every change allows that and neither a key nor another entry of the item is made
 * from them. It reads the item afterwards.
 *
 * @returns Undefined where that is not possible, or DynamoDB refused: a change that reads the item then does it, or says what is wrong.
 */
export async function addBlindly<I>(
  context: CollectionContext<I>,
  id: string,
  changes: Item,
  { ifVersion, if: condition, keepVersion }: PatchOptions,
): Promise<I | undefined> {
  const { layout, hooks, table, states, clock } = context
  const { expires } = context.collection
  const increments = Object.entries(changes)
  if (
    increments.length === 0 ||
    !increments.every(([, change]) => isIncrement(change) && change.blind && change.by !== 0)
  )
    return
  if (ifVersion !== undefined || condition !== undefined || keepVersion || hooks !== undefined || expires !== undefined)
    return
  if (keyProblem(id) !== undefined) return
  const kept = await states.kept()
  if (layoutKeeping(layout, kept).entries !== 'one') return
  if (increments.some(([attribute]) => !standsAlone(context, attribute, kept))) return
  const write = addition(context, id, increments as [string, Increment][])
  const token = sortableId(clock(), table.random)
  const gaveUp = (): 'refused' => 'refused'
  const outcome = await retrying<'written' | 'refused'>(
    table,
    { most: MAX_CONFLICTS, steadyFrom: STEADY_FROM, gaveUp },
    async () => {
      const sent = await sendOnce(table, [write], token)
      return sent.outcome === 'conflict' ? new Again() : sent.outcome
    },
  )
  if (outcome !== 'written') return undefined
  // The sum is stored even if part of the item can't be read.
  return outputItem(context.collection, context.codec.nearestItem(await getEntry(context, id)))
}

/** Tells whether an attribute is stored once, and no key or entry is made from it. */
function standsAlone({ collection, codec }: CollectionContext, attribute: string, { rules }: Kept): boolean {
  const { attributes } = collection
  // The attribute may be packed, and then the item has to be read.
  if (collection.codec !== undefined) return false
  if (attributes === undefined ? isReservedName(attribute) : attributes[attribute]?.also !== undefined) return false
  if (attributes !== undefined && !Object.hasOwn(attributes, attribute)) return false
  // A function that makes values of a facet may read it.
  if (Object.values(collection.facets).some(isComputed)) return false
  const used = [...rules.flatMap(ruleSources), ...keySources(collection, codec, {})]
  const isKeyed = (of: string): boolean => used.includes(codec.storedName(of))
  // Version and time change with each change.
  const kept = [collection.version, collection.updatedAt].filter((of) => of !== undefined)
  return !kept.includes(attribute) && ![attribute, ...kept].some(isKeyed)
}

/**
 * Makes one update that adds, counts the version and notes the time. It is refused where the attribute is no number, or the sum would be too
 * large.
 */
function addition(
  context: CollectionContext,
  id: string,
  increments: readonly (readonly [string, Increment])[],
): TransactWriteItem {
  const { collection, codec, table, clock } = context
  const { PK, SK } = primaryKey(collection, id)
  const names: Record<string, string> = { '#v': INTERNAL_VERSION }
  const values: Record<string, AttributeValue> = { ':zero': { N: '0' }, ':one': { N: '1' } }
  const settings = ['#v = if_not_exists(#v, :zero) + :one']
  const conditions = ['attribute_exists(PK)']
  for (const [i, [attribute, { by }]] of increments.entries()) {
    names[`#n${i}`] = codec.storedName(attribute)
    values[`:by${i}`] = { N: String(by) }
    values[`:low${i}`] = { N: String(Math.max(-LARGEST_NUMBER, -LARGEST_NUMBER - by)) }
    values[`:high${i}`] = { N: String(Math.min(LARGEST_NUMBER, LARGEST_NUMBER - by)) }
    settings.push(`#n${i} = if_not_exists(#n${i}, :zero) + :by${i}`)
    conditions.push(`(attribute_not_exists(#n${i}) OR #n${i} BETWEEN :low${i} AND :high${i})`)
  }
  if (collection.version !== undefined) {
    names['#d'] = codec.storedName(collection.version)
    settings.push('#d = if_not_exists(#d, :zero) + :one')
  }
  if (collection.updatedAt !== undefined) {
    names['#u'] = codec.storedName(collection.updatedAt)
    values[':u'] = { S: new Date(clock()).toISOString() }
    settings.push('#u = :u')
  }
  return {
    Update: {
      TableName: table.tableName,
      Key: { PK: { S: PK }, SK: { S: SK } },
      UpdateExpression: `SET ${settings.join(', ')}`,
      ConditionExpression: conditions.join(' AND '),
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: values,
    },
  }
}
