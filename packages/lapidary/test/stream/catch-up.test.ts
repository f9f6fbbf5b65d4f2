import { GetItemCommand } from '@aws-sdk/client-dynamodb'
import { seededRandom } from 'lapidary-testing'
import { expect, test } from 'vitest'
import { type TestEngine, testEngines } from '../../../../test/engines/index.ts'
import { keyEntry } from '../../src/derived/guarded-write.ts'
import { maintenanceSetting, writeAtRandom } from '../recount/maintenance-setting.ts'

const [engine] = testEngines() as [TestEngine]

test('catching up counts what is waiting, gives the shards back and notes when it was', async () => {
  await using setting = await maintenanceSetting(engine)
  await writeAtRandom(setting.reviews, seededRandom(1), 40)
  const began = Date.now()
  await setting.database.stream.catchUp({ idleMs: 20 })
  const { shards, pending } = await setting.database.stream.report()
  expect(pending).toBe(0)
  expect(shards.map(({ owner }) => owner)).toEqual([undefined])
  expect(await setting.database.derived.verify(setting.options)).toMatchObject({ differences: [], pending: 0 })
  const Key = keyEntry({ PK: '~HEARTBEAT', SK: '~' })
  const { Item } = await setting.client.send(new GetItemCommand({ TableName: setting.tableName, Key }))
  expect(Number(Item?.caughtUpAt?.N)).toBeGreaterThanOrEqual(began)
})

test('what changes no count is not told of as waiting to be counted', async () => {
  await using setting = await maintenanceSetting(engine)
  const at = (day: number): string => new Date(Date.UTC(2026, 0, day)).toISOString()
  await setting.reviews.create({ id: 'r', shopId: 'a', language: 'en', stars: 5, at: at(1) })
  await setting.database.stream.catchUp({ idleMs: 20 })
  await setting.reviews.patch('r', { at: at(2) })
  expect(await setting.database.stream.report()).toMatchObject({ pending: 0, pendingSince: undefined })
  await setting.reviews.patch('r', { at: at(3), stars: 4 })
  expect(await setting.database.stream.report()).toMatchObject({ pending: 1 })
})
