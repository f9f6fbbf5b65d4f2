import {
  BatchGetItemCommand,
  type BatchGetItemCommandInput,
  type BatchGetItemCommandOutput,
  BatchWriteItemCommand,
  type BatchWriteItemCommandInput,
  type BatchWriteItemCommandOutput,
  DeleteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { connectionReset, throttle, transactionConflict, writeConflict } from './fault-errors.ts'
import type { FaultState } from './fault-state.ts'

/** A client whose commands faults befall on their way to another. */
export function faultyDynamoDB(client: Pick<DynamoDBClient, 'send'>, faults: FaultState): DynamoDBClient {
  const send = async (command: unknown, settings: unknown): Promise<unknown> => {
    faults.requireAlive()
    await faults.delay()
    const writes = isSingleWrite(command) || isBatchOfWrites(command)
    if (writes) faults.passWritePoint()
    if (faults.strikes('throttled')) throw throttle()
    refuseByConflict(command, faults)
    if (writes && faults.strikes('late')) {
      faults.carryOutLate(() => client.send(command as never))
      throw connectionReset()
    }
    const output = await carryOut(client, command, settings, faults)
    if (writes) faults.passWritePoint()
    if (faults.strikes('dropped')) throw connectionReset()
    await faults.delay()
    faults.requireAlive()
    return output
  }
  return { send } as unknown as DynamoDBClient
}

function isSingleWrite(command: unknown): boolean {
  return (
    command instanceof PutItemCommand || command instanceof UpdateItemCommand || command instanceof DeleteItemCommand
  )
}

function isBatchOfWrites(command: unknown): boolean {
  return command instanceof TransactWriteItemsCommand || command instanceof BatchWriteItemCommand
}

function refuseByConflict(command: unknown, faults: FaultState): void {
  if (command instanceof TransactWriteItemsCommand) {
    const items = command.input.TransactItems?.length ?? 0
    if (faults.strikes('conflicted')) throw transactionConflict(items, Math.floor(faults.random() * items))
  } else if (isSingleWrite(command) && faults.strikes('conflicted')) throw writeConflict()
}

async function carryOut(
  client: Pick<DynamoDBClient, 'send'>,
  command: unknown,
  settings: unknown,
  faults: FaultState,
): Promise<unknown> {
  if (command instanceof BatchWriteItemCommand && faults.strikes('unprocessed')) {
    return halfWritten(client, command.input)
  }
  if (command instanceof BatchGetItemCommand && faults.strikes('unprocessed')) return halfRead(client, command.input)
  return client.send(command as never, settings as never)
}

async function halfWritten(
  client: Pick<DynamoDBClient, 'send'>,
  input: BatchWriteItemCommandInput,
): Promise<BatchWriteItemCommandOutput> {
  const RequestItems: NonNullable<BatchWriteItemCommandInput['RequestItems']> = {}
  const UnprocessedItems: NonNullable<BatchWriteItemCommandOutput['UnprocessedItems']> = {}
  for (const [table, requests] of Object.entries(input.RequestItems ?? {})) {
    const half = Math.floor(requests.length / 2)
    if (half > 0) RequestItems[table] = requests.slice(0, half)
    UnprocessedItems[table] = requests.slice(half)
  }
  if (Object.keys(RequestItems).length === 0) return { $metadata: {}, UnprocessedItems }
  return { ...(await client.send(new BatchWriteItemCommand({ ...input, RequestItems }))), UnprocessedItems }
}

async function halfRead(
  client: Pick<DynamoDBClient, 'send'>,
  input: BatchGetItemCommandInput,
): Promise<BatchGetItemCommandOutput> {
  const RequestItems: NonNullable<BatchGetItemCommandInput['RequestItems']> = {}
  const UnprocessedKeys: NonNullable<BatchGetItemCommandOutput['UnprocessedKeys']> = {}
  for (const [table, request] of Object.entries(input.RequestItems ?? {})) {
    const keys = request.Keys ?? []
    const half = Math.floor(keys.length / 2)
    if (half > 0) RequestItems[table] = { ...request, Keys: keys.slice(0, half) }
    UnprocessedKeys[table] = { ...request, Keys: keys.slice(half) }
  }
  if (Object.keys(RequestItems).length === 0) return { $metadata: {}, Responses: {}, UnprocessedKeys }
  return { ...(await client.send(new BatchGetItemCommand({ ...input, RequestItems }))), UnprocessedKeys }
}
