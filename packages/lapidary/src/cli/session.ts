import { DescribeTableCommand, DynamoDBClient, type TableDescription } from '@aws-sdk/client-dynamodb'
import { type Engine, openEngine, shownEndpoint } from 'lapidary-engine'
import type { CollectionClient } from '../collection-client.ts'
import { type AnyCollection, createLapidary, tableFor } from '../lapidary.ts'
import { layoutNamed } from '../layouts/named.ts'
import { LapidaryError } from '../model/errors.ts'
import type { CollectionContext } from '../operations/context.ts'
import { createTable } from '../schema/create-table.ts'
import type { TableDefinition } from '../schema/table-definition.ts'
import { type LoadedConfig, loadConfig } from './config.ts'
import { type CommonOptions, dataFolder, UsageError } from './options.ts'

/** What is known without any database. */
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
  readonly items: CollectionClient<unknown>
  readonly context: CollectionContext
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
  const definition = tableFor({ tableName, collections: config.collections, ...layoutOf(options, config) })
  return { config, collectionName, collection, definition, dataDir: dataFolder(options, config.file) }
}

/** Opens the engine and connects the collection; close with `await using`. */
export async function openSession(options: CommonOptions): Promise<Session> {
  const declared = await loadDeclared(options)
  const { collection, config, definition, dataDir } = declared
  const engine = await openEngine({ dataDir, endpoint: options.endpoint || undefined })
  const client = new DynamoDBClient(engine.clientConfig)
  const lapidary = createLapidary({
    client,
    tableName: definition.tableName,
    collections: { items: collection },
    cursorSecret: process.env.CURSOR_SECRET?.split(',') ?? CURSOR_SECRET,
    statistics: true,
    ...layoutOf(options, config),
  })
  const items = lapidary.items as CollectionClient<unknown>
  const describeTable = (): Promise<TableDescription | undefined> => describe(client, definition.tableName)
  return {
    ...declared,
    engine,
    client,
    items,
    context: items.context,
    describeTable,
    async requireTable() {
      const table = await describeTable()
      if (table !== undefined) return table
      throw new LapidaryError(
        'table_mismatch',
        `there is no table ${definition.tableName} in ${place(engine, dataDir)}; import, generate or the server creates it`,
      )
    },
    async ensureTable() {
      await createTable(client, definition)
      return (await describeTable()) ?? {}
    },
    async [Symbol.asyncDispose]() {
      client.destroy()
      await engine.close()
    },
  }
}

/** Which database this is, in words. */
export function place(engine: Engine, dataDir: string): string {
  return engine.kind === 'embedded' ? `the embedded database in ${dataDir}` : shownEndpoint(engine.endpoint ?? 'AWS')
}

/** Cursors of the command line go from one call to the next; who can run it can read the table anyway. */
const CURSOR_SECRET = 'lapidary-command-line'

/** The flag wins over the configuration. */
export function layoutOf(options: CommonOptions, config: LoadedConfig): Pick<LoadedConfig, 'layout'> {
  const layout = options.layout === undefined ? config.layout : layoutNamed(options.layout)
  return layout === undefined ? {} : { layout }
}

async function describe(client: DynamoDBClient, tableName: string): Promise<TableDescription | undefined> {
  try {
    return (await client.send(new DescribeTableCommand({ TableName: tableName }))).Table
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceNotFoundException') return undefined
    throw error
  }
}
