import { DescribeTableCommand, type KeySchemaElement, type TableDescription } from '@aws-sdk/client-dynamodb'
import type { Send } from './intercept.ts'

/** Returns the description of a table, undefined where there is none: the command itself is refused then, in the words of the database. */
export async function describedTable(TableName: string, send: Send): Promise<TableDescription | undefined> {
  try {
    return ((await send(new DescribeTableCommand({ TableName }))) as { readonly Table?: TableDescription }).Table
  } catch (error) {
    if ((error as Error).name === 'ResourceNotFoundException') return undefined
    throw error
  }
}

/** Descriptions of tables, asked for once. */
export interface KnownTables {
  describe(table: string, send: Send): Promise<TableDescription | undefined>
  /** Asks again the next time. */
  forget(table: string): void
}

export function createKnownTables(): KnownTables {
  const known = new Map<string, Promise<TableDescription | undefined>>()
  return {
    describe(table, send) {
      const asked = known.get(table) ?? describedTable(table, send)
      known.set(table, asked)
      const forget = (): void => void (known.get(table) === asked && known.delete(table))
      asked.then((found) => (found === undefined ? forget() : undefined), forget)
      return asked
    },
    forget: (table) => void known.delete(table),
  }
}

/** Returns the names of a key's attributes: those of its partition, or all. */
export function keyNames(schema: readonly KeySchemaElement[] = [], type?: 'HASH'): readonly string[] {
  return schema
    .filter(({ KeyType }) => type === undefined || KeyType === type)
    .flatMap(({ AttributeName }) => AttributeName ?? [])
}

/** Returns the key schema of an index, or of the table itself. */
export function schemaOf(
  table: TableDescription | undefined,
  index: string | undefined,
): readonly KeySchemaElement[] | undefined {
  if (index === undefined) return table?.KeySchema
  const indexes = [...(table?.GlobalSecondaryIndexes ?? []), ...(table?.LocalSecondaryIndexes ?? [])]
  return indexes.find(({ IndexName }) => IndexName === index)?.KeySchema
}
