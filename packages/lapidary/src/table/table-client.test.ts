import { GetItemCommand, type TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { canceledTransaction, dynamodbError } from 'lapidary-testing'
import { expect, test } from 'vitest'
import { jitteredDelay } from './retrying.ts'
import { type CommandSender, createTableClient } from './table-client.ts'
import { transactWrites } from './transaction.ts'

const command = new GetItemCommand({ TableName: 'things', Key: {} })
const named = (name: string, more: object = {}): Error => Object.assign(new Error(name), { name, ...more })

/** A client that fails with the given errors, then answers; and the waits that the table client made. */
function failing(...errors: readonly Error[]) {
  const waits: number[] = []
  const left = [...errors]
  const client = {
    send: async () => {
      const error = left.shift()
      if (error !== undefined) throw error
      return 'answer'
    },
  } as unknown as CommandSender
  const table = createTableClient({
    client,
    tableName: 'things',
    random: () => 0.5,
    sleep: async (milliseconds) => void waits.push(milliseconds),
    maxAttempts: 3,
  })
  return { table, waits, left }
}

test.each([
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'TransactionConflictException',
  'ReplicatedWriteConflictException',
  'TransactionInProgressException',
  'LimitExceededException',
  'InternalServerError',
])('%s is tried again, after longer waits', async (name) => {
  const { table, waits } = failing(named(name), named(name))
  expect(await table.send(command)).toBe('answer')
  expect(waits).toEqual([25, 50])
})

test.each([
  ['ThrottlingException', 'DynamoDB throttles the table things; try again later or raise its capacity (after 3 tries)'],
  [
    'InternalServerError',
    'DynamoDB failed on the table things (InternalServerError: InternalServerError); try again later (after 3 tries)',
  ],
])('%s to the end is called what it is', async (name, message) => {
  const { table } = failing(named(name), named(name), named(name))
  await expect(table.send(command)).rejects.toMatchObject({ code: 'unavailable', message })
})

test('a transaction that was throttled is sent again as it was, with its token; one that met another is for its caller', async () => {
  const sent: unknown[] = []
  const refusals = [canceledTransaction(['None', 'ThrottlingError']), dynamodbError('TransactionInProgressException')]
  const client = {
    async send({ input }: TransactWriteItemsCommand) {
      sent.push(input)
      const refusal = refusals.shift()
      if (refusal !== undefined) throw refusal
      return {}
    },
  } as unknown as CommandSender
  const table = createTableClient({ client, tableName: 'things', random: () => 0, sleep: async () => undefined })
  const write = { Delete: { TableName: 'things', Key: { PK: { S: 'a' } } } }
  await transactWrites(table, [write])
  expect(sent).toHaveLength(3)
  expect(sent[0]).toMatchObject({ TransactItems: [write], ClientRequestToken: expect.stringMatching(/^[\da-f-]{36}$/) })
  expect([sent[1], sent[2]]).toEqual([sent[0], sent[0]])
  refusals.push(canceledTransaction(['ThrottlingError', 'TransactionConflict']))
  await expect(transactWrites(table, [write])).rejects.toMatchObject({ code: 'unavailable' })
  expect(sent).toHaveLength(4)
})

test('tries are bounded', async () => {
  const { table, left } = failing(...Array.from({ length: 9 }, () => named('ThrottlingException')))
  await expect(table.send(command)).rejects.toMatchObject({
    code: 'unavailable',
    cause: { name: 'ThrottlingException' },
  })
  expect(left).toHaveLength(6)
})

test('a full disk is said to be full, at once', async () => {
  const message = 'commit failed (backend: database or disk is full)'
  const { table, waits } = failing(Object.assign(new Error(message), { name: 'InternalServerError' }))
  await expect(table.send(command)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('the disk of its data is full'),
  })
  expect(waits).toEqual([])
})

test('a missing table or index is a mismatch, an engine that is away is unavailable', async () => {
  await expect(failing(named('ResourceNotFoundException')).table.send(command)).rejects.toMatchObject({
    code: 'table_mismatch',
  })
  await expect(failing(named('Error', { code: 'ECONNREFUSED' })).table.send(command)).rejects.toMatchObject({
    code: 'unavailable',
  })
})

test('what it does not know passes through, at once', async () => {
  const error = named('ConditionalCheckFailedException')
  const { table, waits } = failing(error)
  await expect(table.send(command)).rejects.toBe(error)
  expect(waits).toEqual([])
})

test('an abort is not tried again', async () => {
  const controller = new AbortController()
  controller.abort()
  const { table, left } = failing(named('ThrottlingException'), named('ThrottlingException'))
  await expect(table.send(command, { abortSignal: controller.signal })).rejects.toThrow()
  expect(left).toHaveLength(1)
})

test('waits are anything up to a ceiling that doubles, never above two seconds', () => {
  expect(jitteredDelay(1, () => 0)).toBe(0)
  expect(jitteredDelay(1, () => 0.999)).toBeLessThan(50)
  expect(jitteredDelay(50, () => 0.999)).toBeLessThan(2000)
})
