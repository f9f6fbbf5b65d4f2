import { type DynamoDBClient, PutItemCommand, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { createFaultKit, type FaultRates } from 'lapidary-testing'
import { expect, test } from 'vitest'

const Item = { PK: { S: 'a' }, SK: { S: '~' } }
const single = (): object => new PutItemCommand({ TableName: 't', Item })
const transaction = (): object =>
  new TransactWriteItemsCommand({
    TransactItems: [{ Put: { TableName: 't', Item } }, { Delete: { TableName: 't', Key: Item } }],
  })

const THROTTLED = ['ProvisionedThroughputExceededException', 'RequestLimitExceeded', 'ThrottlingException']
const DENIED = [
  'AccessDeniedException',
  'CredentialsProviderError',
  'ExpiredTokenException',
  'InvalidSignatureException',
  'UnrecognizedClientException',
]

test.each<[Partial<FaultRates>, string, () => object, readonly string[]]>([
  [
    { throttled: 0.7 },
    'transaction',
    transaction,
    ['ProvisionedThroughputExceeded', 'ThrottlingError', 'TransactionCanceledException'],
  ],
  [{ throttled: 0.7 }, 'put', single, THROTTLED],
  [{ conflicted: 1 }, 'transaction', transaction, ['TransactionCanceledException', 'TransactionConflict']],
  [{ conflicted: 1 }, 'put', single, ['ReplicatedWriteConflictException', 'TransactionConflictException']],
  [{ full: 1 }, 'transaction', transaction, ['ItemCollectionSizeLimitExceeded', 'TransactionCanceledException']],
  [{ full: 1 }, 'put', single, ['ItemCollectionSizeLimitExceededException']],
  [{ denied: 1 }, 'transaction', transaction, DENIED],
  [{ denied: 1 }, 'put', single, DENIED],
  [{ underWay: 1 }, 'transaction', transaction, ['TransactionInProgressException']],
  [{ underWay: 1 }, 'put', single, []],
])('%j refuses a %s as DynamoDB does', async (rates, _, command, names) => {
  const faults = createFaultKit({ seed: 7, rates })
  const client = faults.dynamodb({ send: async () => ({}) } as unknown as DynamoDBClient)
  const told = new Set<string>()
  for (let i = 0; i < 60; i++) {
    await client.send(command() as never).catch(({ name, CancellationReasons = [] }) => {
      told.add(name)
      for (const { Code } of CancellationReasons) if (Code !== 'None') told.add(Code)
    })
  }
  expect([...told].sort()).toEqual(names)
})

test('a transaction that is under way is made afterwards, once', async () => {
  let made = 0
  const faults = createFaultKit({ seed: 7, rates: { underWay: 1 } })
  const send = async (): Promise<void> => {
    made += 1
  }
  const client = faults.dynamodb({ send } as unknown as DynamoDBClient)
  await expect(client.send(transaction() as never)).rejects.toMatchObject({ name: 'TransactionInProgressException' })
  expect(made).toBe(0)
  await faults.landed()
  expect(made).toBe(1)
})
