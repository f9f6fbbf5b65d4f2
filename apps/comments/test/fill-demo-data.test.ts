import { type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { type CollectionContext, createLapidary } from 'lapidary'
import { exportItems } from 'lapidary/transfer'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSdkClient, dropTables, testEngines, uniqueTableName } from '../../../test/engines/index.ts'
import { type Comment, comments } from '../src/comment.ts'
import { fillDemoData, POPULAR_PRODUCTS } from '../src/demo/fill-demo-data.ts'

/** A small number; one test has the real one. */
const FEW = { comments: 60 }

describe('demo data', () => {
  let client: DynamoDBClient
  const tableNames: string[] = []
  beforeAll(() => {
    const [engine] = testEngines()
    if (engine !== undefined) client = createSdkClient(engine)
  })
  afterAll(() => dropTables(client, tableNames))

  async function emptyTable(): Promise<ReturnType<typeof createLapidary<{ comments: typeof comments }>>['comments']> {
    const options = { tableName: uniqueTableName(), collections: { comments } }
    const lapidary = createLapidary({ client, cursorSecret: 'sixteen-characters', ...options })
    await lapidary.table.create()
    tableNames.push(options.tableName)
    return lapidary.comments
  }

  async function count(context: CollectionContext<Comment>): Promise<number> {
    let items = 0
    for await (const page of exportItems({ context })) items += page.length
    return items
  }

  it('fills an empty table once, and what a crash interrupted again', async () => {
    const { context, list, delete: remove } = await emptyTable()
    const stop = new AbortController()
    const first = await fillDemoData(
      { context },
      {
        signal: stop.signal,
        onProgress: ({ written }) => written > 500 && stop.abort(),
      },
    )
    expect(first).toBeLessThan(5000)
    const seen: number[] = []
    expect(await fillDemoData({ context }, { onProgress: ({ written }) => void seen.push(written) })).toBe(5000)
    expect(seen.at(-1)).toBe(5000)
    expect(await count(context)).toBe(5000)
    const page = await list({ scope: POPULAR_PRODUCTS[0] ?? '' })
    expect(page.items).toHaveLength(20)
    await remove(page.items[0]?.id ?? '')
    expect(await fillDemoData({ context })).toBe(0)
    expect(await count(context)).toBe(4999)
  })

  it('leaves a table alone that has items already', async () => {
    const { context, create } = await emptyTable()
    await create({ productId: '1', language: 'en', rating: 5, title: '', text: 'mine', author: 'me' })
    expect(await fillDemoData({ context })).toBe(0)
    expect(await count(context)).toBe(1)
  })

  it('fills a table in which only the change stream has written', async () => {
    const { context } = await emptyTable()
    const { table } = context
    const checkpoints = Array.from({ length: 120 }, (_, shard) => `~STREAM#shardId-${shard}`)
    for (const PK of [...checkpoints, 'PRODUCT#42']) {
      await table.send(new PutItemCommand({ TableName: table.tableName, Item: { PK: { S: PK }, SK: { S: '~' } } }))
    }
    expect(await fillDemoData({ context }, FEW)).toBe(60)
  })

  it('lets two servers begin at the same time, and fills in after both were stopped', async () => {
    const { context } = await emptyTable()
    const stopped = { ...FEW, signal: AbortSignal.abort() }
    await Promise.all([fillDemoData({ context }, stopped), fillDemoData({ context }, stopped)])
    expect(await fillDemoData({ context }, FEW)).toBe(60)
    expect(await fillDemoData({ context }, FEW)).toBe(0)
  })
})
