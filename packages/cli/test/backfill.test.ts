import { DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CliHome, openCliHome } from './run-cli.ts'

describe('lapidary backfill', () => {
  let home: CliHome
  let client: DynamoDBClient
  beforeAll(async () => {
    home = await openCliHome()
    client = new DynamoDBClient(home.engine.clientConfig)
    expect((await home.run(['generate', '--products', '2', '--comments', '60', '--seed', '1'])).code).toBe(0)
  })
  afterAll(async () => {
    client.destroy()
    await home[Symbol.asyncDispose]()
  })

  it('completes an index that doctor calls filling, and a deployment waits for', async () => {
    expect(await home.run(['doctor', '--check'])).toMatchObject({ code: 0, stdout: '' })
    // As if it had been declared an hour ago.
    await client.send(
      new UpdateItemCommand({
        TableName: 'comments',
        Key: { PK: { S: '~INDEXES#COMMENT' }, SK: { S: '~' } },
        UpdateExpression: 'SET #i.byRating.#s = :filling, #i.byRating.since = :since ADD revision :one',
        ExpressionAttributeNames: { '#i': 'indexes', '#s': 'state' },
        ExpressionAttributeValues: {
          ':filling': { S: 'filling' },
          ':since': { N: String(Date.now() - 3_600_000) },
          ':one': { N: '1' },
        },
      }),
    )
    const check = await home.run(['doctor', '--check'])
    expect([check.code, check.stdout]).toEqual([
      1,
      'WRONG  indexes: byRating of COMMENT is filling, so no list is read from it\n       do: lapidary backfill --index byRating\n',
    ])
    const dry = await home.run(['backfill', '--index', 'byRating', '--dry-run'])
    expect([dry.code, dry.stdout]).toEqual([0, expect.stringContaining('60 items of COMMENT read, 0 to be written')])
    const done = await home.run(['backfill', '--index', 'byRating', '--json'])
    expect(done.code).toBe(0)
    expect(JSON.parse(done.stdout)).toMatchObject({
      complete: true,
      collections: [{ collection: 'COMMENT', items: 60, written: 0, indexes: [{ name: 'byRating', state: 'ready' }] }],
    })
    expect((await home.run(['doctor', '--check'])).code).toBe(0)
  })

  it('says what it can not fill', async () => {
    const unknown = await home.run(['backfill', '--index', 'byColour'])
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('declares no index "byColour"')])
    const facet = await home.run(['backfill', '--fill', 'colour=red'])
    expect([facet.code, facet.stderr]).toEqual([1, expect.stringContaining('colour: is neither a facet')])
    expect((await home.run(['backfill', '--fill', 'colour'])).code).toBe(2)
  })
})
