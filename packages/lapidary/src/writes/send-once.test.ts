import type { TransactWriteItemsCommandInput } from '@aws-sdk/client-dynamodb'
import { canceledTransaction } from 'lapidary-testing'
import { expect, test } from 'vitest'
import type { TableClient } from '../table/table-client.ts'
import { sendOnce } from './send-once.ts'

test('after a conflict the same is sent again, since a try before it may have been made', async () => {
  const sent: TransactWriteItemsCommandInput[] = []
  const table = {
    random: () => 0,
    sleep: async () => undefined,
    async send({ input }: { readonly input: TransactWriteItemsCommandInput }) {
      sent.push(input)
      if (sent.length < 3) throw canceledTransaction(['TransactionConflict'])
      return {}
    },
  } as unknown as TableClient
  const write = { Delete: { TableName: 't', Key: { PK: { S: 'a' } } } }
  expect(await sendOnce(table, [write], 'token')).toEqual({ outcome: 'written' })
  expect(sent.map(({ ClientRequestToken }) => ClientRequestToken)).toEqual(['token', 'token', 'token'])
})
