import { setImmediate as turn } from 'node:timers/promises'
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  type DeleteItemCommandInput,
  DescribeTableCommand,
  GetItemCommand,
  PutItemCommand,
  type PutItemCommandInput,
  QueryCommand,
  type QueryCommandInput,
  ScanCommand,
  type ScanCommandInput,
  TransactGetItemsCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb'
import { type TargetKey, targetId } from '../../src/derived/target-key.ts'
import type { Entry } from '../../src/model/entry.ts'
import { plainKeyOf } from '../../src/model/stored-item.ts'
import { UNOBSERVED } from '../../src/table/observer.ts'
import type { TableClient } from '../../src/table/table-client.ts'
import { type Expressions, holds, isInRange, malformed, requireWellFormed, updated } from './expressions.ts'

/**
 * A table in memory for what is no list: items by key, conditions and transactions as DynamoDB has them. It refuses malformed
 * commands, and a read that does not ask for consistency sees an item as it was before its last write, a few commands ago.
 */
export interface MemoryItems extends TableClient {
  get(key: TargetKey): Entry | undefined
  put(entry: Entry): void
  delete(key: TargetKey): void
  /** All items, in the order of their keys. */
  readonly entries: readonly Entry[]
  /** The commands that were sent, by name. */
  readonly sent: { readonly name: string; readonly input: object }[]
}

export interface MemoryItemsOptions {
  readonly tableName?: string
  /** The answer of DescribeTable. */
  readonly description?: object
  /** Called before a command is carried out; it may throw, and what it gives is the answer then. */
  readonly before?: (command: object) => unknown
  /** Told of each change. */
  readonly changed?: (key: TargetKey, before: Entry | undefined, after: Entry | undefined) => void
  /** The sort key of each index, by its name. */
  readonly indexes?: Readonly<Record<string, string>>
  /** Items of one page of a Query or a Scan. */
  readonly pageItems?: number
}

interface Held {
  readonly now: Entry | undefined
  readonly was: Entry | undefined
  /** How many commands came before the write. */
  readonly at: number
}

/** For so many commands a read that does not ask for consistency is behind a write. */
const BEHIND = 8

/** DynamoDB's cap on the items of a transaction, and of a batch. */
const MOST_ITEMS = 100
const MOST_AT_ONCE = 50

export function memoryItems({
  tableName = 'things',
  description = {},
  before = () => undefined,
  changed = () => {},
  indexes = {},
  pageItems = Number.POSITIVE_INFINITY,
}: MemoryItemsOptions = {}): MemoryItems {
  const items = new Map<string, Held>()
  /** The ids of all items in their order, until there is another one. */
  let ids: readonly string[] | undefined
  let commands = 0
  const sent: { readonly name: string; readonly input: object }[] = []

  const keyOf = (Key: Entry | undefined): TargetKey => {
    const { PK, SK, ...more } = Key ?? {}
    if (!PK?.S || !SK?.S || Object.keys(more).length > 0) throw malformed('the key element does not match the schema')
    return { PK: PK.S, SK: SK.S }
  }
  const requireTable = (name: string | undefined): void => {
    if (name !== tableName) throw malformed(`there is no table ${name}`)
  }
  /** The item itself, of which only a copy may leave the table. */
  const seen = (held: Held | undefined, isConsistent = false): Entry | undefined => {
    const isBehind = !isConsistent && held !== undefined && commands - held.at <= BEHIND
    return isBehind ? held.was : held?.now
  }
  const read = (key: TargetKey, isConsistent = false): Entry | undefined =>
    structuredClone(seen(items.get(targetId(key)), isConsistent))
  const set = (key: TargetKey, held: Held): void => {
    if (!items.has(targetId(key))) ids = undefined
    items.set(targetId(key), held)
  }
  const write = (key: TargetKey, after: Entry | undefined): void => {
    const was = items.get(targetId(key))?.now
    set(key, { now: structuredClone(after), was, at: commands })
    changed(key, was, structuredClone(after))
  }
  /** A write as it will be, or nothing where its condition does not hold. */
  const planned = (
    input: Expressions & {
      readonly Key?: Entry | undefined
      readonly Item?: Entry | undefined
      TableName?: string | undefined
    },
    kind: 'write' | 'delete' | 'check',
  ): (() => void) | undefined => {
    requireTable(input.TableName)
    requireWellFormed(input)
    const { Item, Key } = input
    const key = keyOf(Item === undefined ? Key : { PK: Item.PK as never, SK: Item.SK as never })
    const now = read(key, true)
    if (!holds(now, input)) return undefined
    if (kind === 'check') return () => {}
    if (kind === 'delete') return () => write(key, undefined)
    const after = Item ?? updated(now ?? { ...Key }, input)
    return () => write(key, after)
  }
  const page = (found: readonly (Entry | undefined)[], input: QueryCommandInput | ScanCommandInput) => {
    const after = input.ExclusiveStartKey && targetId(plainKeyOf(input.ExclusiveStartKey))
    const left = found
      .filter((entry) => entry !== undefined)
      .filter((entry) => after === undefined || targetId(plainKeyOf(entry)) > after)
    const Items = structuredClone(left.slice(0, Math.min(pageItems, input.Limit ?? pageItems)))
    const last = Items.length < left.length ? Items.at(-1) : undefined
    return {
      ...(input.Select === 'COUNT' ? {} : { Items }),
      ...{ Count: Items.length, ScannedCount: Items.length },
      ...(last === undefined ? {} : { LastEvaluatedKey: { PK: last.PK, SK: last.SK } }),
      ...consumed(input, Items.length),
    }
  }
  const indexPage = (input: QueryCommandInput) => {
    const sortKey = indexes[input.IndexName ?? '']
    if (sortKey === undefined || input.ConsistentRead || input.FilterExpression) throw malformed('no such index')
    const found = inOrder(true).filter((entry) => entry !== undefined && isInRange(entry, input)) as Entry[]
    found.sort((a, b) => ((a[sortKey]?.S ?? '') < (b[sortKey]?.S ?? '') ? -1 : 1))
    if (input.ScanIndexForward === false) found.reverse()
    const { PK, SK } = input.ExclusiveStartKey ?? {}
    const from = found.findIndex((entry) => entry.PK?.S === PK?.S && entry.SK?.S === SK?.S) + 1
    const Items = structuredClone(found.slice(from, from + (input.Limit ?? found.length)))
    const last = from + Items.length < found.length ? Items.at(-1) : undefined
    const counted = { Count: Items.length, ScannedCount: Items.length, ...consumed(input, Items.length / 2) }
    const place = last === undefined ? {} : { LastEvaluatedKey: last }
    return { ...counted, ...place, ...(input.Select === 'COUNT' ? {} : { Items }) }
  }
  const consumed = (
    { ReturnConsumedCapacity: asked }: { ReturnConsumedCapacity?: string | undefined },
    units: number,
  ) => (asked === 'TOTAL' ? { ConsumedCapacity: { TableName: tableName, CapacityUnits: units } } : {})
  const consumedByAll = (input: { ReturnConsumedCapacity?: string | undefined }, units: number) =>
    Object.fromEntries(Object.entries(consumed(input, units)).map(([name, one]) => [name, [one]]))
  /** The items themselves: most of them are not what is asked for, and a copy of each would take most of a test's time. */
  const inOrder = (isConsistent: boolean | undefined): readonly (Entry | undefined)[] => {
    ids ??= [...items.keys()].sort()
    return ids.map((id) => seen(items.get(id), isConsistent))
  }

  const write1 = (
    input: PutItemCommandInput | UpdateItemCommandInput | DeleteItemCommandInput,
    kind: 'write' | 'delete' = 'write',
  ) => {
    const make = planned(input, kind)
    if (make === undefined) throw Object.assign(new Error('refused'), { name: 'ConditionalCheckFailedException' })
    make()
    return consumed(input, 1)
  }
  const answer = (command: object): unknown => {
    if (command instanceof GetItemCommand) {
      requireTable(command.input.TableName)
      const Item = read(keyOf(command.input.Key), command.input.ConsistentRead)
      return { ...(Item && { Item }), ...consumed(command.input, 1) }
    }
    if (command instanceof PutItemCommand || command instanceof UpdateItemCommand) return write1(command.input)
    if (command instanceof DeleteItemCommand) return write1(command.input, 'delete')
    if (command instanceof TransactWriteItemsCommand) {
      const { TransactItems = [] } = command.input
      const keys = TransactItems.map(({ Put, Update, Delete, ConditionCheck }) => {
        const { PK, SK } = Put?.Item ?? Update?.Key ?? Delete?.Key ?? ConditionCheck?.Key ?? {}
        return targetId(plainKeyOf({ PK: PK as never, SK: SK as never }))
      })
      if (keys.length === 0 || keys.length > MOST_ITEMS || new Set(keys).size < keys.length) throw malformed(`${keys}`)
      const made = TransactItems.map(({ Put, Update, Delete, ConditionCheck }) =>
        ConditionCheck !== undefined
          ? planned(ConditionCheck as never, 'check')
          : Delete !== undefined
            ? planned(Delete as never, 'delete')
            : planned((Put ?? Update) as never, 'write'),
      )
      if (made.includes(undefined)) {
        const CancellationReasons = made.map((each) => ({ Code: each ? 'None' : 'ConditionalCheckFailed' }))
        throw Object.assign(new Error('canceled'), { name: 'TransactionCanceledException', CancellationReasons })
      }
      for (const make of made) make?.()
      return consumedByAll(command.input, 2 * made.length)
    }
    if (command instanceof TransactGetItemsCommand) {
      const Responses = (command.input.TransactItems ?? []).map(({ Get }) => {
        requireTable(Get?.TableName)
        const Item = read(keyOf(Get?.Key), true)
        return Item === undefined ? {} : { Item }
      })
      if (Responses.length === 0 || Responses.length > MOST_ITEMS) throw malformed(`${Responses.length} items`)
      return { Responses, ...consumedByAll(command.input, 2 * Responses.length) }
    }
    if (command instanceof BatchGetItemCommand) {
      const [[name, asked] = [], ...others] = Object.entries(command.input.RequestItems ?? {})
      requireTable(name)
      const keys = asked?.Keys ?? []
      if (others.length > 0 || keys.length === 0 || keys.length > MOST_ITEMS) throw malformed(`${keys.length} keys`)
      const found = keys.map((Key) => read(keyOf(Key), asked?.ConsistentRead)).filter((entry) => entry !== undefined)
      return { Responses: { [tableName]: found }, ...consumedByAll(command.input, keys.length) }
    }
    if (command instanceof BatchWriteItemCommand) {
      const [[name, requests = []] = []] = Object.entries(command.input.RequestItems ?? {})
      for (const { PutRequest, DeleteRequest } of requests) {
        const kind = DeleteRequest === undefined ? 'write' : 'delete'
        planned({ TableName: name, Item: PutRequest?.Item, Key: DeleteRequest?.Key }, kind)?.()
      }
      return consumedByAll(command.input, requests.length)
    }
    if (command instanceof QueryCommand) {
      const { input } = command
      requireTable(input.TableName)
      requireWellFormed(input)
      if (input.IndexName !== undefined) return indexPage(input)
      return page(
        inOrder(input.ConsistentRead).filter((entry) => entry !== undefined && isInRange(entry, input)),
        input,
      )
    }
    if (command instanceof ScanCommand) {
      const { input } = command
      requireTable(input.TableName)
      const { Segment = 0, TotalSegments = 1 } = input
      const isOf = (entry: Entry | undefined): boolean => hashOf(entry?.PK?.S ?? '') % TotalSegments === Segment
      return page(inOrder(input.ConsistentRead).filter(isOf), input)
    }
    if (command instanceof DescribeTableCommand) {
      requireTable(command.input.TableName)
      return { Table: description }
    }
    throw malformed(`a table in memory knows no ${command.constructor.name}`)
  }
  const send = async (command: { readonly input: object }, settings?: { readonly abortSignal?: AbortSignal }) => {
    settings?.abortSignal?.throwIfAborted()
    // A loop without end is stopped by the limit of its test.
    if (sent.length % MOST_AT_ONCE === MOST_AT_ONCE - 1) await turn()
    commands += 1
    sent.push({ name: command.constructor.name.replace('Command', ''), input: command.input })
    return (await before(command)) ?? answer(command)
  }
  return {
    tableName,
    send: send as unknown as TableClient['send'],
    random: () => 0,
    sleep: async () => void (await turn()),
    observe: UNOBSERVED,
    get: (key) => read(key, true),
    put(entry) {
      const key = plainKeyOf(entry)
      // As one that was written long ago: every read sees it.
      set(key, { now: structuredClone(entry), was: structuredClone(entry), at: 0 })
    },
    delete(key) {
      items.delete(targetId(key))
      ids = undefined
    },
    get entries() {
      return structuredClone(inOrder(true).filter((entry) => entry !== undefined))
    },
    sent,
  }
}

function hashOf(text: string): number {
  let hash = 7
  for (const letter of text) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003
  return hash
}
