import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { type CollectionContext, createLapidary, createTable, exportItems, tableFor } from 'lapidary'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestClient, testEngines, uniqueTableName } from '../../../../test/engines/index.ts'
import { type Comment, comments } from '../comment.ts'
import { fillDemoData, POPULAR_PRODUCTS } from './fill-demo-data.ts'

describe('demo data', () => {
  let client: DynamoDBClient
  beforeAll(() => {
    const [engine] = testEngines()
    if (engine !== undefined) client = createTestClient(engine)
  })
  afterAll(() => client.destroy())

  async function emptyTable(): Promise<ReturnType<typeof createLapidary<{ comments: typeof comments }>>['comments']> {
    const options = { tableName: uniqueTableName(), collections: { comments } }
    await createTable(client, tableFor(options))
    return createLapidary({ client, cursorSecret: 'sixteen-characters', ...options }).comments
  }

  async function count(context: CollectionContext<Comment>): Promise<number> {
    let items = 0
    for await (const page of exportItems(context)) items += page.length
    return items
  }

  it('fills an empty table once, and what a crash interrupted again', async () => {
    const { context, list, delete: remove } = await emptyTable()
    const stop = new AbortController()
    const first = await fillDemoData(context, {
      signal: stop.signal,
      onProgress: ({ written }) => written > 500 && stop.abort(),
    })
    expect(first).toBeLessThan(5000)
    const seen: number[] = []
    expect(await fillDemoData(context, { onProgress: ({ written }) => void seen.push(written) })).toBe(5000)
    expect(seen.at(-1)).toBe(5000)
    expect(await count(context)).toBe(5000)
    const page = await list({ scope: POPULAR_PRODUCTS[0] ?? '' })
    expect(page.items).toHaveLength(20)
    await remove(page.items[0]?.id ?? '')
    expect(await fillDemoData(context)).toBe(0)
    expect(await count(context)).toBe(4999)
  }, 60_000)

  it('leaves a table alone in which somebody has written', async () => {
    const { context, create } = await emptyTable()
    await create({ productId: '1', language: 'en', rating: 5, title: '', text: 'mine', author: 'me' })
    expect(await fillDemoData(context)).toBe(0)
    expect(await count(context)).toBe(1)
  })
})
