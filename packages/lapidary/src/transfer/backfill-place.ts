import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { WHOLE } from '../model/reserved-keys.ts'
import { ifOwner, updateIf } from '../stream/lease.ts'
import { readEntry } from '../table/read-entries.ts'
import type { TableClient } from '../table/table-client.ts'

/** How far a backfill has come: kept with its lease, so that another process goes on where one stopped or died. */
export interface BackfillPlace {
  /** What is filled; the place of anything else is of no use. */
  readonly job: string
  /** By segment: where it goes on, or that it is done; absent before its first page. */
  readonly segments: Record<string, { readonly after?: Record<string, AttributeValue>; readonly done: boolean }>
  items: number
  written: number
  filled: number
  again: number
  unfit: Record<string, number>
}

export function backfillKey(collection: string): { readonly PK: string; readonly SK: string } {
  return { PK: `~BACKFILL#${collection}`, SK: WHOLE }
}

/** Where the job goes on: at its start where the last one was another, or came to its end. */
export async function readPlace(table: TableClient, collection: string, job: string): Promise<BackfillPlace> {
  const { PK, SK } = backfillKey(collection)
  const kept = (await readEntry(table, { PK: { S: PK }, SK: { S: SK } }))?.place?.S
  const place = kept === undefined ? undefined : (JSON.parse(kept) as BackfillPlace)
  return place?.job === job ? place : { job, segments: {}, items: 0, written: 0, filled: 0, again: 0, unfit: {} }
}

/** Keeps the place; undefined when it is at the end. A process that has lost the lease keeps none. */
export async function keepPlace(
  table: TableClient,
  collection: string,
  owner: string,
  place: BackfillPlace | undefined,
): Promise<void> {
  await updateIf(
    table,
    backfillKey(collection),
    ifOwner(
      owner,
      place === undefined
        ? { UpdateExpression: 'REMOVE place' }
        : {
            UpdateExpression: 'SET place = :place',
            ExpressionAttributeValues: { ':place': { S: JSON.stringify(place) } },
          },
    ),
  )
}
