import { Readable } from 'node:stream'
import { DynamoDBClient, type DynamoDBClientConfig, GetItemCommand } from '@aws-sdk/client-dynamodb'
import { expect, test, vi } from 'vitest'
import { createTableClient } from './table-client.ts'

const Item = { PK: { S: 'COMMENT#1' }, SK: { S: '~' } }

/** Sends a command through a client that answers by itself; returns the logger that the SDK has for its entry. */
async function loggerOf(logger: DynamoDBClientConfig['logger'], failing = false): Promise<unknown> {
  const body = failing ? { __type: 'ResourceNotFoundException', message: 'there is no table' } : { Item }
  const client = new DynamoDBClient({
    region: 'us-east-1',
    credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
    ...(logger === undefined ? {} : { logger }),
    requestHandler: {
      handle: async () => ({
        response: {
          statusCode: failing ? 400 : 200,
          headers: { 'content-type': 'application/x-amz-json-1.0' },
          body: Readable.from([JSON.stringify(body)]),
        },
      }),
    } as never,
  })
  let found: unknown = 'nothing was sent'
  client.middlewareStack.add(
    (next, context) => (args) => {
      found = context.logger
      return next(args)
    },
    { step: 'finalizeRequest', name: 'found' },
  )
  const table = createTableClient({ client, tableName: 'things', random: Math.random, sleep: async () => {} })
  const sending = table.send(new GetItemCommand({ TableName: 'things', Key: Item }))
  if (failing) await expect(sending).rejects.toThrow('the table things')
  else expect(await sending).toMatchObject({ Item })
  return found
}

test('the SDK makes no entry of a log that its client does not write', async () => {
  expect(await loggerOf(undefined)).toBe(undefined)
  expect(await loggerOf(undefined, true)).toBe(undefined)
})

test('a logger is told of what is sent and answered, and of what fails', async () => {
  const logger = { trace: vi.fn(), debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }
  expect(await loggerOf(logger)).toBe(logger)
  expect(logger.info).toHaveBeenCalledWith(
    expect.objectContaining({
      commandName: 'GetItemCommand',
      input: { TableName: 'things', Key: Item },
      output: { Item },
    }),
  )
  expect(await loggerOf(logger, true)).toBe(logger)
  expect(logger.error).toHaveBeenCalledTimes(1)
})

test('a logger that writes errors alone is told of them', async () => {
  const error = vi.fn()
  await loggerOf({ trace() {}, debug() {}, info() {}, warn() {}, error }, true)
  expect(error).toHaveBeenCalledTimes(1)
})

test('a logger that begins to write is told from then on', async () => {
  const logger = { trace: () => {}, debug: () => {}, info: (): void => {}, warn: () => {}, error: () => {} }
  expect(await loggerOf(logger)).toBe(undefined)
  const info = vi.spyOn(logger, 'info')
  expect(await loggerOf(logger)).toBe(logger)
  expect(info).toHaveBeenCalledTimes(1)
})
