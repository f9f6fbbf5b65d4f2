import { BatchWriteItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import { segments } from 'lapidary'
import { createMetrics } from 'lapidary-http/internal'
import { derivedDataReport, observeDerivedData, startDerivedData } from 'lapidary-http/internal/server'
import { pino } from 'pino'
import { afterAll, expect, test, vi } from 'vitest'
import { createSdkClient, dropTables, uniqueTableName } from '../../../test/engines/index.ts'
import { PATIENCE } from '../../../test/engines/patience.ts'
import { createApp } from '../src/app.ts'
import { createServices } from '../src/services.ts'
import { ADMIN, CHOSEN, engineOf, newComment, readAnswer, WRITER } from './test-app.ts'

const client = createSdkClient(engineOf(CHOSEN))
const [original, copy] = [uniqueTableName(), uniqueTableName()]
afterAll(() => dropTables(client, [original, copy]))

const servicesOf = (tableName: string) =>
  createServices({
    ...{ client, tableName, layout: CHOSEN, cursorSecret: 'a secret of the tests' },
    derived: { counts: true, pages: segments() },
    stream: { immediate: true },
  })

test('a table that was restored under another name, with a stream of its own, is told to be unready and makes itself right', async () => {
  const first = servicesOf(original)
  await first.database.table.create()
  await using counting = await first.database.stream.start()
  for (const id of ['1', '2', '3']) await first.comments.create({ productId: '42', id, ...newComment() } as never)
  await vi.waitUntil(async () => (await first.comments.count({ scope: '42' })).total === 3, PATIENCE)
  // A backup has everything of one moment, the library's own items too.
  const { Items = [] } = await client.send(new ScanCommand({ TableName: original, ConsistentRead: true }))
  await counting.close()

  const restored = servicesOf(copy)
  await restored.database.table.create()
  const MOST_WRITES = 25
  for (let i = 0; i < Items.length; i += MOST_WRITES) {
    const writes = Items.slice(i, i + MOST_WRITES).map((Item) => ({ PutRequest: { Item } }))
    await client.send(new BatchWriteItemCommand({ RequestItems: { [copy]: writes } }))
  }
  // A comment after the backup, which no process has counted.
  await restored.comments.create({ productId: '42', id: '4', ...newComment() } as never)

  const log: string[] = []
  const logger = pino({ level: 'info' }, { write: (line: string) => log.push(line) })
  const metrics = createMetrics({ process: false })
  await using poller = await startDerivedData(restored, logger)
  observeDerivedData(metrics, restored, poller)
  const app = createApp(restored, {
    ...{ tokens: { admin: ADMIN, writer: WRITER }, logger, metrics },
    readiness: { derivedData: () => derivedDataReport(restored, poller) },
  })
  const get = async (path: string) => readAnswer(await app.request(path))
  await vi.waitUntil(async () => (await get('/readyz')).status === 200, PATIENCE)
  await vi.waitUntil(async () => (await get('/products/42/statistics')).body.total === 4, PATIENCE)
  expect(log.filter((line) => line.includes('has lost changes'))).toHaveLength(1)
  await vi.waitUntil(() => log.some((line) => line.includes('are made up for')), PATIENCE)
  expect((await get('/products/42/comments?limit=1')).body.page).toMatchObject({ total: 4, count: 4 })
  expect((await get('/products/42/comments?limit=1&page=4')).body.items).toHaveLength(1)
  expect((await get('/metrics')).body).toContain('derived_data_gaps 0')
})
