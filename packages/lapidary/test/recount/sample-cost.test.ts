import { createLapidary, type MaintenanceProgress } from 'lapidary'
import { expect, test } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../../test/engines/index.ts'
import { comment, comments } from '../comments-fixture.ts'

const FAST = { idleMs: 20, segments: 1 } as const

test('a sample costs a part of a whole verify, and tells how many scopes it has read', async () => {
  const [engine] = testEngines()
  if (engine === undefined) throw new Error('no engine')
  const client = createTestClient(engine)
  const tableName = uniqueTableName()
  const { comments: items, ...lapidary } = createLapidary({
    ...{ client, tableName, collections: { comments }, cursorSecret: 'a secret of the tests' },
    ...{ derived: { counts: true }, stream: { immediate: true } },
  })
  await lapidary.table.create()
  const text = 'y'.repeat(400)
  for (let i = 0; i < 300; i++) await items.create(comment({ id: `c${i}`, productId: `p${i % 30}`, text }))
  await lapidary.derived.rebuild(undefined, FAST)

  const whole = await lapidary.derived.verify(FAST)
  const told: MaintenanceProgress[] = []
  const sample = await lapidary.derived.verify({ ...FAST, sample: 3, onProgress: (progress) => told.push(progress) })
  expect(sample).toMatchObject({ differenceCount: 0, items: 30, compared: 0 })
  expect(sample.capacity).toBeLessThan(whole.capacity / 2)
  for (const { phase, total } of told) if (phase === 'sample') expect(total).toBe(3)
  await dropTables(client, [tableName])
})
