import { anyOf, defineCollection, type FacetValue, indexes, oneOf, powerSet, type Where } from 'lapidary'
import { describe, expect, test } from 'vitest'
import { testEngines } from '../../../test/engines/index.ts'
import { statisticsShape } from '../src/derived/counts/counts-shape.ts'
import { selects } from '../src/model/query.ts'
import { schemaOf } from './comments-fixture.ts'
import { openTestTable } from './test-table.ts'

type Task = {
  readonly id: string
  readonly queue: string
  readonly at: string
  readonly language: string
  readonly urgent: boolean
  readonly late?: boolean | null
}

const base = {
  name: 'TASK',
  schema: schemaOf<Task>(),
  id: 'id',
  order: 'at',
  scope: { name: 'QUEUE', attribute: 'queue' },
} as const
const facets = { language: oneOf(), urgent: anyOf('boolean'), late: oneOf('boolean', { optional: true }) }
const tasks = defineCollection({ ...base, facets, indexes: { byAll: { partition: ['language', 'urgent', 'late'] } } })

const TASKS: readonly Task[] = Array.from({ length: 24 }, (_, i) => ({
  ...{ id: `${i}`, queue: 'q', at: new Date(Date.UTC(2024, 0, 1 + i)).toISOString() },
  ...{ language: i % 2 === 0 ? 'en' : 'de', urgent: i % 3 === 0 },
  ...(i % 4 === 0 ? {} : { late: i % 4 === 1 ? null : i % 4 === 2 }),
}))

describe.each(testEngines())('facets of booleans on $name', (engine) => {
  test.each([indexes(), powerSet()])('have two values, also where no filter names them, in $name', async (layout) => {
    await using table = await openTestTable(engine, { tasks }, { layout })
    for (const task of TASKS) await table.lapidary.tasks.create(task)
    const wheres: readonly Where<typeof tasks.facets, Task>[] = [
      {},
      { urgent: true },
      { urgent: [true, false] },
      { late: false },
      { late: null },
      { urgent: false, late: true },
    ]
    for (const where of wheres) {
      const asked = { language: 'en', ...where }
      const { items } = await table.lapidary.tasks.list({ scope: 'q', where: asked, limit: 50 })
      const chosen = Object.fromEntries(
        Object.entries(asked).map(([name, value]) => [name, [value].flat() as FacetValue[]]),
      )
      const expected = TASKS.filter((task) => selects(chosen, task)).toReversed()
      expect(items, JSON.stringify(where)).toEqual(expected)
    }
  })
})

test('are counted, and their indexes named, as before they were closed', () => {
  const { holds } = powerSet().of(defineCollection({ ...base, facets: { urgent: oneOf('boolean') } })).indexes[0] ?? {}
  expect(holds).toEqual({ sets: 'text', facets: [{ facet: 'urgent', kind: 'oneOf', values: undefined }] })
  expect(statisticsShape(tasks)).toEqual({ by: ['language', 'urgent', 'late'], counted: [] })
  const closed = { ...facets, urgent: anyOf([true, false]) }
  expect(statisticsShape(defineCollection({ ...base, facets: closed }))).toMatchObject({ counted: ['urgent'] })
})
