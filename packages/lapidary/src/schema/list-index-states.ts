import type { TableDescription } from '@aws-sdk/client-dynamodb'
import type { TableClient } from '../table/table-client.ts'
import { adoptedRegister } from './adopt-register.ts'
import type { Keyed } from './expected-keys.ts'
import { declaredIndexes, isSameIndex, readIndexRegister } from './index-register.ts'

/** One index of a collection, and whether lists are read from it. */
export interface IndexState {
  /** The collection's own name. */
  readonly collection: string
  readonly index: string
  /**
   * `absent`: the table does not have it. `filling`: items lack its keys, or DynamoDB is still building it. `ready`: lists are read
   * from it.
   */
  readonly state: 'absent' | 'filling' | 'ready'
  /** Whether every item was checked; false for a table of an earlier version, of which only some items were. */
  readonly proven: boolean
  /** False for an index that only other processes declare, or that was dropped from the declaration: its keys are kept. */
  readonly declared: boolean
}

/** Lists the states of a collection's indexes, as the table and DynamoDB have them now. */
export async function listIndexStates(
  table: TableClient,
  keyed: Keyed,
  description: TableDescription,
  now: number,
): Promise<readonly IndexState[]> {
  const { collection, layout } = keyed
  const { indexes } = (await readIndexRegister(table, collection)) ?? (await adoptedRegister(table, keyed, now))
  const declared = declaredIndexes(collection, layout)
  return [...new Set([...declared.keys(), ...Object.keys(indexes)])].map((index): IndexState => {
    const registered = Object.hasOwn(indexes, index) ? indexes[index] : undefined
    const own = declared.get(index)
    const live = description.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === index)
    const isComplete = registered?.state === 'ready' && (own === undefined || isSameIndex(own, registered))
    const isBuilt = (live?.IndexStatus ?? 'ACTIVE') === 'ACTIVE' && live?.Backfilling !== true
    return {
      ...{ collection: collection.name, index, proven: registered?.proven === true, declared: own !== undefined },
      state: live === undefined ? 'absent' : isComplete && isBuilt ? 'ready' : 'filling',
    }
  })
}
