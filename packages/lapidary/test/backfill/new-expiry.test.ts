import { ScanCommand } from '@aws-sdk/client-dynamodb'
import { createLapidary, defineCollection, eachOf } from 'lapidary'
import { describe, expect, test } from 'vitest'
import { testEngines } from '../../../../test/engines/index.ts'
import { schemaOf } from '../comments-fixture.ts'
import { openTestTable } from '../test-table.ts'
import { fastClock } from './shop.ts'

type Note = {
  readonly id: string
  readonly shelf: string
  readonly at: string
  readonly tags: readonly string[]
  readonly until?: string | null
}
const base = {
  name: 'NOTE',
  schema: schemaOf<Note>(),
  id: 'id',
  order: 'at',
  scope: { name: 'SHELF', attribute: 'shelf' },
  facets: { tags: eachOf() },
} as const
const lasting = defineCollection(base)
const expiring = defineCollection({ ...base, expires: 'until' })
// Far ahead: DynamoDB Local removes what has expired within seconds.
const until = '2124-01-01T00:00:00.000Z'

describe.each(testEngines())('an expiry that is declared later on $name', (engine) => {
  test('tells DynamoDB of the items that are there, once they are backfilled', async () => {
    await using table = await openTestTable(engine, { notes: lasting }, { clock: fastClock })
    const { client, tableName, lapidary } = table
    const note = { shelf: 's', at: '2024-01-01T00:00:00.000Z', tags: ['a', 'b'] }
    await lapidary.notes.create({ ...note, id: 'timed', until })
    await lapidary.notes.create({ ...note, id: 'null', until: null })
    await lapidary.notes.create({ ...note, id: 'none' })
    const later = createLapidary({
      ...{ client, tableName, collections: { notes: expiring }, clock: fastClock },
      cursorSecret: 'a secret of the tests',
    })
    const removals = async () => {
      const { Items = [] } = await client.send(new ScanCommand({ TableName: tableName }))
      const notes = Items.filter(({ PK }) => PK?.S?.startsWith('NOTE#'))
      return notes.map(({ PK, SK, ttl }) => `${PK?.S} ${SK?.S} ${ttl?.N}`).sort()
    }
    const backfilled = await later.table.backfill()
    expect(backfilled).toMatchObject({ complete: true, collections: [{ items: 3, written: 1 }] })
    expect(await removals()).toEqual([
      'NOTE#none ~ undefined',
      'NOTE#none ~/tags.b undefined',
      'NOTE#null ~ undefined',
      'NOTE#null ~/tags.b undefined',
      `NOTE#timed ~ ${Date.parse(until) / 1000}`,
      `NOTE#timed ~/tags.b ${Date.parse(until) / 1000}`,
    ])
    expect(await later.table.backfill()).toMatchObject({ collections: [{ written: 0 }] })
  })
})
