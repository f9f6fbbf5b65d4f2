import { type DynamoDBClient, type TableDescription, UpdateTableCommand } from '@aws-sdk/client-dynamodb'
import { compareTable, type TableDefinition } from 'lapidary/schema'
import type { Logger } from 'pino'
import type { Services } from './services.ts'

interface Renewal {
  readonly client: DynamoDBClient
  readonly logger: Pick<Logger, 'info'>
  readonly signal: AbortSignal
}

/** The value that an order gives to comments of before it was declared: nobody has voted for them. */
const FILL = { helpful: 0 } as const

/**
 * Brings the table of a data folder, which an earlier version has made, to what this version declares: indexes that lack what lists show are made
 * anew, and comments get the keys that they lack. It can be stopped, or killed, and begun again. Nobody else uses such a table meanwhile.
 *
 * @returns Whether there was anything to do.
 */
export async function renewTable(
  { database }: Pick<Services, 'database'>,
  { client, logger, signal }: Renewal,
): Promise<boolean> {
  const definition = database.table.definition()
  const description = await database.table.describe()
  const renewed = description === undefined ? [] : otherIndexes(definition, description)
  if (renewed.length > 0)
    logger.info({ indexes: renewed }, 'the table is of an earlier version; making its indexes anew')
  const there = description?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName) ?? []
  for (const IndexName of renewed.filter((name) => there.includes(name))) {
    signal.throwIfAborted()
    const GlobalSecondaryIndexUpdates = [{ Delete: { IndexName } }]
    await client.send(new UpdateTableCommand({ TableName: definition.tableName, GlobalSecondaryIndexUpdates }))
  }
  for (const update of description === undefined ? [] : await database.table.missing()) {
    signal.throwIfAborted()
    await client.send(new UpdateTableCommand(update))
  }
  const states = await database.table.indexStates()
  if (states.every(({ state, declared }) => state === 'ready' || !declared)) return renewed.length > 0
  logger.info('giving the comments the keys of new indexes; this takes some seconds')
  await database.table.backfill({ fill: FILL, signal })
  logger.info('the table is up to date')
  return true
}

/** Names the indexes that the table lacks, or has with other keys or less to show. */
function otherIndexes(definition: TableDefinition, table: TableDescription): readonly string[] {
  const differing = compareTable(definition, table, undefined).map(({ what }) => what)
  return definition.indexes
    .map(({ name }) => name)
    .filter((name) =>
      ['index', 'keys of index', 'projection of index'].some((what) => differing.includes(`${what} ${name}`)),
    )
}
