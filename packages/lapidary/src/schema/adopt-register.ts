import { ScanCommand } from '@aws-sdk/client-dynamodb'
import { isItemKey, plainKeyOf } from '../model/stored-item.ts'
import type { TableClient } from '../table/table-client.ts'
import { expectedKeys, type Keyed, keyChanges } from './expected-keys.ts'
import { declaredIndexes, type IndexRegister, type RegisteredIndex } from './index-register.ts'

/** The number of items that are read to adopt a table: a page of less than 1 MB, read once in the life of a table. */
const SAMPLE = 200

/**
 * Makes the register of a table that has none: one made without `table.create()`, or used by an earlier version, which had no states and took
 * every index as complete. An index goes on being used unless the first items of a scan show that it lacks some. They come in the order of a
 * hash, so an index that was just added shows at once. A small table is read as a whole.
 */
export async function adoptedRegister(table: TableClient, keyed: Keyed, now: number): Promise<IndexRegister> {
  const { collection, layout } = keyed
  const { Items = [], LastEvaluatedKey } = await table.send(
    new ScanCommand({ TableName: table.tableName, ConsistentRead: true, Limit: SAMPLE }),
  )
  const items = Items.filter((entry) => isItemKey(collection, plainKeyOf(entry)))
  const isComplete = (index: string): boolean =>
    items.every((entry) => {
      const expected = expectedKeys(keyed, entry, [], [index])
      const { set, remove } = keyChanges(expected, entry)
      return expected.unfit.size === 0 && Object.keys(set).length === 0 && remove.length === 0
    })
  const proven = LastEvaluatedKey === undefined
  return {
    revision: 0,
    indexes: Object.fromEntries(
      [...declaredIndexes(collection, layout)].map(([name, index]): [string, RegisteredIndex] => {
        const state = isComplete(name) ? 'ready' : 'filling'
        return [name, { ...index, state, since: now, proven }]
      }),
    ),
    fills: {},
  }
}

/** Makes the register of a table that was just made: it has no item, so every index is complete. */
export function newRegister({ collection, layout }: Pick<Keyed, 'collection' | 'layout'>, now: number): IndexRegister {
  const indexes = [...declaredIndexes(collection, layout)].map(([name, index]): [string, RegisteredIndex] => [
    name,
    { ...index, state: 'ready', since: now, proven: true },
  ])
  return { revision: 0, indexes: Object.fromEntries(indexes), fills: {} }
}
