import { type Condition, type Entity, type Query, QueryCommand, type Table } from 'dynamodb-toolbox'
import type { PeerPage } from './domain.ts'

/** A piece of an index, and what is filtered after the read. */
export interface Lookup {
  /** The table itself when not given. */
  readonly index?: string | undefined
  readonly partition: string
  readonly from: string | undefined
  readonly to: string | undefined
  /** The conditions on what is read; empty where any item will do. */
  readonly filters: readonly Condition[]
}

/** That an attribute has one of some values; no condition without any. */
export function oneOfThese(attr: string, values: readonly string[]): readonly Condition[] {
  return values.length === 0 ? [] : [{ attr, in: [...values] }]
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
  const ids: string[] = []
  let key: Record<string, unknown> | undefined = cursor === undefined ? undefined : JSON.parse(cursor)
  do {
    const found = await table
      .build(QueryCommand)
      .entities(entity)
      .query({ index, partition, range: { between: [from, to] } } as Query<Table>)
      .options({
        ...{ limit, reverse: true },
        ...(key === undefined ? {} : { exclusiveStartKey: key }),
        ...(filters.length === 0 ? {} : { filters: { [entity.entityName]: { and: [...filters] } } }),
      })
      .send()
    ids.push(...(found.Items ?? []).map(({ id }) => String(id)))
    key = found.LastEvaluatedKey
  } while (key !== undefined && ids.length < limit)
  return { ids, next: key === undefined ? null : JSON.stringify(key) }
}
