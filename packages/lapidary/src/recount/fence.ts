import { randomUUID } from 'node:crypto'
import { GetItemCommand } from '@aws-sdk/client-dynamodb'
import { keyEntry } from '../derived/guarded-write.ts'
import type { TargetKey } from '../derived/projection.ts'
import { LapidaryError } from '../model/errors.ts'
import type { Guard } from '../stream/commit.ts'
import { ifOwner, updateIf } from '../stream/lease.ts'
import { Again, retrying } from '../table/retrying.ts'
import type { TableClient } from '../table/table-client.ts'

/**
 * Makes each commit of a mending happen once, whatever becomes of its answer: it moves the fence from one turn to the next, and
 * the table takes no other commit from the same turn. So of a write that comes late and the same one tried again, one is refused.
 */
export interface Fence {
  /** The guard of the next commit; to be called once the one before is made. */
  next(): Guard
}

const MOST_TRIES = 10

/**
 * Begins turns of its own on an item whose lease is held: what an earlier holder sent and the table has not taken yet is refused
 * from now on.
 *
 * @throws {LapidaryError} `unavailable` when another process has the lease.
 */
export async function beginFence(table: TableClient, key: TargetKey, owner: string): Promise<Fence> {
  let turn: string = randomUUID()
  await begin(table, key, owner, turn)
  return {
    next() {
      const from = turn
      const to = randomUUID()
      turn = to
      const { UpdateExpression, ConditionExpression, ...rest } = move(owner, from, to)
      return {
        name: 'what is mended',
        write: {
          Update: { TableName: table.tableName, Key: keyEntry(key), UpdateExpression, ConditionExpression, ...rest },
        },
        async isSpent() {
          const held = await turnOf(table, key)
          if (held.turn === to) return true
          if (held.turn === from && held.owner === owner) return false
          throw takenOver()
        },
      }
    },
  }
}

async function begin(table: TableClient, key: TargetKey, owner: string, to: string): Promise<void> {
  const gaveUp = (_: number, cause: unknown): never => {
    throw new LapidaryError('unavailable', 'the answers of DynamoDB kept being lost; run it again', { cause })
  }
  await retrying<boolean>(table, { most: MOST_TRIES, gaveUp }, async () => {
    const held = await turnOf(table, key)
    if (held.turn === to) return true
    if (held.owner !== owner) throw takenOver()
    return (await updateIf(table, key, move(owner, held.turn, to)).catch(() => false)) || new Again()
  })
}

function move(owner: string, from: string | undefined, to: string) {
  const owned = ifOwner(owner, {
    UpdateExpression: 'SET turn = :to',
    ExpressionAttributeValues: { ':to': { S: to }, ...(from === undefined ? {} : { ':from': { S: from } }) },
  })
  const unmoved = from === undefined ? 'attribute_not_exists(turn)' : 'turn = :from'
  return { ...owned, ConditionExpression: `${owned.ConditionExpression} AND ${unmoved}` }
}

async function turnOf(
  table: TableClient,
  key: TargetKey,
): Promise<{ readonly owner: string | undefined; readonly turn: string | undefined }> {
  const { Item } = await table.send(
    new GetItemCommand({ TableName: table.tableName, Key: keyEntry(key), ConsistentRead: true }),
  )
  return { owner: Item?.owner?.S, turn: Item?.turn?.S }
}

function takenOver(): LapidaryError {
  return new LapidaryError('unavailable', 'another process took over the mending of this derived data')
}
