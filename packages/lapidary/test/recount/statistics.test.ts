import { createLapidary, type Projection, segments } from 'lapidary'
import { expect, test } from 'vitest'
import { testEngines } from '../../../../test/engines/index.ts'
import { comment, comments } from '../comments-fixture.ts'
import { openTestTable } from '../test-table.ts'

const [engine] = testEngines()
if (engine === undefined) throw new Error('no engine')

test.each(['statistics', 'counts'])('rebuild(%j) makes the counts from the items', async (word) => {
  const derived = { counts: true, pages: segments() }
  await using table = await openTestTable(engine, { comments }, { derived })
  await table.lapidary.comments.create(comment())
  await table.lapidary.derived.rebuild(word, { idleMs: 20 })
  expect(await table.lapidary.comments.count({ scope: '42' })).toMatchObject({ total: 1 })
})

test('a word that is none is refused with those that there are', async () => {
  await using table = await openTestTable(engine, { comments }, { derived: { counts: true } })
  const { derived } = table.lapidary
  await expect(derived.rebuild('count')).rejects.toMatchObject({
    code: 'unprocessable',
    message: expect.stringContaining('there are statistics, all, counts'),
  })
  await expect(derived.rebuild('page-index')).rejects.toMatchObject({
    code: 'unprocessable',
    message: expect.stringContaining('rebuildPages()'),
  })
  const { client, tableName } = table
  const own = { name: 'statistics', collection: 'COMMENT' } as Projection
  expect(() =>
    createLapidary({
      ...{ client, tableName, collections: { comments }, cursorSecret: 'a secret of the tests' },
      derived: { projections: [own] },
    }),
  ).toThrow('rename one')
})
