import { type Entity, type Query, QueryCommand, type Table } from 'dynamodb-toolbox'
import type { Lookup } from './toolbox.ts'

/** How many items of an index pass some conditions: all of it is read, and none is given. */
export async function countOf(
  table: Table,
  entity: Entity,
  { index, partition, filters }: Pick<Lookup, 'index' | 'partition' | 'filters'>,
): Promise<number> {
  const { Count = Number.NaN } = await table
    .build(QueryCommand)
    .entities(entity)
    .query({ index, partition } as Query<Table>)
    .options({
      ...{ select: 'COUNT', maxPages: Number.POSITIVE_INFINITY },
      ...(filters.length === 0 ? {} : { filters: { [entity.entityName]: { and: [...filters] } } }),
    })
    .send()
  return Count
}
