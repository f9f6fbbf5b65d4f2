import {
  type AttributeValue,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  type ConsumedCapacity,
  DeleteTableCommand,
  type DynamoDBClient,
  QueryCommand,
  type QueryCommandInput,
  type ReturnConsumedCapacity,
  type TableDescription,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb'
import { type CommandPart, partsOf } from './command-parts.ts'
import { canceledTransaction, dynamodbError } from './fault-errors.ts'
import { isTransaction } from './faulty-dynamodb.ts'
import { intercepted, type Send } from './intercept.ts'
import { splitBatch } from './split-batch.ts'
import { createKnownTables, keyNames, schemaOf } from './table-keys.ts'

/** The limits of one partition; its clock may be slowed, so that a test reaches them. */
export interface PartitionLimits {
  /** Read units a second; 3,000 when not given, as in DynamoDB. */
  readonly readUnits?: number
  /** Write units a second; 1,000 when not given, as in DynamoDB. */
  readonly writeUnits?: number
  /** Milliseconds; `Date.now` when not given. */
  readonly clock?: () => number
  /** Called for each item, or query, that is refused. */
  readonly onThrottle?: () => void
}

/** A partition that a command uses: of the table, or of one of its indexes. */
interface Use {
  readonly table: string
  readonly index: string | undefined
  readonly partition: string
  readonly isWrite: boolean
}

/**
 * Makes a client that throttles each partition key by itself. DynamoDB limits what it stores together, which is several keys or one hot one: this
 * is the limit that no declaration and no capacity of a table raises. A key may use a second's units at once, and what a command takes is counted
 * by the capacity that the database reports. An update's entries in indexes are not counted, since the command does not name them.
 *
 * @example
 * ```ts
 * const slow = limitedPartitions(client, { clock: () => Date.now() / 100 })
 * ```
 */
export function limitedPartitions(
  client: Pick<DynamoDBClient, 'send'>,
  { readUnits = 3_000, writeUnits = 1_000, clock = Date.now, onThrottle = () => {} }: PartitionLimits = {},
): DynamoDBClient {
  const tables = createKnownTables()
  const reads = createMeters(readUnits, clock)
  const writes = createMeters(writeUnits, clock)
  const meterOf = ({ isWrite }: Use) => (isWrite ? writes : reads)
  const isFree = (uses: readonly Use[]): boolean => {
    const free = uses.every((use) => meterOf(use).isFree(use.partition))
    if (!free) onThrottle()
    return free
  }
  /** Sends a command whose partitions have units left, and counts what it took. */
  const count = async (command: object, uses: readonly Use[], send: Send): Promise<unknown> => {
    const { input } = command as { readonly input: { readonly ReturnConsumedCapacity?: ReturnConsumedCapacity } }
    const Command = command.constructor as new (input: object) => object
    const answer = (await send(new Command({ ...input, ReturnConsumedCapacity: 'INDEXES' }))) as Answer
    const reported = [answer.ConsumedCapacity ?? []].flat()
    for (const use of uses) {
      const alike = uses.filter(({ table, index }) => table === use.table && index === use.index)
      meterOf(use).take(use.partition, unitsOf(reported, use) / alike.length)
    }
    return { ...answer, ConsumedCapacity: asAsked(answer.ConsumedCapacity, input.ReturnConsumedCapacity) }
  }

  return intercepted<DynamoDBClient>(client, async (command, send) => {
    if (command instanceof DeleteTableCommand || command instanceof UpdateTableCommand)
      tables.forget(command.input.TableName ?? '')
    if (command instanceof QueryCommand) {
      const { TableName = '' } = command.input
      const use = usedByQuery(command.input, await tables.describe(TableName, send))
      if (use === undefined) return send(command)
      if (!isFree([use])) throw dynamodbError('ProvisionedThroughputExceededException')
      return count(command, [use], send)
    }
    const parts = partsOf(command)
    if (parts.length === 0) return send(command)
    const uses = await Promise.all(parts.map(async (part) => usedBy(part, await tables.describe(part.table, send))))
    const free = uses.map(isFree)
    if (free.every(Boolean)) return count(command, uses.flat(), send)
    if (isTransaction(command)) throw canceledTransaction(free.map((each) => (each ? 'None' : 'ThrottlingError')))
    const isBatch = command instanceof BatchGetItemCommand || command instanceof BatchWriteItemCommand
    if (!isBatch || !free.some(Boolean)) throw dynamodbError('ProvisionedThroughputExceededException')
    const left = uses.filter((_, i) => free[i])
    return splitBatch(
      command,
      (at) => free[at] === true,
      (part) => count(part, left.flat(), send),
    )
  })
}

interface Answer {
  readonly ConsumedCapacity?: ConsumedCapacity | readonly ConsumedCapacity[] | undefined
}

/** Counts units of many partitions: each has a second's units, which come back as time passes; a command that takes more leaves a debt. */
function createMeters(unitsPerSecond: number, clock: () => number) {
  const levels = new Map<string, { readonly units: number; readonly at: number }>()
  const level = (partition: string): number => {
    const { units, at } = levels.get(partition) ?? { units: unitsPerSecond, at: clock() }
    return Math.min(unitsPerSecond, units + ((clock() - at) * unitsPerSecond) / 1_000)
  }
  return {
    isFree: (partition: string): boolean => level(partition) > 0,
    take(partition: string, units: number): void {
      levels.set(partition, { units: level(partition) - units, at: clock() })
    },
  }
}

function usedBy(part: CommandPart, table: TableDescription | undefined): readonly Use[] {
  const { attributes, isWrite, isWhole } = part
  const use = (index: string | undefined, names: readonly string[]): readonly Use[] => {
    const values = names.map((name) => attributes[name])
    const isIn = names.length > 0 && !values.includes(undefined as never)
    return isIn ? [useOf(part.table, index, values as AttributeValue[], isWrite)] : []
  }
  const indexes = isWrite && isWhole ? (table?.GlobalSecondaryIndexes ?? []) : []
  return [
    ...use(undefined, keyNames(table?.KeySchema, 'HASH')),
    ...indexes.flatMap(({ IndexName, KeySchema }) => use(IndexName, keyNames(KeySchema, 'HASH'))),
  ]
}

/** Finds the partition that a query reads: the values to which its condition compares the attributes of the partition's key. */
function usedByQuery(input: QueryCommandInput, table: TableDescription | undefined): Use | undefined {
  const { TableName = '', IndexName, KeyConditionExpression = '' } = input
  const equal: Record<string, AttributeValue | undefined> = {}
  for (const [, name = '', value = ''] of KeyConditionExpression.matchAll(/([#\w.-]+)\s*=\s*(:\w+)/g))
    equal[input.ExpressionAttributeNames?.[name] ?? name] = input.ExpressionAttributeValues?.[value]
  const values = keyNames(schemaOf(table, IndexName), 'HASH').map((name) => equal[name])
  if (values.length === 0 || values.includes(undefined)) return undefined
  return useOf(TableName, IndexName, values as AttributeValue[], false)
}

function useOf(table: string, index: string | undefined, values: readonly AttributeValue[], isWrite: boolean): Use {
  return { table, index, partition: JSON.stringify([table, index ?? null, values]), isWrite }
}

/** Returns the units that a command took of a table or of one of its indexes; one where the database reports none. */
function unitsOf(reported: readonly ConsumedCapacity[], { table, index }: Use): number {
  const consumed = reported.find(({ TableName }) => TableName === undefined || TableName === table)
  if (consumed === undefined) return 1
  const indexes = { ...consumed.GlobalSecondaryIndexes, ...consumed.LocalSecondaryIndexes }
  if (index !== undefined) return indexes[index]?.CapacityUnits ?? 0
  const inIndexes = Object.values(indexes).reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0)
  return consumed.Table?.CapacityUnits ?? (consumed.CapacityUnits ?? 0) - inIndexes
}

function asAsked(consumed: Answer['ConsumedCapacity'], asked: ReturnConsumedCapacity | undefined): unknown {
  if (asked === undefined || asked === 'NONE') return undefined
  if (asked === 'INDEXES' || consumed === undefined) return consumed
  const total = ({ TableName, CapacityUnits }: ConsumedCapacity): ConsumedCapacity => ({ TableName, CapacityUnits })
  return Array.isArray(consumed) ? consumed.map(total) : total(consumed as ConsumedCapacity)
}
