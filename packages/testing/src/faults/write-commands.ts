import {
  BatchWriteItemCommand,
  DeleteItemCommand,
  PutItemCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'

export function isWrite(command: unknown): boolean {
  return (
    isSingleWrite(command) || command instanceof TransactWriteItemsCommand || command instanceof BatchWriteItemCommand
  )
}

export function isSingleWrite(command: unknown): boolean {
  return (
    command instanceof PutItemCommand || command instanceof UpdateItemCommand || command instanceof DeleteItemCommand
  )
}
