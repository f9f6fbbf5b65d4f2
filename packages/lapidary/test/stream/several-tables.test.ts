import { createLapidary, type Lapidary } from 'lapidary'
import { expect, test, vi } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../../test/engines/index.ts'
import { PATIENCE } from '../../../../test/engines/patience.ts'
import { comment, comments } from '../comments-fixture.ts'

type Comments = Lapidary<{ readonly comments: typeof comments }>

test.each(testEngines())(
  'a first change that comes after those of another table is not lost ($name)',
  async (engine) => {
    const client = createTestClient(engine)
    const open = (): Comments =>
      createLapidary({
        ...{ client, tableName: uniqueTableName(), collections: { comments }, cursorSecret: 'a secret of the tests' },
        derived: { counts: true },
      })
    const [mine, other] = [open(), open()]
    await mine.table.create()
    await other.table.create()
    for (const id of ['1', '2', '3']) await other.comments.create(comment({ id }))
    await mine.comments.create(comment({ id: '1' }))
    {
      await using _poller = await mine.stream.start({ idleMs: 20, gatherMs: 20, discoverMs: 100 })
      const known = async () => [(await mine.comments.count({ scope: '42' })).total, await mine.derived.gaps()]
      await vi.waitFor(async () => expect(await known()).toEqual([1, []]), PATIENCE)
    }
    await dropTables(
      client,
      [mine, other].map(({ table }) => table.definition().tableName),
    )
  },
)
