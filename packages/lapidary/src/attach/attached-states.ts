import { refusalText } from '../layouts/refusal.ts'
import { LapidaryError } from '../model/errors.ts'
import { indexDifferences } from '../schema/compare-table.ts'
import { describeTable } from '../schema/create-table.ts'
import { ALL_USABLE, type IndexStates, NOTHING_KEPT, type UnusableIndexes } from '../schema/index-states.ts'
import type { TableDefinition } from '../schema/table-definition.ts'
import { meaningOf } from '../table/error-meaning.ts'
import type { TableClient } from '../table/table-client.ts'

/** Milliseconds after which the table is asked again while it lacks an index, or builds it. */
const LOOK_AGAIN_MS = 3_000

/**
 * Makes the states of the indexes from DynamoDB's description alone: DynamoDB fills them itself, and an index that is ACTIVE is complete.
 *
 * @param isInTable Tells whether some lists lie in the table itself.
 * @throws {LapidaryError} `table_mismatch` where there is no table, or it has none of the indexes.
 */
export function createAttachedStates(
  table: TableClient,
  definition: TableDefinition,
  clock: () => number,
  isInTable: boolean,
): IndexStates {
  let view: { readonly at: number; readonly unusable: UnusableIndexes } | undefined
  const known = async (): Promise<UnusableIndexes> => {
    const isFinal = view?.unusable.size === 0
    if (view === undefined || (!isFinal && clock() - view.at >= LOOK_AGAIN_MS)) {
      view = { at: clock(), unusable: await unusableOf(table, definition) }
    }
    return view.unusable
  }
  return {
    async unusable() {
      const unusable = await known()
      if (!isInTable && unusable.size > 0 && unusable.size === definition.indexes.length)
        throw noIndex(definition, unusable)
      return unusable
    },
    changed() {
      view = undefined
    },
    absent() {
      view = undefined
    },
    kept: async () => NOTHING_KEPT,
  }
}

async function unusableOf(table: TableClient, definition: TableDefinition): Promise<UnusableIndexes> {
  try {
    const description = await describeTable(table, definition.tableName)
    if (description === undefined) {
      throw new LapidaryError('table_mismatch', `there is no table ${definition.tableName}; attach to one that exists`)
    }
    const differences = indexDifferences(definition.indexes, description)
    return new Map(differences.map(({ index, what, actual }) => [index, { kind: 'differs', what, actual }]))
  } catch (error) {
    // A caller that may only query the indexes can't know their states; DynamoDB refuses a query of a missing one.
    if (meaningOf(error) === 'denied') return ALL_USABLE
    throw error
  }
}

function noIndex({ tableName }: TableDefinition, unusable: UnusableIndexes): LapidaryError {
  const reasons = [...unusable].map(([index, refusal]) => `${index} ${refusalText(refusal)}`)
  return new LapidaryError(
    'table_mismatch',
    `the table ${tableName} has no index for lists yet: ${reasons.join('; ')}. table.missing() gives what UpdateTable takes to add them, and DynamoDB fills them`,
  )
}
