import {
  type AttributeValue,
  GetItemCommand,
  PutItemCommand,
  type TransactWriteItem,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { keyEntry } from '../../../derived/guarded-write.ts'
import type { TargetKey } from '../../../derived/target-key.ts'
import type { Entry } from '../../../model/entry.ts'
import { TTL_ATTRIBUTE } from '../../../model/reserved-names.ts'
import { meaningOf } from '../../../table/error-meaning.ts'
import { asStep } from '../../../table/observer.ts'
import { queryPages, wholePartition } from '../../../table/paging.ts'
import { readEntry } from '../../../table/read-entries.ts'
import type { TableClient } from '../../../table/table-client.ts'
import type { Mark, MarkMove, TreesState } from '../../tree/node-store.ts'
import { fullEntry, fullKey, namesFrom } from './nodes.ts'

const STATE_SORT_KEY = '~'
/** States of lists that take in changes. */
const KEPT = ['filling', 'settling', 'ready'] as const
/**
 * A mark refuses what a process that stood still comes back with. No process has what the stream has forgotten for days; and what comes
 * again in order, to its end, leaves the lists as they are.
 */
const MARK_SECONDS = 7 * 86_400

function partitionOf(namespace: string): string {
  return `~pages#${namespace}`
}

function stateKey(namespace: string): TargetKey {
  return { PK: partitionOf(namespace), SK: STATE_SORT_KEY }
}

function markKey(namespace: string, shardId: string): TargetKey {
  return { PK: partitionOf(namespace), SK: `#${shardId}` }
}

/** Reads the state, for all who ask within some seconds: no answer tells what that takes. */
export function readState(table: TableClient, namespace: string): Promise<TreesState> {
  const input = { TableName: table.tableName, Key: keyEntry(stateKey(namespace)), ConsistentRead: true }
  return asStep(table, { name: 'register' }, async () => stateOf((await table.send(new GetItemCommand(input))).Item))
}

/** Complete from the start; nothing happens where there is a state. */
export async function createState(table: TableClient, namespace: string): Promise<void> {
  const { tableName, send } = table
  try {
    await send(
      new PutItemCommand({
        TableName: tableName,
        Item: { ...keyEntry(stateKey(namespace)), ...stateEntry({ state: 'ready', generation: 1 }) },
        ConditionExpression: 'attribute_not_exists(PK)',
      }),
    )
  } catch (error) {
    if (meaningOf(error) !== 'condition') throw error
  }
}

/**
 * From when this returns, every change is taken in by the new state: a mark that is made meanwhile is made on a condition of
 * the state, and every other mark is moved.
 */
export async function enterState(table: TableClient, namespace: string, to: TreesState, now: number): Promise<void> {
  const { tableName, send } = table
  await send(
    new PutItemCommand({ TableName: tableName, Item: { ...keyEntry(stateKey(namespace)), ...stateEntry(to) } }),
  )
  for await (const { Items = [] } of queryPages(table, {
    ...wholePartition(partitionOf(namespace)),
    ConsistentRead: true,
  })) {
    for (const { SK } of Items) {
      if (SK?.S === undefined || SK.S === STATE_SORT_KEY) continue
      await send(
        new UpdateItemCommand({
          TableName: tableName,
          Key: keyEntry({ PK: partitionOf(namespace), SK: SK.S }),
          ...stateUpdate(to, now),
        }),
      )
    }
  }
}

/** With the giving up of a tree, so that who asks of the index is told. */
export function putFull(
  { tableName }: TableClient,
  { namespace, generation }: Pick<TreesState, 'generation'> & { readonly namespace: string },
  why: string,
): TransactWriteItem {
  return { Put: { TableName: tableName, Item: { ...keyEntry(fullKey(namespace, generation)), ...fullEntry(why) } } }
}

/** Why a tree was given up, the last one; undefined while all are kept. */
export async function readFull(table: TableClient, namespace: string): Promise<string | undefined> {
  const { generation } = await readState(table, namespace)
  return namesFrom(await readEntry(table, keyEntry(fullKey(namespace, generation)))).full
}

export async function readMark(table: TableClient, namespace: string, shardId: string): Promise<Mark> {
  const mark = await readEntry(table, keyEntry(markKey(namespace, shardId)))
  if (mark !== undefined) return { ...stateOf(mark), sequenceNumber: mark.sequenceNumber?.S, isStored: true }
  const { state, generation } = await readState(table, namespace)
  return { state, generation, sequenceNumber: undefined, isStored: false }
}

/** Moves a mark, unless another process or a filling has moved it since. */
export function markMoves(
  { tableName }: TableClient,
  namespace: string,
  { shardId, from: mark, to }: Omit<MarkMove, 'at'>,
  now: number,
): readonly TransactWriteItem[] {
  const { state, generation, sequenceNumber, isStored } = mark
  const names = { '#state': 'state', '#generation': 'generation' }
  const expires = expiryOf(now)
  const values = { ':state': { S: state }, ':generation': { N: String(generation) } }
  const unchanged = '#state = :state AND #generation = :generation'
  // Lists that were never made have no state.
  const isAbsent = `NOT (#state IN (${KEPT.map((_, i) => `:kept${i}`).join(', ')}))`
  const kept = Object.fromEntries(KEPT.map((each, i) => [`:kept${i}`, { S: each }]))
  const key = { TableName: tableName, Key: keyEntry(markKey(namespace, shardId)) }
  if (!isStored) {
    const Item = {
      ...key.Key,
      ...stateEntry({ state, generation }),
      sequenceNumber: { S: to },
      [TTL_ATTRIBUTE]: expires,
    }
    return [
      { Put: { TableName: tableName, Item, ConditionExpression: 'attribute_not_exists(PK)' } },
      {
        ConditionCheck: {
          ...{ TableName: tableName, Key: keyEntry(stateKey(namespace)) },
          ...(state === 'absent'
            ? {
                ConditionExpression: isAbsent,
                ExpressionAttributeNames: { '#state': 'state' },
                ExpressionAttributeValues: kept,
              }
            : {
                ConditionExpression: unchanged,
                ExpressionAttributeNames: names,
                ExpressionAttributeValues: values,
              }),
        },
      },
    ]
  }
  const unmoved = sequenceNumber === undefined ? 'attribute_not_exists(sequenceNumber)' : 'sequenceNumber = :from'
  const from: Record<string, AttributeValue> = sequenceNumber === undefined ? {} : { ':from': { S: sequenceNumber } }
  return [
    {
      Update: {
        ...key,
        UpdateExpression: 'SET sequenceNumber = :to, #ttl = :expires',
        ConditionExpression: `${unmoved} AND ${unchanged}`,
        ExpressionAttributeNames: { ...names, '#ttl': TTL_ATTRIBUTE },
        ExpressionAttributeValues: { ...values, ...from, ':to': { S: to }, ':expires': expires },
      },
    },
  ]
}

function stateOf(stored: Entry | undefined): TreesState {
  const state = stored?.state?.S
  // What was given up had a generation, which is not to be used again.
  const generation = Number(stored?.generation?.N ?? 0)
  return { state: KEPT.find((each) => each === state) ?? 'absent', generation }
}

function stateEntry({ state, generation }: TreesState): Entry {
  return { state: { S: state }, generation: { N: String(generation) } }
}

function expiryOf(now: number): AttributeValue {
  return { N: String(Math.floor(now / 1000) + MARK_SECONDS) }
}

function stateUpdate(
  { state, generation }: TreesState,
  now: number,
): {
  readonly UpdateExpression: string
  readonly ExpressionAttributeNames: Record<string, string>
  readonly ExpressionAttributeValues: Record<string, AttributeValue>
} {
  return {
    UpdateExpression: 'SET #state = :state, #generation = :generation, #ttl = :expires',
    ExpressionAttributeNames: { '#state': 'state', '#generation': 'generation', '#ttl': TTL_ATTRIBUTE },
    ExpressionAttributeValues: {
      ':state': { S: state },
      ':generation': { N: String(generation) },
      ':expires': expiryOf(now),
    },
  }
}
