import { CreateTableCommand, type CreateTableCommandInput, DeleteTableCommand } from '@aws-sdk/client-dynamodb'
import { createLapidary } from 'lapidary'
import { importItems } from 'lapidary/transfer'
import { describe, expect, test } from 'vitest'
import { createTestClient, testEngines, uniqueTableName } from '../../../test/engines/index.ts'
import { comment, comments } from './comments-fixture.ts'

const { version, updatedAt, ...NEW } = comment()

function tableOf(names: readonly [string, 'S' | 'N'][]): Omit<CreateTableCommandInput, 'TableName'> {
  return {
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: names.map(([AttributeName], i) => ({ AttributeName, KeyType: i === 0 ? 'HASH' : 'RANGE' })),
    AttributeDefinitions: names.map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
  }
}

describe.each(testEngines())('a table that is not as it is declared on $name', (engine) => {
  const client = createTestClient(engine)

  async function withTable(
    keys: readonly [string, 'S' | 'N'][],
    use: (calls: Readonly<Record<string, () => Promise<unknown>>>) => Promise<void>,
  ): Promise<void> {
    const TableName = uniqueTableName()
    await client.send(new CreateTableCommand({ ...tableOf(keys), TableName }))
    const options = { client, tableName: TableName, collections: { comments } }
    const { comments: feed } = createLapidary({ ...options, cursorSecret: 'a secret of the tests' })
    try {
      await use({
        get: () => feed.get('1'),
        getMany: () => feed.getMany(['1']),
        create: () => feed.create(NEW),
        'create once': () => feed.create(NEW, { idempotencyKey: 'k' }),
        patch: () => feed.patch('1', { text: 'x' }),
        delete: () => feed.delete('1'),
        list: () => feed.list({ scope: '42' }),
        'list again': () => feed.list({ scope: '42', where: { language: 'en' } }),
        import: () => importItems(feed, [NEW]),
      })
    } finally {
      await client.send(new DeleteTableCommand({ TableName }))
    }
  }
  const mismatch = { code: 'table_mismatch', message: expect.stringContaining('lapidary doctor') }

  test.each([
    [
      [
        ['pk', 'S'],
        ['sk', 'S'],
      ],
    ],
    [[['PK', 'S']]],
    [
      [
        ['PK', 'N'],
        ['SK', 'S'],
      ],
    ],
  ] as [[string, 'S' | 'N'][]][])('with the keys %j is a mismatch, not an error of the SDK', async (keys) => {
    await withTable(keys, async (calls) => {
      for (const [name, call] of Object.entries(calls)) {
        await expect(call(), name).rejects.toMatchObject(mismatch)
      }
    })
  })

  test('without its indexes is one for lists, the first and later ones', async () => {
    await withTable(
      [
        ['PK', 'S'],
        ['SK', 'S'],
      ],
      async (calls) => {
        for (const name of ['list', 'list again', 'list'])
          await expect(calls[name]?.(), name).rejects.toMatchObject(mismatch)
        await expect(calls.get?.()).rejects.toMatchObject({ code: 'not_found' })
      },
    )
  })

  test('that is absent is one too', async () => {
    const options = { client, tableName: uniqueTableName(), collections: { comments } }
    const { comments: feed } = createLapidary({ ...options, cursorSecret: 'a secret of the tests' })
    for (const call of [() => feed.get('1'), () => feed.create(NEW), () => feed.list({ scope: '42' })])
      await expect(call()).rejects.toMatchObject(mismatch)
  })
})
