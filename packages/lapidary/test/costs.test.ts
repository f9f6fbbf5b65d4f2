import { QueryCommand } from '@aws-sdk/client-dynamodb'
import { createLapidary } from 'lapidary'
import { describe, expect, test } from 'vitest'
import { testEngines } from '../../../test/engines/index.ts'
import { entryBytes } from '../src/model/entry.ts'
import { exactSize, readPrice } from '../src/planner/entry-size.ts'
import { type Comment, comment, comments } from './comments-fixture.ts'
import { openTestTable, type TestTable } from './test-table.ts'

type Table = TestTable<{ comments: typeof comments }>

/** Comments of one minute each, half of them rated 5, with the rest spread. */
async function fill({ lapidary }: Table, count: number, textOf: (i: number) => string): Promise<void> {
  const ratings = [5, 4, 5, 3, 5, 2, 5, 1] as const
  const all = Array.from({ length: count }, (_, i): Comment => {
    const createdAt = new Date(Date.UTC(2024, 0, 1) + i * 60_000).toISOString()
    return comment({ id: String(100_000 + i), createdAt, text: textOf(i), rating: ratings[i % 8] ?? 5 })
  })
  for (let i = 0; i < count; i += 50)
    await Promise.all(all.slice(i, i + 50).map(({ version, updatedAt, ...sent }) => lapidary.comments.create(sent)))
}

describe.each(testEngines())('costs on $name', (engine) => {
  test('a page from one list costs half a unit for each 4 KB of what it reads, and one round', async () => {
    await using table = await openTestTable(engine, { comments })
    await fill(table, 60, () => 'x'.repeat(250))
    const { items, plan } = await table.lapidary.comments.list({ scope: '42', where: { language: 'en' }, limit: 20 })
    expect(items).toHaveLength(20)
    expect(plan.actual).toMatchObject({ rounds: 1, requests: 1, itemsRead: 21 })
    expect(plan.actual?.rcu).toBe(0.5 * Math.ceil((plan.actual?.bytes ?? 0) / 4096))
  })

  test('a page at depth 50 costs what the first page costs', async () => {
    await using table = await openTestTable(engine, { comments })
    await fill(table, 260, () => 'x'.repeat(250))
    for (const where of [{ language: 'en' }, { language: 'en', rating: [3, 5] as const }]) {
      const query = { scope: '42', where, limit: 2 }
      const first = await table.lapidary.comments.list(query)
      let page = first
      for (let depth = 2; depth <= 50; depth++)
        page = await table.lapidary.comments.list({ ...query, cursor: page.cursors.next ?? '' })
      expect(page.items).toHaveLength(2)
      expect(page.plan.actual?.rcu).toBe(first.plan.actual?.rcu)
      expect(page.plan.actual?.rounds).toBe(1)
      expect(page.plan.actual?.itemsRead).toBe(first.plan.actual?.itemsRead)
    }
  })

  test('a page in a range reads at every depth what it shows and one item more: none is read twice', async () => {
    await using table = await openTestTable(engine, { comments })
    await fill(table, 100, () => 'x'.repeat(250))
    const query = {
      scope: '42',
      where: { language: 'en' },
      from: '2024-01-01T00:00:00.000Z',
      to: '2024-01-02T00:00:00.000Z',
      limit: 5,
    }
    let page = await table.lapidary.comments.list(query)
    expect(page.plan.actual).toMatchObject({ rounds: 1, itemsRead: 6 })
    for (let depth = 2; depth <= 10; depth++) {
      page = await table.lapidary.comments.list({ ...query, cursor: page.cursors.next ?? '' })
      expect(page.items).toHaveLength(5)
      expect(page.plan.actual).toMatchObject({ rounds: 1, itemsRead: 6 })
    }
  })

  test('an empty list costs half a unit, an empty question nothing', async () => {
    await using table = await openTestTable(engine, { comments })
    // DynamoDB charges for the partition that it searched; DynamoDB Local does not.
    const rcu = engine.name === 'embedded' ? 0.5 : 0
    const empty = await table.lapidary.comments.list({ scope: 'nobody', where: { language: 'en' } })
    expect(empty).toMatchObject({
      items: [],
      cursors: { next: null, previous: null },
      plan: { actual: { rcu, requests: 1 } },
    })
    const none = await table.lapidary.comments.list({ scope: '42', where: { rating: [] } })
    expect(none).toMatchObject({ items: [], plan: { actual: { rcu: 0, requests: 0, rounds: 0 } } })
  })

  test('bytes and capacity are what the engine reports', async () => {
    await using table = await openTestTable(engine, { comments })
    await fill(table, 30, (i) => 'é\u{1F600}a'.repeat(10 + i * 7))
    const { Items = [], ConsumedCapacity } = await table.client.send(
      new QueryCommand({
        TableName: table.tableName,
        IndexName: 'all',
        KeyConditionExpression: 'k = :k',
        ExpressionAttributeValues: { ':k': { S: 'PRODUCT#42' } },
        ReturnConsumedCapacity: 'TOTAL',
      }),
    )
    const bytes = Items.reduce((sum, entry) => sum + entryBytes(entry), 0)
    expect(Math.abs((ConsumedCapacity?.CapacityUnits ?? 0) - 0.5 * Math.ceil(bytes / 4096))).toBeLessThanOrEqual(0.5)
  })

  test('a merge costs what its plan expects, within what chance makes of it', async () => {
    await using table = await openTestTable(engine, { comments })
    await fill(table, 200, () => 'x'.repeat(250))
    const { plan } = await table.lapidary.comments.list({ scope: '42', where: { language: 'en', rating: [1, 2, 3] } })
    const { actual, estimated } = plan
    expect(actual?.rcu).toBeLessThanOrEqual(2 * estimated.rcu)
    expect(actual?.rcu).toBeGreaterThanOrEqual(0.5 * 3)
    expect(plan.tree.inputs[0]?.inputs.map(({ actual: source }) => source?.requests)).toEqual([1, 1, 1])
    expect(estimated.rcu).toBeGreaterThanOrEqual(readPrice(20, exactSize(comments.itemBytes)))
  })

  test('a cap holds on lists that were never read, whatever their entries weigh', async () => {
    await using table = await openTestTable(engine, { comments })
    await fill(table, 60, () => 'x'.repeat(40_000))
    const filters = [{}, { language: 'en' }, { rating: [5] }, { rating: [4, 5] }, { language: 'en', rating: [1, 2, 3] }]
    for (const where of filters as { readonly rating?: readonly (1 | 2 | 3 | 4 | 5)[] }[]) {
      const { items, plan, cursors } = await unread(table).list({ scope: '42', where, limit: 50, maxCapacity: 50 })
      expect(plan.actual?.rcu).toBeLessThanOrEqual(50)
      expect(items.length).toBeGreaterThan(0)
      expect(cursors.next).not.toBeNull()
    }
  })

  test('a cap costs nothing where entries weigh what is declared', async () => {
    await using table = await openTestTable(engine, { comments })
    await fill(table, 60, () => 'x'.repeat(250))
    const query = { scope: '42', where: { language: 'en' }, limit: 20 }
    const free = await unread(table).list(query)
    const client = unread(table)
    const first = await client.list({ ...query, maxCapacity: 50 })
    expect(first.items).toEqual(free.items)
    expect(first.plan.actual?.rcu).toBe(free.plan.actual?.rcu)
    // The client knows what it has read once.
    const again = await client.list({ ...query, maxCapacity: 50 })
    expect(again.plan.actual).toMatchObject({ rounds: 1, rcu: free.plan.actual?.rcu })
  })
})

/** A client that has read nothing yet. */
function unread({ client, tableName }: Table): Table['lapidary']['comments'] {
  const cursorSecret = 'a secret of the tests'
  return createLapidary({ client, tableName, collections: { comments }, cursorSecret }).comments
}
