import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { CopyProjection, CopyState } from '../derived/copy-projection.ts'
import type { Freshness } from '../derived/freshness.ts'
import { copiesOf, type Projection, sumsOf } from '../derived/projection.ts'
import type { ShapeState } from '../derived/register/derived-register.ts'
import { type DerivedStates, stateOf } from '../derived/register/derived-states.ts'
import type { KeptShapes } from '../derived/register/kept-shapes.ts'
import type { CollectionContext } from '../operations/context.ts'
import type { DerivedData } from '../recount/maintenance-options.ts'
import type { TableDefinition } from '../schema/table-definition.ts'
import type { StreamsClient } from '../stream/streams-client.ts'
import type { KeyRenaming } from '../table/key-names.ts'
import type { TableClient } from '../table/table-client.ts'

/** The change stream of the table, told once for everything that reads it. */
export interface StreamSettings {
  /** A client of DynamoDB Streams; made from the configuration of the table's client when not given. */
  readonly client?: StreamsClient
  /**
   * Whether the engine tells of a write at once, gives no empty read before the end, and has no cap on reads of a stream, as
   * emulators do. False when not given, as AWS needs it.
   */
  readonly immediate?: boolean
  /**
   * Milliseconds by which the stream may list one shard later than another beside it: a verify waits until a shard that has just been opened
   * is that old. 50,000 when not given, as AWS needs it; 0 where the stream is immediate.
   */
  readonly listedMs?: number
}

/** Everything that is known of one table: made once, and shared by all that works on it. */
export interface Database {
  readonly client: DynamoDBClient
  /** Where the table has other names for its keys; the clients go through it already. */
  readonly renaming?: KeyRenaming | undefined
  readonly table: TableClient
  readonly definition: TableDefinition
  /** One for each collection. */
  readonly contexts: readonly CollectionContext[]
  /** The same by their names in code. */
  readonly named: Readonly<Record<string, CollectionContext>>
  /** Of all collections, always: one checkpoint stands for all. */
  readonly projections: readonly Projection[]
  /** What a process that follows the change stream keeps, of these and of what other declarations have. */
  readonly shapes: KeptShapes
  readonly derivedStates: DerivedStates
  readonly freshness: Freshness
  /** The same of stores that follow the stream by themselves. */
  readonly apartFreshness: Freshness
  readonly stream: StreamSettings
  readonly clock: () => number
  readonly now: () => number
}

/** How a stream is read where it is followed, in milliseconds. */
export interface StreamPace {
  readonly idleMs: number
  readonly quietMs: number
  readonly leaseMs: number
}

/** AWS allows 5 reads of a shard a second, for all readers together, and charges each; leases are writes. */
const AWS_PACE: StreamPace = { idleMs: 250, quietMs: 1_000, leaseMs: 10_000 }
const IMMEDIATE_PACE: StreamPace = { idleMs: 100, quietMs: 100, leaseMs: 6_000 }

export function paceOf({ immediate = false }: StreamSettings): StreamPace {
  return immediate ? IMMEDIATE_PACE : AWS_PACE
}

/** What of derived data a recount takes. */
interface Chosen {
  /** Only sums that are in one of these states; those that are ready when not given. */
  readonly states?: readonly ShapeState[]
  /** Which copies are compared with the items; none when not given. */
  readonly compares?: (copy: CopyProjection) => boolean
  /** Whether they are compared to be made: also where they are not complete. */
  readonly isMade?: boolean
}

/** The derived data of a database, as a recount takes it. */
export async function derivedOf(
  database: Database,
  { states = ['ready'], compares = () => false, isMade = false }: Chosen = {},
): Promise<DerivedData> {
  const { table, shapes, clock, now, stream } = database
  const sums = sumsOf(await shapes.registered(states))
  const copies = copiesOf(database.projections)
  const { listedMs = stream.immediate === true ? 0 : undefined } = stream
  const streams = await streamsOf(database)
  const { compareCopies } = await import('../recount/compared-copy.ts')
  const current = async (copy: CopyProjection): Promise<CopyState> =>
    stateOf(copy, await database.derivedStates.register(0))
  const compared = await compareCopies(copies.filter(compares), {
    table,
    streams,
    ...(isMade ? {} : { stateOf: current }),
  })
  const waiting = listedMs === undefined ? {} : { listedMs }
  return { table, projections: [...sums, ...copies], shapes, clock, now, streams, compared, ...waiting }
}

const made = new WeakMap<DynamoDBClient, StreamsClient>()

/**
 * The client of the change stream. One that is made here shares the connections of the table's client, which closes them.
 * The SDK's package for streams is loaded only now: an application that only lists does without it.
 */
export async function streamsOf({
  client,
  stream,
  renaming,
  table: waiting,
}: Pick<Database, 'client' | 'stream' | 'renaming' | 'table'>): Promise<StreamsClient> {
  const streams = await plainStreamsOf({ client, stream })
  const { answering } = await import('../stream/answering.ts')
  return answering(renaming?.client(streams) ?? streams, { waiting })
}

async function plainStreamsOf({ client, stream }: Pick<Database, 'client' | 'stream'>): Promise<StreamsClient> {
  const known = stream.client ?? made.get(client)
  if (known !== undefined) return known
  const { DynamoDBStreamsClient } = await import('@aws-sdk/client-dynamodb-streams')
  const { region, credentials, endpoint, requestHandler } = client.config
  const streams = new DynamoDBStreamsClient({
    region,
    credentials,
    requestHandler,
    ...(endpoint === undefined ? {} : { endpoint }),
  })
  made.set(client, streams)
  return streams
}
