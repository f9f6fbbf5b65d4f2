import { type AttributeValue, DeleteItemCommand, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import type { Entry } from '../../model/entry.ts'
import { LapidaryError } from '../../model/errors.ts'
import { WHOLE } from '../../model/reserved-keys.ts'
import { meaningOf } from '../../table/error-meaning.ts'
import { queryPages, wholePartition } from '../../table/paging.ts'
import type { TableClient } from '../../table/table-client.ts'
import { keyEntry } from '../guarded-write.ts'
import type { TargetKey } from '../target-key.ts'
import { type Shape, shapeId } from './shape.ts'

/** Whether what is derived holds every item: being filled, complete, or left behind by a process that could not keep it. */
export type ShapeState = 'filling' | 'ready' | 'abandoned'

/** One kind of derived data, as the table remembers it. */
export interface RegisteredShape extends Shape {
  readonly state: ShapeState
  /** The revision of the register from which on every process keeps it. */
  readonly since: number
}

/** What the table knows of its derived data, of all collections, since one checkpoint stands for all. */
export interface DerivedRegister {
  /** Counts its writes. A process that counts by an earlier one is refused. */
  readonly revision: number
  /** Whether any process has ever counted the change stream to its end. */
  readonly isCounted: boolean
  /** By {@link shapeId}. */
  readonly shapes: ReadonlyMap<string, RegisteredShape>
  /** Shards of which changes were lost, so that nothing counted is complete until a repair has made up for them. */
  readonly gaps: ReadonlySet<string>
  /** Until when a process that declares a shape may read it, in milliseconds since 1970, by the shape's id. */
  readonly usedUntil: ReadonlyMap<string, number>
}

/** One partition, which is read at once. */
const PARTITION = '~DERIVED'
/** The item that all changes of the register are of. */
export const REGISTER_KEY: TargetKey = { PK: PARTITION, SK: WHOLE }
const COUNTED_KEY: TargetKey = { PK: PARTITION, SK: 'counted' }
const USED_KEY: TargetKey = { PK: PARTITION, SK: 'used' }
/** What sort keys of losses begin with, before the shard. */
const GAP = 'gap#'
const MOST_TRIES = 20

/** Read consistently, 1 RCU for each 4 KB. */
export async function readDerivedRegister(table: TableClient): Promise<DerivedRegister> {
  const entries = new Map<string, Entry>()
  for await (const { Items = [] } of queryPages(table, { ...wholePartition(PARTITION), ConsistentRead: true })) {
    for (const entry of Items) entries.set(entry.SK?.S ?? '', entry)
  }
  const gaps = [...entries.keys()].filter((key) => key.startsWith(GAP)).map((key) => key.slice(GAP.length))
  const { revision, shapes } = entries.get(REGISTER_KEY.SK) ?? {}
  const used = Object.entries(entries.get(USED_KEY.SK) ?? {})
  return {
    revision: Number(revision?.N ?? 0),
    isCounted: entries.has(COUNTED_KEY.SK),
    gaps: new Set(gaps),
    shapes: new Map(Object.entries(shapes?.M ?? {}).map(([id, { M = {} }]) => [id, shapeFrom(M)])),
    usedUntil: new Map(used.flatMap(([id, { N }]) => (N === undefined ? [] : [[id, Number(N)]]))),
  }
}

/**
 * Changes the register as one step, whatever others do to it meanwhile. A change that gives what it was given writes nothing.
 *
 * @returns The register as it is afterwards.
 */
export async function changeDerivedRegister(
  table: TableClient,
  change: (register: DerivedRegister) => DerivedRegister,
): Promise<DerivedRegister> {
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    const found = await readDerivedRegister(table)
    const changed = change(found)
    if (changed === found) return found
    const written = { ...changed, revision: found.revision + 1 }
    if (await writeRegister(table, found.revision, written)) return written
  }
  throw new LapidaryError('unavailable', 'other processes kept changing the states of derived data; try again')
}

async function writeRegister(table: TableClient, before: number, register: DerivedRegister): Promise<boolean> {
  const shapes = [...register.shapes].map(([id, shape]) => [id, { M: shapeEntry(shape) }] as const)
  try {
    await table.send(
      new UpdateItemCommand({
        TableName: table.tableName,
        Key: keyEntry(REGISTER_KEY),
        UpdateExpression: 'SET revision = :next, shapes = :shapes',
        ConditionExpression: before === 0 ? 'attribute_not_exists(revision)' : 'revision = :before',
        ExpressionAttributeValues: {
          ':next': { N: String(register.revision) },
          ':shapes': { M: Object.fromEntries(shapes) },
          ...(before === 0 ? {} : { ':before': { N: String(before) } }),
        },
      }),
    )
    return true
  } catch (error) {
    if (meaningOf(error) === 'condition') return false
    throw error
  }
}

/** Notes that the change stream was counted to its end; no other revision for that. */
export async function noteCounted({ tableName: TableName, send }: TableClient): Promise<void> {
  await send(new PutItemCommand({ TableName, Item: keyEntry(COUNTED_KEY) }))
}

/** Notes that changes of a shard were lost, or that they are made up for; no other revision for that. */
export async function noteLoss(table: TableClient, shardId: string, change: 'lost' | 'made up for'): Promise<void> {
  const Key = keyEntry({ PK: PARTITION, SK: `${GAP}${shardId}` })
  const { tableName: TableName, send } = table
  if (change === 'lost') await send(new PutItemCommand({ TableName, Item: Key }))
  else await send(new DeleteItemCommand({ TableName, Key }))
}

/** Notes that shapes are read until then, at least; no other revision for that. */
export async function noteUsed(table: TableClient, ids: readonly string[], until: number): Promise<void> {
  await table.send(
    new UpdateItemCommand({
      TableName: table.tableName,
      Key: keyEntry(USED_KEY),
      UpdateExpression: `SET ${ids.map((_, i) => `#id${i} = :until`).join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(ids.map((id, i) => [`#id${i}`, id])),
      ExpressionAttributeValues: { ':until': { N: String(until) } },
    }),
  )
}

/** The register with shapes in a state, all others as they are. */
export function withState(register: DerivedRegister, shapes: readonly Shape[], state: ShapeState): DerivedRegister {
  const since = register.revision + 1
  const changed = shapes.map(({ collection, name, digest, made }): [string, RegisteredShape] => {
    const id = shapeId({ collection, name, digest })
    const kept = register.shapes.get(id)
    return [id, { collection, name, digest, made, state, since: state === 'filling' ? since : (kept?.since ?? since) }]
  })
  return changed.length === 0 ? register : { ...register, shapes: new Map([...register.shapes, ...changed]) }
}

function shapeEntry({ collection, name, digest, made, state, since }: RegisteredShape): Record<string, AttributeValue> {
  return {
    ...{ collection: { S: collection }, name: { S: name }, digest: { S: digest }, state: { S: state } },
    since: { N: String(since) },
    ...(made === undefined ? {} : { made: { S: JSON.stringify(made) } }),
  }
}

function shapeFrom({ collection, name, digest, made, state, since }: Entry): RegisteredShape {
  return {
    ...{ collection: collection?.S ?? '', name: name?.S ?? '', digest: digest?.S ?? '' },
    made: made?.S === undefined ? undefined : JSON.parse(made.S),
    state: state?.S === 'ready' || state?.S === 'abandoned' ? state.S : 'filling',
    since: Number(since?.N ?? 0),
  }
}
