import { type DynamoDBClient, type TransactWriteItem, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { intercepted } from 'lapidary-testing'

/** A client that changes the writes of the runner's transactions. */
export function spoiling(
  change: (write: TransactWriteItem) => TransactWriteItem | undefined,
): (client: DynamoDBClient) => DynamoDBClient {
  return (given) =>
    intercepted<DynamoDBClient>(given, (command, send) => {
      if (!(command instanceof TransactWriteItemsCommand)) return send(command)
      const TransactItems = command.input.TransactItems?.map((write) => change(write) ?? write)
      return send(new TransactWriteItemsCommand({ TransactItems }))
    })
}

/** A write without its condition. */
export function unconditioned<W extends object>(write: W): W {
  const { ConditionExpression: _, ...rest } = write as W & { ConditionExpression?: string }
  const used = JSON.stringify(rest)
  const left = (given: Record<string, unknown> = {}) =>
    Object.fromEntries(Object.entries(given).filter(([name]) => used.split(name).length > 2))
  const { ExpressionAttributeNames, ExpressionAttributeValues, ...bare } = rest as Record<string, unknown>
  const names = left(ExpressionAttributeNames as Record<string, unknown>)
  const values = left(ExpressionAttributeValues as Record<string, unknown>)
  return {
    ...bare,
    ...(Object.keys(names).length > 0 ? { ExpressionAttributeNames: names } : {}),
    ...(Object.keys(values).length > 0 ? { ExpressionAttributeValues: values } : {}),
  } as W
}

/** The checkpoint is looked at, and stays where it is. */
export function leftAlone({
  TableName,
  Key,
}: NonNullable<TransactWriteItem['Update']>): TransactWriteItem['ConditionCheck'] {
  return { TableName, Key, ConditionExpression: 'attribute_exists(PK)' }
}
