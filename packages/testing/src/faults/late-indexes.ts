import {
  type AttributeValue,
  CreateTableCommand,
  DeleteItemCommand,
  DeleteTableCommand,
  type DynamoDBClient,
  GetItemCommand,
  type GetItemCommandOutput,
  ListTablesCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  type ScanCommandOutput,
  type TableDescription,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb'
import { partsOf } from './command-parts.ts'
import { intercepted, type Send } from './intercept.ts'
import { describedTable, keyNames } from './table-keys.ts'

/** Options of `lateIndexes`. */
export interface LateIndexesOptions {
  /** The most milliseconds by which an entry of an index is behind its item; 0 when not given: an index shows a write before it is answered. */
  readonly lagMs?: number
  /** Draws each lag, from 0 to 1; `Math.random` when not given. */
  readonly random?: () => number
}

/** A client whose global indexes show a write later. */
export interface LateIndexes extends AsyncDisposable {
  readonly client: DynamoDBClient
  /** From now on indexes show nothing of what is written. */
  hold(): void
  /** Resolves when the indexes show all that was written by now. */
  settled(): Promise<void>
  /** Removes the copies. */
  close(): Promise<void>
}

/** A table that stands in for the indexes of another. */
interface Copy {
  readonly name: string
  readonly keys: readonly string[]
  readonly indexes: readonly (string | undefined)[]
  /** The last copying of each item: an entry never shows an older state of its item after a newer one. */
  readonly last: Map<string, Promise<void>>
}

type Attributes = Record<string, AttributeValue>

const SUFFIX = '.late'
const POLL_MS = 20

/**
 * Makes a client whose global indexes are behind the table, each entry by a moment of its own, as those of DynamoDB are. Queries of an index are
 * answered by a copy of the table; some time after each write through this client the items that it names are read and put there. So an entry is
 * always how its item once was, and all come. The copies are named like their tables with `.late`, and the client lists none of them.
 *
 * @example
 * ```ts
 * const late = lateIndexes(client)
 * late.hold()
 * ```
 */
export function lateIndexes(
  client: Pick<DynamoDBClient, 'send'>,
  { lagMs = 0, random = Math.random }: LateIndexesOptions = {},
): LateIndexes {
  const copies = new Map<string, Promise<Copy | undefined>>()
  const underWay = new Set<Promise<void>>()
  let isHeld = false
  let sender: Send = (command) => (client as { send: Send }).send(command)

  const copyOf = (table: string, send: Send): Promise<Copy | undefined> => {
    const known = copies.get(table)
    if (known !== undefined) return known
    const made = makeCopy(table, send)
    copies.set(table, made)
    const forget = (copy?: Copy): void => {
      if (copy === undefined && copies.get(table) === made) copies.delete(table)
    }
    made.then(forget, () => forget())
    return made
  }
  const drop = async (table: string, send: Send): Promise<void> => {
    const copy = await copies.get(table)?.catch(() => undefined)
    if (copy === undefined) return
    await Promise.all(copy.last.values())
    copies.delete(table)
    await send(new DeleteTableCommand({ TableName: copy.name }))
  }
  /** Begins to copy the items, and returns a promise of it. */
  const follow = (command: object, send: Send): Promise<unknown> => {
    const written = partsOf(command).filter(({ isWrite }) => isWrite)
    return Promise.all(
      written.map(async ({ table, attributes }) => {
        const copy = await copies.get(table)
        if (copy === undefined) return
        const key = Object.fromEntries(copy.keys.map((name) => [name, attributes[name]])) as Attributes
        const text = JSON.stringify(key)
        const before = copy.last.get(text)
        const wait = lagMs * random()
        const copying: Promise<void> = Promise.all([before, wait > 0 ? passed(wait) : undefined])
          .then(() => copyItem(table, copy.name, key, send))
          .finally(() => {
            underWay.delete(copying)
            if (copy.last.get(text) === copying) copy.last.delete(text)
          })
        copy.last.set(text, copying)
        underWay.add(copying)
        // A failure is told by `settled`, or by the write that waits for it.
        copying.catch(() => {})
        return copying
      }),
    )
  }
  const settled = async (): Promise<void> => {
    await Promise.all(underWay)
  }
  const close = async (): Promise<void> => {
    isHeld = true
    await Promise.allSettled(underWay)
    await Promise.all([...copies.keys()].map((table) => drop(table, sender)))
  }

  const late = intercepted<DynamoDBClient>(client, async (command, send) => {
    sender = send
    if (command instanceof ListTablesCommand) return listed(await send(command))
    if (command instanceof DeleteTableCommand || command instanceof UpdateTableCommand)
      await drop(command.input.TableName ?? '', send)
    if (command instanceof QueryCommand || command instanceof ScanCommand) {
      const { TableName = '', IndexName } = command.input
      const copy = IndexName === undefined ? undefined : await copyOf(TableName, send)
      if (copy === undefined || !copy.indexes.includes(IndexName)) return send(command)
      const Command = command.constructor as new (input: object) => object
      return renamed(await send(new Command({ ...command.input, TableName: copy.name })), TableName)
    }
    const tables = new Set(partsOf(command).flatMap(({ table, isWrite }) => (isWrite ? table : [])))
    // What is written before there is a copy would be missing in it.
    await Promise.all([...tables].map((table) => copyOf(table, send)))
    try {
      return await send(command)
    } finally {
      if (tables.size > 0 && !isHeld) {
        const followed = follow(command, send)
        if (lagMs === 0) await followed
        else followed.catch(() => {})
      }
    }
  })
  return {
    client: late,
    hold() {
      isHeld = true
    },
    settled,
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function makeCopy(table: string, send: Send): Promise<Copy | undefined> {
  const described = await describedTable(table, send)
  const { KeySchema = [], GlobalSecondaryIndexes = [], AttributeDefinitions = [] } = described ?? {}
  if (GlobalSecondaryIndexes.length === 0) return undefined
  const name = `${table}${SUFFIX}`
  // One that is there was left behind by a process that was killed.
  if ((await describedTable(name, send)) !== undefined) {
    await send(new DeleteTableCommand({ TableName: name }))
    while ((await describedTable(name, send)) !== undefined) await passed(POLL_MS)
  }
  const indexed = GlobalSecondaryIndexes.map((index) => index.KeySchema)
  const used = [KeySchema, ...indexed].flatMap((schema) => keyNames(schema))
  await send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema,
      AttributeDefinitions: AttributeDefinitions.filter(({ AttributeName = '' }) => used.includes(AttributeName)),
      GlobalSecondaryIndexes: GlobalSecondaryIndexes.map(({ IndexName, KeySchema, Projection }) => {
        return { IndexName, KeySchema, Projection }
      }),
    }),
  )
  while (!isActive(await describedTable(name, send))) await passed(POLL_MS)
  let from: Attributes | undefined
  do {
    const read = new ScanCommand({ TableName: table, ConsistentRead: true, ExclusiveStartKey: from })
    const { Items = [], LastEvaluatedKey } = (await send(read)) as ScanCommandOutput
    for (const Item of Items) await send(new PutItemCommand({ TableName: name, Item }))
    from = LastEvaluatedKey
  } while (from !== undefined)
  const indexes = GlobalSecondaryIndexes.map(({ IndexName }) => IndexName)
  return { name, keys: keyNames(KeySchema), indexes, last: new Map() }
}

function isActive(table: TableDescription | undefined): boolean {
  const indexes = table?.GlobalSecondaryIndexes ?? []
  return table?.TableStatus === 'ACTIVE' && indexes.every(({ IndexStatus = 'ACTIVE' }) => IndexStatus === 'ACTIVE')
}

/** Makes an item of the copy what it is in the table now. */
async function copyItem(table: string, copy: string, Key: Attributes, send: Send): Promise<void> {
  const read = new GetItemCommand({ TableName: table, Key, ConsistentRead: true })
  const { Item } = (await send(read)) as GetItemCommandOutput
  await send(
    Item === undefined
      ? new DeleteItemCommand({ TableName: copy, Key })
      : new PutItemCommand({ TableName: copy, Item }),
  )
}

function listed(answer: unknown): unknown {
  const { TableNames = [], ...rest } = answer as { readonly TableNames?: readonly string[] }
  return { ...rest, TableNames: TableNames.filter((name) => !name.endsWith(SUFFIX)) }
}

function renamed(answer: unknown, TableName: string): unknown {
  const { ConsumedCapacity, ...rest } = answer as { readonly ConsumedCapacity?: object }
  return ConsumedCapacity === undefined ? rest : { ...rest, ConsumedCapacity: { ...ConsumedCapacity, TableName } }
}

function passed(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
