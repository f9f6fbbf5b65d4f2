import { type AttributeValue, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import type { Entry } from '../../model/entry.ts'
import { LapidaryError } from '../../model/errors.ts'
import { WHOLE } from '../../model/reserved-keys.ts'
import { readEntry } from '../../table/read-entries.ts'
import type { TableClient } from '../../table/table-client.ts'
import { keyEntry } from '../guarded-write.ts'
import type { TargetKey } from '../projection.ts'
import { type Shape, shapeId } from './shape.ts'

/** Whether what is derived holds every item: being filled, complete, or left behind by a process that could not keep it. */
export type ShapeState = 'filling' | 'ready' | 'abandoned'

/** One kind of derived data, as the table remembers it. */
export interface RegisteredShape extends Shape {
  readonly state: ShapeState
  /** The revision of the register from which on every process keeps it. */
  readonly since: number
}

/** What the table knows of its derived data: one item, of all collections, since one checkpoint stands for all. */
export interface DerivedRegister {
  /** Counts its writes. A process that counts by an earlier one is refused. */
  readonly revision: number
  /** Whether any process has ever followed the change stream. */
  readonly isFollowed: boolean
  /** By {@link shapeId}. */
  readonly shapes: ReadonlyMap<string, RegisteredShape>
  /** Until when a process that declares a shape may read it, in milliseconds since 1970, by the shape's id. */
  readonly usedUntil: ReadonlyMap<string, number>
}

export const REGISTER_KEY: TargetKey = { PK: '~DERIVED', SK: WHOLE }
const NO_REGISTER: DerivedRegister = { revision: 0, isFollowed: false, shapes: new Map(), usedUntil: new Map() }
const MOST_TRIES = 20

/** Read consistently, 1 RCU for each 4 KB. */
export async function readDerivedRegister(table: TableClient): Promise<DerivedRegister> {
  const entry = await readEntry(table, keyEntry(REGISTER_KEY))
  return entry === undefined ? NO_REGISTER : registerFrom(entry)
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
        UpdateExpression:
          'SET revision = :next, isFollowed = :followed, shapes = :shapes, usedUntil = if_not_exists(usedUntil, :none)',
        ConditionExpression: before === 0 ? 'attribute_not_exists(PK)' : 'revision = :before',
        ExpressionAttributeValues: {
          ':next': { N: String(register.revision) },
          ':followed': { BOOL: register.isFollowed },
          ':shapes': { M: Object.fromEntries(shapes) },
          ':none': { M: {} },
          ...(before === 0 ? {} : { ':before': { N: String(before) } }),
        },
      }),
    )
    return true
  } catch (error) {
    if (error instanceof Error && error.name === 'ConditionalCheckFailedException') return false
    throw error
  }
}

/** Notes that shapes are read until then, at least; no other revision for that. */
export async function noteUsed(table: TableClient, ids: readonly string[], until: number): Promise<void> {
  const names = Object.fromEntries(ids.map((id, i) => [`#id${i}`, id]))
  await table.send(
    new UpdateItemCommand({
      TableName: table.tableName,
      Key: keyEntry(REGISTER_KEY),
      UpdateExpression: `SET ${ids.map((_, i) => `usedUntil.#id${i} = :until`).join(', ')}`,
      ConditionExpression: 'attribute_exists(usedUntil)',
      ExpressionAttributeNames: names,
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

function registerFrom({ revision, isFollowed, shapes, usedUntil }: Entry): DerivedRegister {
  return {
    revision: Number(revision?.N ?? 0),
    isFollowed: isFollowed?.BOOL === true,
    shapes: new Map(Object.entries(shapes?.M ?? {}).map(([id, { M = {} }]) => [id, shapeFrom(M)])),
    usedUntil: new Map(Object.entries(usedUntil?.M ?? {}).map(([id, { N }]) => [id, Number(N)])),
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
