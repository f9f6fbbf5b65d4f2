import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb'
import { clientConfig } from 'lapidary-engine'
import { connectionReset, intercepted, startHostileProxy } from 'lapidary-testing'
import { describe, expect, test } from 'vitest'
import { createSdkClient, testEngines, uniqueTableName } from '../../../test/engines/index.ts'
import { createLapidary } from '../src/index.ts'
import { comments } from './comments-fixture.ts'

describe.each(testEngines())('a table is created whole on $name', (engine) => {
  test.each([
    ['CreateTable', CreateTableCommand],
    ['UpdateTimeToLive', UpdateTimeToLiveCommand],
  ])('where the answer to %s was lost', async (_, Lost) => {
    let [lost, asked] = [0, 0]
    await using proxy = await startHostileProxy({
      ...{ target: engine.endpoint, seed: 7, rates: {} },
      through: (client) =>
        intercepted<DynamoDBClient>(client, async (command, send) => {
          if (command instanceof CreateTableCommand) asked += 1
          const answer = await send(command)
          if (command instanceof Lost && lost++ === 0) throw connectionReset()
          return answer
        }),
    })
    const client = new DynamoDBClient(clientConfig(proxy.endpoint, {}))
    const direct = createSdkClient(engine)
    const tableName = uniqueTableName()
    const create = createLapidary({
      client,
      tableName,
      collections: { comments },
      cursorSecret: 'a secret of the tests',
    })
    await create.table.create()
    const { TimeToLiveDescription } = await direct.send(new DescribeTimeToLiveCommand({ TableName: tableName }))
    expect(TimeToLiveDescription).toMatchObject({ TimeToLiveStatus: 'ENABLED' })
    expect(lost).toBeGreaterThan(0)
    // One that is there is not asked for: its lost answer would make it new, and all that is derived were made again.
    const before = asked
    expect(await create.table.create()).toBe(false)
    expect(asked).toBe(before)
    await direct.send(new DeleteTableCommand({ TableName: tableName }))
    for (const each of [client, direct]) each.destroy()
  })
})
