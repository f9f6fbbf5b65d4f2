import { createLapidary, defineCollection, oneOf } from 'lapidary'
import { expect, onTestFinished, test } from 'vitest'
import { createTestClient, testEngines, uniqueTableName } from '../../../test/engines/index.ts'
import { schemaOf } from './comments-fixture.ts'

const base = {
  name: 'ORDER',
  schema: schemaOf<{ id: string; customer: string; at: string; status: string }>(),
  id: 'id',
  scope: { name: 'CUSTOMER', attribute: 'customer' },
  order: 'at',
  facets: { status: oneOf() },
} as const
const DECLARE = 'give one, or declare statistics: { across: 1 } to count all scopes together'
const SAY = 'give one, or say `derived: { counts: true }` to count all scopes together'

test.each([
  ['nothing counts all scopes', defineCollection(base), true, DECLARE],
  ['nothing counts anything', defineCollection(base), false, DECLARE],
  ['what is declared is not made', defineCollection({ ...base, statistics: { across: 1 } }), false, SAY],
])('a count without a scope says what makes one possible, where %s', async (_, orders, counts, advice) => {
  const [engine] = testEngines()
  if (engine === undefined) throw new Error('no engine')
  const client = createTestClient(engine)
  onTestFinished(() => client.destroy())
  const lapidary = createLapidary({
    ...{ client, tableName: uniqueTableName(), collections: { orders }, cursorSecret: 'a secret of the tests' },
    derived: { counts },
  })
  await expect(lapidary.orders.count({} as never)).rejects.toMatchObject({
    code: 'unprocessable',
    details: { errors: [{ path: 'customer', message: expect.stringContaining(advice) }] },
  })
})
