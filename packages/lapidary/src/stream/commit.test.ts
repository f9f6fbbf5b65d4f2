import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import type { SumProjection } from '../derived/sum-projection.ts'
import { LapidaryError } from '../model/errors.ts'
import { UNOBSERVED } from '../table/observer.ts'
import type { TableClient } from '../table/table-client.ts'
import { commit, type Guard, isRefusal } from './commit.ts'

const named = (name: string, more: object = {}): Error => Object.assign(new Error(name), { name, ...more })
const canceled = (...codes: string[]): Error =>
  named('TransactionCanceledException', { CancellationReasons: codes.map((Code) => ({ Code })) })

/** A table that refuses every transaction with the error, and notes them. */
function refusing(error: Error) {
  const sent: TransactWriteItemsCommand['input'][] = []
  let slept = 0
  const table = {
    tableName: 't',
    random: () => 1,
    async sleep() {
      slept += 1
    },
    async send(command: unknown) {
      if (!(command instanceof TransactWriteItemsCommand)) return {}
      sent.push(command.input)
      throw error
    },
    observe: UNOBSERVED,
  } as unknown as TableClient
  return { table, sent, slept: () => slept }
}

const guardOf = (isSpent: boolean): Guard => ({ name: 'shard-1', writes: [], isSpent: async () => isSpent })

test.each<[string, Error | string, boolean]>([
  ['a value that DynamoDB does not take', named('ValidationException'), true],
  ['one of an item of a transaction', canceled('None', 'ValidationError'), true],
  ['what a projection can not write', new LapidaryError('unprocessable', 'no'), true],
  ['a condition that does not hold', canceled('ConditionalCheckFailed'), false],
  ['a store that is away', new LapidaryError('unavailable', 'away'), false],
  ['a throttle', named('ThrottlingException'), false],
  ['what is no error', 'ValidationException', false],
])('%s is refused for good: %s', (_, error, expected) => {
  expect(isRefusal(error)).toBe(expected)
})

test.each<[string, Error]>([
  ['was canceled', canceled('ConditionalCheckFailed', 'None')],
  ['is under way already', named('TransactionInProgressException')],
  ['lost its connection', named('Error', { code: 'ECONNRESET' })],
  ['was sent through a store that is away', new LapidaryError('unavailable', 'away')],
])('whether a transaction that %s was made is asked of its guard', async (_, error) => {
  expect(await commit(refusing(error).table, guardOf(true), [])).toBe('spent')
  await expect(commit(refusing(error).table, guardOf(false), [])).rejects.toThrow('kept conflicting')
})

test.each<[string, Error]>([
  ['refused for good', canceled('ValidationError')],
  ['not allowed', named('AccessDeniedException')],
  ['stopped', new LapidaryError('aborted', 'stopped')],
])('a transaction that is %s is an error, which its guard has no word in', async (_, error) => {
  await expect(commit(refusing(error).table, guardOf(true), [])).rejects.toBe(error)
})

test('conflicts are tried again with pauses between them, thirty times, and then told with what is in the way', async () => {
  const { table, sent, slept } = refusing(canceled('TransactionConflict'))
  await expect(commit(table, guardOf(false), [])).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('conflicting with the derived data of shard-1'),
  })
  expect([sent.length, slept()]).toEqual([30, 29])
})

test('what turns out to be made is not tried again', async () => {
  const { table, sent } = refusing(canceled('ConditionalCheckFailed'))
  expect(await commit(table, guardOf(true), [])).toBe('spent')
  expect(sent).toHaveLength(1)
})

test('what a projection can not tell as an item is refused, and names the projection', async () => {
  const { table, sent } = refusing(canceled())
  const projection = {
    name: 'odd counts',
    dated: false,
    amountsOf: () => ({}),
    entryOf: () => {
      throw new TypeError('odd')
    },
  } as unknown as SumProjection
  const additions = [{ projection, target: { PK: '~', SK: '~' }, amounts: { n: 1 }, at: 1 }]
  await expect(commit(table, guardOf(false), additions)).rejects.toMatchObject({
    code: 'unprocessable',
    message: expect.stringContaining("odd counts can't be written: TypeError: odd"),
  })
  expect(sent).toEqual([])
})
