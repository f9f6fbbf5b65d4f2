import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  type AnyCollection,
  type CollectionClient,
  createLapidary,
  type DatabaseServices,
  type DerivedOptions,
  type Layout,
  type Observer,
} from 'lapidary'

/** What functions need of a `lapidary.config.ts`. */
export interface FunctionConfig {
  readonly collections: Readonly<Record<string, AnyCollection>>
  readonly layout?: Layout
  readonly derived?: OwnDerived | ((place: { readonly dataDir: string }) => OwnDerived)
}

type OwnDerived = Pick<DerivedOptions, 'pages' | 'columns' | 'projections'>

/** A database whose collections are known by their names at run time. */
export type OpenDatabase = DatabaseServices & { readonly collections: readonly CollectionClient<unknown>[] }

/** The one folder of a function that can be written. */
const DATA_DIR = '/tmp/lapidary'
/** For functions that read no page, and so hold no secret. */
const NO_CURSORS = 'this function makes no cursor'

/** The settings of {@link openDatabase}. */
export interface OpenOptions {
  readonly client?: DynamoDBClient
  readonly cursorSecret?: readonly string[]
  readonly observers?: readonly Observer[]
}

/** Connects the collections of a configuration to the table that `TABLE_NAME` names. */
export function openDatabase(
  config: FunctionConfig,
  { client = new DynamoDBClient({}), cursorSecret = [NO_CURSORS], observers = [] }: OpenOptions = {},
): OpenDatabase {
  const { collections, layout } = config
  const derived = typeof config.derived === 'function' ? config.derived({ dataDir: DATA_DIR }) : config.derived
  const database = createLapidary({
    ...{ client, tableName: required('TABLE_NAME'), collections, cursorSecret, observers },
    ...(layout === undefined ? {} : { layout }),
    derived: { counts: true, ...derived },
  })
  const clients = Object.keys(collections).map((name) => (database as Readonly<Record<string, unknown>>)[name])
  return { ...database, collections: clients as readonly CollectionClient<unknown>[] }
}

/** @throws {Error} for a variable that is not set. */
export function required(name: string): string {
  const value = process.env[name]
  if (value === undefined || value === '')
    throw new Error(`${name} is not set; LapidaryTable sets it for the functions that it makes`)
  return value
}
