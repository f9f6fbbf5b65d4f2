import { DeleteItemCommand, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { seededRandom } from 'lapidary-testing'
import { describe, expect, it } from 'vitest'
import { testEngines } from '../../../../test/engines/index.ts'
import { countsPartition, placesPartition, withoutDigest } from '../derived-keys.ts'
import {
  type MaintenanceSetting,
  maintenanceSetting,
  reviews,
  untilCounted,
  writeAtRandom,
} from './maintenance-setting.ts'

const COUNTS = countsPartition(reviews, 'a')
const PLACES = placesPartition(reviews, 'best', 'a')
const key = (PK: string, SK: string) => ({ PK: { S: PK }, SK: { S: SK } })

async function counted(setting: MaintenanceSetting, writes = 120, seed = 1): Promise<void> {
  await writeAtRandom(setting.reviews, seededRandom(seed), writes)
  await using _poller = await setting.poller()
  await untilCounted(() => setting.database.derived.verify(setting.options))
}

for (const engine of testEngines()) {
  describe(`verify and repair on ${engine.name}`, () => {
    it('finds nothing after random writes, counted or not yet', async () => {
      await using setting = await maintenanceSetting(engine)
      await counted(setting)
      await writeAtRandom(setting.reviews, seededRandom(2), 30, 'later')
      const found = await setting.database.derived.verify(setting.options)
      expect(found.differences).toEqual([])
      expect(found.pending).toBeGreaterThan(0)
      expect(found.items).toBeGreaterThan(50)
    })

    it('finds exactly the counter that was spoilt, and mends nothing else', async () => {
      await using setting = await maintenanceSetting(engine)
      await counted(setting)
      const before = await setting.contents()
      await setting.client.send(
        new UpdateItemCommand({
          TableName: setting.tableName,
          Key: key(COUNTS, 'en'),
          UpdateExpression: 'ADD count_5 :n',
          ExpressionAttributeValues: { ':n': { N: '3' } },
        }),
      )
      const spoilt = await setting.contents()
      const { differences } = await setting.database.derived.verify(setting.options)
      const right = before.get(`${COUNTS} en`)?.count_5?.N ?? '0'
      expect(differences).toEqual([
        {
          kind: 'wrong',
          projection: 'counts',
          collection: 'REVIEW',
          target: { PK: COUNTS, SK: 'en' },
          name: 'count_5',
          expected: right,
          actual: String(Number(right) + 3),
        },
      ])
      const repair = await setting.database.derived.repair(setting.options)
      expect(repair).toMatchObject({ mended: 1, differenceCount: 1 })
      const after = await setting.contents()
      const { rev: _, ...mended } = after.get(`${COUNTS} en`) ?? {}
      const { rev: __, ...original } = before.get(`${COUNTS} en`) ?? {}
      expect(mended).toEqual(original)
      for (const contents of [spoilt, after]) contents.delete(`${COUNTS} en`)
      expect(after).toEqual(spoilt)
    })

    it('tells missing, dangling and wrong items of both kinds apart, and mends them', async () => {
      await using setting = await maintenanceSetting(engine)
      await counted(setting)
      const before = await setting.contents()
      const { client, tableName: TableName } = setting
      await client.send(new DeleteItemCommand({ TableName, Key: key(COUNTS, 'de') }))
      await client.send(new DeleteItemCommand({ TableName, Key: key(placesPartition(reviews, 'best', 'b'), 'best') }))
      await client.send(
        new PutItemCommand({
          TableName,
          Item: { ...key(countsPartition(reviews, 'gone'), '~'), count_total: { N: '4' } },
        }),
      )
      await client.send(new PutItemCommand({ TableName, Item: { ...key(PLACES, 'best#xx'), count: { N: '3' } } }))
      await client.send(new PutItemCommand({ TableName, Item: { ...key(PLACES, 'undeclared'), kAll: { S: 'x' } } }))
      const wrong = before.get(`${PLACES} best#en`) ?? {}
      await client.send(new PutItemCommand({ TableName, Item: { ...wrong, extra: { S: 'x' } } }))
      const { differences } = await setting.database.derived.verify(setting.options)
      const told = new Set(
        differences.map(
          ({ kind, projection, target }) => `${kind} ${projection} ${withoutDigest(target.PK)} ${target.SK}`,
        ),
      )
      expect([...told].sort()).toEqual([
        'dangling counts ~counts#REVIEW#gone ~',
        'dangling leaderboards ~leaders#REVIEW#a best#xx',
        'dangling leaderboards ~leaders#REVIEW#a undeclared',
        'missing counts ~counts#REVIEW#a de',
        'missing leaderboards ~leaders#REVIEW#b best',
        'wrong leaderboards ~leaders#REVIEW#a best#en',
      ])
      await setting.database.derived.repair(setting.options)
      const after = await setting.contents()
      for (const contents of [before, after]) {
        for (const entry of contents.values()) {
          delete entry.rev
          delete entry.asOf
        }
      }
      expect(after).toEqual(before)
      expect((await setting.database.derived.verify(setting.options)).differences).toEqual([])
    })

    it('rebuilds from nothing while writes go on', async () => {
      await using setting = await maintenanceSetting(engine)
      await counted(setting, 100)
      const contents = await setting.contents()
      for (const entry of contents.values()) {
        if (entry.PK?.S?.startsWith('~') !== true) continue
        const Key = key(entry.PK.S, entry.SK?.S ?? '')
        await setting.client.send(new DeleteItemCommand({ TableName: setting.tableName, Key }))
      }
      const stop = new AbortController()
      const writing = writeAtRandom(setting.reviews, seededRandom(3), 10_000, 'live', stop.signal)
      const rebuild = await setting.database.derived.rebuild(undefined, setting.options)
      stop.abort()
      await writing
      expect(rebuild.mended).toBeGreaterThan(0)
      await using _poller = await setting.poller()
      await untilCounted(() => setting.database.derived.verify(setting.options))
      expect((await setting.database.derived.verify(setting.options)).differences).toEqual([])
    })
  })
}
