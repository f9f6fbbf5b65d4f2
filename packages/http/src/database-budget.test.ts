import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import { budgetedClient, withinDatabaseBudget } from './database-budget.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const command = new GetItemCommand({ TableName: 'none', Key: {} })

function clientThat(send: (command: unknown, options: { abortSignal?: AbortSignal }) => Promise<unknown>) {
  return budgetedClient({ send } as unknown as DynamoDBClient)
}

async function heapAfter(requests: number, run: () => Promise<unknown>): Promise<number> {
  for (let i = 0; i < requests; i++) await run()
  await sleep(10)
  collectGarbage()
  return process.memoryUsage().heapUsed
}

test('a request that used the database leaves nothing behind', async () => {
  const client = clientThat(async () => ({}))
  const request = () => withinDatabaseBudget(() => client.send(command))
  const before = await heapAfter(2_000, request)
  const after = await heapAfter(20_000, request)
  expect((after - before) / 20_000).toBeLessThan(100)
})

test('a command that is not answered is given up, as late', async () => {
  const client = clientThat(
    (_, { abortSignal }) =>
      new Promise((_, reject) => abortSignal?.addEventListener('abort', () => reject(new Error('aborted')))),
  )
  const answered = withinDatabaseBudget(() => client.send(command), 20)
  await expect(answered).rejects.toMatchObject({ name: 'TimeoutError', message: expect.stringContaining('0.02 s') })
})

test('a signal of the caller’s own still ends a command', async () => {
  const client = clientThat(async (_, { abortSignal }) => abortSignal?.throwIfAborted())
  const own = AbortSignal.abort(new Error('the reader has gone'))
  const sent = withinDatabaseBudget(() => client.send(command, { abortSignal: own }))
  await expect(sent).rejects.toThrow('the reader has gone')
})
