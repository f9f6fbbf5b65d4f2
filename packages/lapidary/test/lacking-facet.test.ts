import { PutItemCommand } from '@aws-sdk/client-dynamodb'
import { anyOf, defineCollection } from 'lapidary'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { testEngines } from '../../../test/engines/index.ts'
import { openTestTable } from './test-table.ts'

const sales = defineCollection({
  name: 'SALE',
  schema: z.object({
    id: z.string(),
    shop: z.string(),
    at: z.string(),
    channel: z.enum(['web', 'till']),
    note: z.string(),
    total: z.number(),
  }),
  id: 'id',
  scope: { name: 'SHOP', attribute: 'shop' },
  order: 'at',
  facets: { channel: anyOf(['web', 'till']) },
})

test('a patch of an item that was stored before an attribute was required says so', async () => {
  const [engine] = testEngines()
  if (engine === undefined) throw new Error('no engine')
  await using table = await openTestTable(engine, { sales })
  const { sales: client } = table.lapidary
  const sale = { id: '1', shop: 's', at: '2026-01-01T00:00:00.000Z', channel: 'web', note: 'n', total: 1 } as const
  const [{ Put } = {}] = (await client.writes.create(sale)).writes
  const { channel: _, note: __, ...former } = Put?.Item ?? {}
  await table.client.send(new PutItemCommand({ TableName: table.tableName, Item: former }))
  const FILL = ', or fill it in all items that lack it (lapidary backfill --fill channel=…)'
  const refused = await client.patch('1', { total: 'x' as never }).catch((error) => error)
  expect(refused).toMatchObject({ code: 'unprocessable' })
  expect(refused.details.errors).toEqual([
    {
      path: 'channel',
      message: expect.stringMatching(/option.*; the stored item has none: give one with the change, or/),
    },
    { path: 'note', message: expect.stringMatching(/; the stored item has none: give one with the change$/) },
    { path: 'total', message: expect.not.stringContaining('stored') },
  ])
  expect(refused.message).toContain(FILL)
  expect(await client.patch('1', { channel: 'till', note: '' })).toMatchObject({ channel: 'till', total: 1 })
})
