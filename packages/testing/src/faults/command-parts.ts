import {
  type AttributeValue,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  TransactGetItemsCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'

type Attributes = Readonly<Record<string, AttributeValue>>

/** One item that a command reads or writes. */
export interface CommandPart {
  readonly table: string
  /** Its key, or all of it where it is put. */
  readonly attributes: Attributes
  readonly isWrite: boolean
  /** Whether the attributes are all of it. */
  readonly isWhole: boolean
}

/** Returns the items that a command names, in its order; none for queries, scans and what is not about items. */
export function partsOf(command: object): readonly CommandPart[] {
  if (command instanceof PutItemCommand) return [part(command.input.TableName, command.input.Item, true, true)]
  if (command instanceof UpdateItemCommand || command instanceof DeleteItemCommand)
    return [part(command.input.TableName, command.input.Key, true)]
  if (command instanceof GetItemCommand) return [part(command.input.TableName, command.input.Key, false)]
  if (command instanceof TransactWriteItemsCommand) {
    return (command.input.TransactItems ?? []).map(({ Put, Update, Delete, ConditionCheck }) => {
      const { TableName, Key } = Update ?? Delete ?? ConditionCheck ?? {}
      return Put === undefined ? part(TableName, Key, true) : part(Put.TableName, Put.Item, true, true)
    })
  }
  if (command instanceof TransactGetItemsCommand)
    return (command.input.TransactItems ?? []).map(({ Get }) => part(Get?.TableName, Get?.Key, false))
  if (command instanceof BatchWriteItemCommand) {
    return Object.entries(command.input.RequestItems ?? {}).flatMap(([table, requests]) =>
      requests.map(({ PutRequest, DeleteRequest }) =>
        PutRequest === undefined ? part(table, DeleteRequest?.Key, true) : part(table, PutRequest.Item, true, true),
      ),
    )
  }
  if (command instanceof BatchGetItemCommand) {
    return Object.entries(command.input.RequestItems ?? {}).flatMap(([table, { Keys = [] }]) =>
      Keys.map((key) => part(table, key, false)),
    )
  }
  return []
}

function part(
  table: string | undefined,
  attributes: Attributes | undefined,
  isWrite: boolean,
  isWhole = false,
): CommandPart {
  return { table: table ?? '', attributes: attributes ?? {}, isWrite, isWhole }
}
