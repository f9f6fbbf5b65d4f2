import { BatchGetItemCommand, PutItemCommand, ScanCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import type { MaintenanceProgress, Verification } from 'lapidary'
import { intercepted } from 'lapidary-testing'
import { expect, test } from 'vitest'
import { testEngines } from '../../../../test/engines/index.ts'
import { countsPartition, withoutDigest } from '../derived-keys.ts'
import { count, type MaintenanceSetting, maintenanceSetting, reviews } from './maintenance-setting.ts'

const [engine] = testEngines()
if (engine === undefined) throw new Error('no test engine')

const key = (PK: string, SK: string) => ({ PK: { S: PK }, SK: { S: SK } })
const countsOf = (shop: string) => key(countsPartition(reviews, shop), '~')
const NONE = { differenceCount: 0, differences: [], gaps: [], deadLetters: 0 }

/** Reviews of so many shops, three of each. */
async function reviewed(setting: MaintenanceSetting, shops: number): Promise<void> {
  for (let i = 0; i < 3 * shops; i++) {
    const at = new Date(1_700_000_000_000 + i).toISOString()
    await setting.reviews.create({ id: `r${i}`, shopId: `shop${i % shops}`, language: 'en', stars: 1 + (i % 5), at })
  }
}

async function spoil({ client, tableName }: MaintenanceSetting, shop: string): Promise<void> {
  await client.send(
    new UpdateItemCommand({
      ...{ TableName: tableName, Key: countsOf(shop) },
      UpdateExpression: 'ADD count_1 :n',
      ExpressionAttributeValues: { ':n': { N: '1' } },
    }),
  )
}
const spoilt = ({ differences }: Verification): string[] => differences.map(({ target }) => withoutDigest(target.PK))

test('a sample is of as many scopes as were asked for, and of all where there are fewer', async () => {
  await using setting = await maintenanceSetting(engine)
  await reviewed(setting, 5)
  await count(setting)
  const { derived } = setting.database
  const told: MaintenanceProgress[] = []
  const two = await derived.verify({ ...setting.options, sample: 2, onProgress: (each) => told.push(each) })
  // Each shop has an item of counts for all and one for its language, and some have a place on the board, with one for the language.
  expect(two).toMatchObject({ ...NONE, items: 6, compared: 0, uncountable: 0 })
  expect(two.targets).toBeGreaterThanOrEqual(4)
  const all = await derived.verify({ ...setting.options, sample: 100 })
  expect(all).toMatchObject({ ...NONE, items: 15 })
  const whole = await derived.verify(setting.options)
  expect([all.targets, all.items]).toEqual([whole.targets, whole.items])
  expect(all.notVerified).toEqual([])
})

test('what is wrong in a scope of a sample is told once, and what is wrong elsewhere is not', async () => {
  await using setting = await maintenanceSetting(engine)
  await reviewed(setting, 3)
  await count(setting)
  await spoil(setting, 'shop1')
  const told: string[] = []
  const found = await setting.database.derived.verify({
    ...{ ...setting.options, sample: 100 },
    onDifference: ({ name }) => void told.push(name),
  })
  expect(found).toMatchObject({ differenceCount: 1, items: 9, compared: 1 })
  expect([spoilt(found), told]).toEqual([['~counts#REVIEW#shop1'], ['count_1']])
  expect(found.differences).toMatchObject([{ kind: 'wrong', name: 'count_1', projection: 'counts' }])
})

test('a scope that has derived data and no item is found by that', async () => {
  await using setting = await maintenanceSetting(engine)
  await reviewed(setting, 1)
  await count(setting)
  await setting.client.send(
    new PutItemCommand({
      TableName: setting.tableName,
      Item: { ...countsOf('ghost'), count_total: { N: '2' }, count_4: { N: '2' } },
    }),
  )
  const found = await setting.database.derived.verify({ ...setting.options, sample: 100 })
  expect(new Set(spoilt(found))).toEqual(new Set(['~counts#REVIEW#ghost']))
  expect(found.differences.map(({ kind, name }) => [kind, name])).toEqual([
    ['dangling', 'count_4'],
    ['dangling', 'count_total'],
  ])
})

test('of a scope every item is read, however many, and what follows no projection is not', async () => {
  await using setting = await maintenanceSetting(engine)
  const at = (i: number): string => new Date(1_700_000_000_000 + i).toISOString()
  for (let i = 0; i < 230; i++) {
    await setting.reviews.create({ id: `r${i}`, shopId: 'big', language: 'en', stars: 5, at: at(i) })
  }
  await count(setting)
  expect(await setting.database.derived.verify({ ...setting.options, sample: 1 })).toMatchObject({
    ...NONE,
    items: 230,
  })
})

test('of what changed since a time the scopes are verified, those of both images', async () => {
  await using setting = await maintenanceSetting(engine)
  await reviewed(setting, 4)
  await count(setting)
  for (const shop of ['shop0', 'shop1', 'shop2', 'shop3']) await spoil(setting, shop)
  const { derived } = setting.database
  const all = await derived.verify({ ...setting.options, since: Date.now() - 3_600_000 })
  expect(spoilt(all).sort()).toEqual([0, 1, 2, 3].map((i) => `~counts#REVIEW#shop${i}`))
  expect(all.items).toBe(12)
  expect(await derived.verify({ ...setting.options, since: Date.now() + 3_600_000 })).toMatchObject({
    ...{ ...NONE, items: 0, targets: 0 },
  })
  const stop = AbortSignal.abort()
  await expect(derived.verify({ ...setting.options, since: 0, signal: stop })).rejects.toThrow()
})

test('index keys that are missing, wrong or one too many are told of each item', async () => {
  await using setting = await maintenanceSetting(engine)
  await reviewed(setting, 1)
  await count(setting)
  const { client, tableName: TableName } = setting
  const update = (id: string, UpdateExpression: string, value?: string) =>
    client.send(
      new UpdateItemCommand({
        ...{ TableName, Key: key(`REVIEW#${id}`, '~'), UpdateExpression },
        ...(value === undefined ? {} : { ExpressionAttributeValues: { ':v': { S: value } } }),
      }),
    )
  const names = setting.reviews.context.layout.indexes.flatMap(({ keys }) =>
    [...keys.partition, ...keys.sort].map(({ name }) => name),
  )
  const [first = ''] = names
  await update('r0', `REMOVE ${first}`)
  await update('r1', `SET ${first} = :v`, 'elsewhere')
  const found = await setting.database.derived.verify(setting.options)
  const ofKeys = found.differences.filter(({ projection }) => projection === 'keys')
  expect(ofKeys.map(({ kind, target, name, actual }) => [kind, target.PK, name, actual])).toEqual(
    expect.arrayContaining([
      ['missing', 'REVIEW#r0', first, null],
      ['wrong', 'REVIEW#r1', first, 'elsewhere'],
    ]),
  )
  expect(ofKeys).toHaveLength(2)
  expect(found.differenceCount).toBe(2)
  expect(ofKeys.every(({ collection, expected }) => collection === 'REVIEW' && expected !== null)).toBe(true)
})

test('a sample reads parts of the table in an order by chance, each once, and no item by itself', async () => {
  await using setting = await maintenanceSetting(engine)
  await reviewed(setting, 2)
  await count(setting)
  const parts: (number | undefined)[] = []
  let of: number | undefined
  let items = 0
  const watched = intercepted<typeof setting.client>(setting.client, (command, send) => {
    if (command instanceof ScanCommand) {
      parts.push(command.input.Segment)
      of = command.input.TotalSegments
    }
    const { Keys = [] } =
      (command instanceof BatchGetItemCommand && command.input.RequestItems?.[setting.tableName]) || {}
    items += Keys.filter(({ PK }) => PK?.S?.startsWith('REVIEW#')).length
    return send(command)
  })
  const { derived } = setting.through(watched)
  expect(await derived.verify({ ...setting.options, sample: 3 })).toMatchObject({ ...NONE, items: 6 })
  expect(of).toBe(24)
  expect(parts).toHaveLength(24)
  expect(parts).not.toEqual([...parts].sort((a, b) => Number(a) - Number(b)))
  expect(new Set(parts)).toEqual(new Set(Array.from({ length: 24 }, (_, i) => i)))
  expect(items).toBe(0)
})
