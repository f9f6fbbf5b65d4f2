import { createLapidary, segments } from 'lapidary'
import { intercepted } from 'lapidary-testing'
import { expect, test } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../../test/engines/index.ts'
import { comment, comments } from '../comments-fixture.ts'

test('a cold process finds page 292 as a warm one does, and reads the state once beside it', async () => {
  const [engine] = testEngines()
  if (engine === undefined) throw new Error('no engine')
  const sent: string[] = []
  const plain = createTestClient(engine)
  const noting = intercepted<typeof plain>(plain, (command, send) => {
    sent.push(command.constructor.name)
    return send(command)
  })
  const client = Object.assign(noting, { config: plain.config })
  const tableName = uniqueTableName()
  const open = () =>
    createLapidary({
      ...{ client, tableName, collections: { comments }, cursorSecret: 'a secret of the tests' },
      derived: { pages: segments() },
    })
  const writer = open()
  await writer.table.create({ pages: 'later' })
  for (let i = 0; i < 600; i += 20) {
    await Promise.all(Array.from({ length: 20 }, (_, j) => writer.comments.create(comment({ id: `c${i + j}` }))))
  }
  await writer.derived.rebuildPages()
  const asked = { scope: '42', limit: 2 } as const
  const cold = open()
  const look = async () => {
    sent.length = 0
    const { items, plan } = await cold.comments.page(292, asked)
    const commands = (name: string): number => sent.filter((each) => each === name).length
    const list = (plan.actual?.rcu ?? 0) - (plan.pageIndex?.rcu ?? 0)
    return { items, index: plan.pageIndex, list, queries: commands('QueryCommand'), sent: [...sent] }
  }
  const [first, second] = [await look(), await look()]
  expect(first.items).toEqual(second.items)
  expect(first.index?.rounds).toBe(second.index?.rounds)
  expect(first.list).toBe(second.list)
  // And whether the index has every item.
  expect(first.queries).toBe(second.queries + 1)
  // The state is read for all pages, once in five seconds.
  expect(first.index?.rcu).toBe(second.index?.rcu)
  await dropTables(plain, [tableName])
})
