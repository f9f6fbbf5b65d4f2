import { DynamoDBClient, type TableDescription } from '@aws-sdk/client-dynamodb'
import {
  type AnyCollection,
  type CollectionClient,
  createLapidary,
  type DatabaseServices,
  LapidaryError,
  layoutNamed,
  type Observer,
  type TableDefinition,
  tableFor,
} from 'lapidary'
import { requireMultiAttributeKeys } from 'lapidary/schema'
import { type Engine, openEngine, shownEndpoint } from 'lapidary-engine'
import { type LoadedConfig, loadConfig } from './config.ts'
import { type CommonOptions, dataFolder, UsageError } from './options.ts'

/** The parts of a command's context that need no database. */
export interface Declared {
  readonly config: LoadedConfig
  /** The chosen collection and its name in the configuration. */
  readonly collectionName: string
  readonly collection: AnyCollection
  readonly definition: TableDefinition
  readonly dataDir: string
}

/** A command's connection to its collection. */
export interface Session extends Declared, AsyncDisposable {
  readonly engine: Engine
  readonly client: DynamoDBClient
  /** The chosen collection. */
  readonly items: CollectionClient<unknown>
  /** The services that the database has once for all collections of the table. */
  readonly database: DatabaseServices
  /** The table, or undefined when it does not exist. */
  describeTable(): Promise<TableDescription | undefined>
  /** @throws {LapidaryError} `table_mismatch` when there is no table. */
  requireTable(): Promise<TableDescription>
  /** Creates the table if it is missing. */
  ensureTable(): Promise<TableDescription>
}

/** Loads the configuration and chooses a collection. */
export async function loadDeclared(options: CommonOptions): Promise<Declared> {
  const config = await loadConfig(process.cwd(), options.config)
  const names = Object.keys(config.collections)
  const collectionName = options.collection ?? (names.length === 1 ? names[0] : undefined)
  if (collectionName === undefined) {
    throw new UsageError(`the configuration has several collections; choose one with --collection ${names.join('|')}`)
  }
  const collection = Object.hasOwn(config.collections, collectionName) ? config.collections[collectionName] : undefined
  if (collection === undefined) {
    throw new UsageError(`there is no collection ${collectionName}; the configuration has ${names.join(', ')}`)
  }
  const tableName = options.tableName || config.tableName || (names.length === 1 ? collectionName : undefined)
  if (tableName === undefined) {
    throw new UsageError(
      'with several collections the table needs a name: tableName in the configuration, or --table-name',
    )
  }
  const definition = tableFor({ tableName, collections: config.collections, ...chosenLayout(options, config) })
  return { config, collectionName, collection, definition, dataDir: dataFolder(options, config.file) }
}

interface Connecting {
  readonly sentBy?: (client: DynamoDBClient) => DynamoDBClient
  readonly observers?: readonly Observer[]
}

/**
 * Opens the engine and connects the collection; close with `await using`.
 *
 * @param connecting How the collections are connected. `sentBy` returns the client by which they send their commands.
 */
export async function openSession(
  options: CommonOptions,
  { sentBy = (client) => client, observers = [] }: Connecting = {},
): Promise<Session> {
  const declared = await loadDeclared(options)
  const { collectionName, config, definition, dataDir } = declared
  const engine = await openEngine({ dataDir, endpoint: options.endpoint || undefined })
  try {
    requireMultiAttributeKeys(definition, engine)
  } catch (error) {
    await engine.close()
    throw error
  }
  const client = new DynamoDBClient(engine.clientConfig)
  const lapidary = createLapidary({
    client: sentBy(client),
    tableName: definition.tableName,
    collections: config.collections,
    cursorSecret: process.env.CURSOR_SECRET?.split(',') ?? CURSOR_SECRET,
    derived: { ...(typeof config.derived === 'function' ? config.derived({ dataDir }) : config.derived), counts: true },
    stream: { immediate: engine.kind === 'embedded' },
    observers,
    ...chosenLayout(options, config),
  })
  const items = lapidary[collectionName] as CollectionClient<unknown>
  const describeTable = (): Promise<TableDescription | undefined> => lapidary.table.describe()
  return {
    ...declared,
    engine,
    client,
    items,
    database: lapidary,
    describeTable,
    async requireTable() {
      const table = await describeTable()
      if (table !== undefined) return table
      throw new LapidaryError(
        'table_mismatch',
        `there is no table ${definition.tableName} in ${databaseText(engine, dataDir)}; import, generate or the server creates it`,
      )
    },
    async ensureTable() {
      await lapidary.table.create()
      return (await describeTable()) ?? {}
    },
    async [Symbol.asyncDispose]() {
      for (const { lists } of items.context.pages) await lists.close()
      client.destroy()
      await engine.close()
    },
  }
}

/** Describes the database in words. */
export function databaseText(engine: Engine, dataDir: string): string {
  return engine.kind === 'embedded' ? `the embedded database in ${dataDir}` : shownEndpoint(engine.endpoint ?? 'AWS')
}

/** The secret of the command line's cursors, which go from one call to the next. Who can run the command line can read the table anyway. */
const CURSOR_SECRET = 'lapidary-command-line'

/** Returns the layout: the flag wins over the configuration. */
export function chosenLayout(options: CommonOptions, config: LoadedConfig): Pick<LoadedConfig, 'layout'> {
  const layout = options.layout === undefined ? config.layout : layoutNamed(options.layout)
  return layout === undefined ? {} : { layout }
}
