import {
  BatchPutRequest,
  BatchWriteCommand,
  type Condition,
  type Entity,
  executeBatchWrite,
  QueryCommand,
  type Table,
} from 'dynamodb-toolbox'
import type { PeerPage } from './domain.ts'

interface Lookup {
  readonly index: string
  readonly partition: string
  readonly from: string | undefined
  readonly to: string | undefined
  /** Values that each attribute may have; none where any will do. */
  readonly filters: Readonly<Record<string, readonly string[]>>
}

/**
 * A page of an index. The toolbox gives DynamoDB's own: a filter leaves less than was asked for, so one goes on until there is
 * enough, and the page has what the last read gave. Its cursor is DynamoDB's key.
 */
export async function pageOf(
  table: Table,
  entity: Entity,
  { index, partition, from = '', to = '~', filters }: Lookup,
  limit: number,
  cursor: string | undefined,
): Promise<PeerPage> {
  const conditions = Object.entries(filters).flatMap(([attr, values]) =>
    values.length === 0 ? [] : [{ attr, in: [...values] } as Condition],
  )
  const ids: string[] = []
  let key: Record<string, unknown> | undefined = cursor === undefined ? undefined : JSON.parse(cursor)
  do {
    const found = await table
      .build(QueryCommand)
      .entities(entity)
      .query({ index, partition, range: { between: [from, to] } })
      .options({
        ...{ limit, reverse: true },
        ...(key === undefined ? {} : { exclusiveStartKey: key }),
        ...(conditions.length === 0 ? {} : { filters: { [entity.entityName]: { and: conditions } as Condition } }),
      })
      .send()
    ids.push(...(found.Items ?? []).map(({ id }) => String(id)))
    key = found.LastEvaluatedKey
  } while (key !== undefined && ids.length < limit)
  return { ids, next: key === undefined ? null : JSON.stringify(key) }
}

/** In batches of 25, some at a time. */
export async function loadAll(table: Table, entity: Entity, rows: readonly object[]): Promise<void> {
  const batches = Array.from({ length: Math.ceil(rows.length / 25) }, (_, i) =>
    rows.slice(i * 25, i * 25 + 25),
  ).values()
  const lanes = Array.from({ length: 4 }, async () => {
    for (const batch of batches) {
      const requests = batch.map((row) => entity.build(BatchPutRequest).item(row as never))
      await executeBatchWrite(table.build(BatchWriteCommand).requests(...requests))
    }
  })
  await Promise.all(lanes)
}
