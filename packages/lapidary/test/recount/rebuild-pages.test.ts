import { createLapidary, type Lapidary, type ListsState, type PageStore, pageMarkers, segments } from 'lapidary'
import { memoryLists } from 'lapidary-testing'
import { expect, test, vi } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../../test/engines/index.ts'
import { PATIENCE } from '../../../../test/engines/patience.ts'
import { comment, comments } from '../comments-fixture.ts'
import { alteredLists } from '../pages/altered-lists.ts'

const [engine] = testEngines()
const PACE = { idleMs: 20, gatherMs: 30, discoverMs: 200 } as const
const ITEMS = 60
const QUERY = { scope: '42', where: { rating: [4, 5] }, limit: 5 } as const

test.each(Object.entries({ segments, markers: pageMarkers }))(
  'pages of %s that another process reads during a rebuild are whole, or not there',
  async (_, store) => {
    if (engine === undefined) throw new Error('no engine')
    const client = createTestClient(engine)
    const tableName = uniqueTableName()
    const open = (): Lapidary<{ readonly comments: typeof comments }> =>
      createLapidary({
        ...{ client, tableName, collections: { comments }, cursorSecret: 'a secret of the tests' },
        ...{ derived: { counts: true, pages: store() }, stream: { immediate: true } },
      })
    const [rebuilding, reading] = [open(), open()]
    await rebuilding.table.create()
    for (let i = 0; i < ITEMS; i++) {
      await rebuilding.comments.create(comment({ id: `c${i}`, productId: '42', rating: i % 2 === 0 ? 4 : 5 }))
    }
    await rebuilding.derived.rebuildPages()
    await using _poller = await rebuilding.stream.start(PACE)
    const read = (): Promise<number> => reading.comments.page(12, QUERY).then(({ items }) => items.length)
    // The reader knows by now that the index is ready, and goes by it for some seconds.
    await vi.waitFor(async () => expect(await read()).toBe(QUERY.limit), PATIENCE)
    let isRebuilt = false
    const rebuilt = rebuilding.derived.rebuildPages().finally(() => {
      isRebuilt = true
    })
    const seen = new Set<unknown>()
    while (!isRebuilt) seen.add(await read().catch(({ code }: { code: unknown }) => code))
    await rebuilt
    expect([...seen].filter((each) => each !== 'unavailable')).toEqual([QUERY.limit])
    await dropTables(client, [tableName])
  },
)

test('a process that fills a store apart reads pages from it at once, also where it goes by what it saw for some time', async () => {
  if (engine === undefined) throw new Error('no engine')
  const client = createTestClient(engine)
  const tableName = uniqueTableName()
  const lists = memoryLists()
  // Each who opens it goes by the first state that is not of itself, as a store does that asks a service.
  const store: PageStore = {
    name: 'remembering',
    apart: true,
    open() {
      let seen: Promise<ListsState> | undefined
      return {
        ...lists,
        select: (question) => lists.select(question),
        state: () => {
          seen ??= lists.state()
          return seen
        },
        async fill() {
          const filling = await lists.fill()
          seen = undefined
          return {
            ...filling,
            async finish() {
              await filling.finish()
              seen = undefined
            },
          }
        },
      }
    },
  }
  const lapidary = createLapidary({
    ...{ client, tableName, collections: { comments }, cursorSecret: 'a secret of the tests' },
    ...{ derived: { counts: true, pages: store }, stream: { immediate: true } },
  })
  await lapidary.table.create({ pages: 'later' })
  for (let i = 0; i < 12; i++) await lapidary.comments.create(comment({ id: `c${i}`, productId: '42' }))
  await expect(lapidary.comments.page(2, { scope: '42', limit: 5 })).rejects.toMatchObject({ code: 'unavailable' })
  expect(await lapidary.derived.fill({ idleMs: 1, poll: false })).toEqual({ filled: 1 })
  expect((await lapidary.comments.page(2, { scope: '42', limit: 5 })).items).toHaveLength(5)
  await dropTables(client, [tableName])
})

test('a process that comes to fill what another has just made begins no second time', async () => {
  if (engine === undefined) throw new Error('no engine')
  const tableName = uniqueTableName()
  const client = createTestClient(engine)
  let fillings = 0
  const store = alteredLists(segments(), (lists) => ({
    fill: () => {
      fillings++
      return lists.fill()
    },
  }))
  const open = (its: typeof client): Lapidary<{ readonly comments: typeof comments }> =>
    createLapidary({
      ...{ client: its, tableName, collections: { comments }, cursorSecret: 'a secret of the tests' },
      ...{ derived: { counts: true, pages: store }, stream: { immediate: true } },
    })
  const first = open(client)
  await first.table.create({ pages: 'later' })
  for (let i = 0; i < 12; i++) await first.comments.create(comment({ id: `c${i}`, productId: '42' }))
  // The late one has seen that the index is missing when it asks for the lease, and gets it once the first has ended.
  const lateClient: typeof client = Object.assign(Object.create(client), {
    async send(command: Parameters<typeof client.send>[0]) {
      const { Key } = command.input as { Key?: { PK?: { S?: string } } }
      if (Key?.PK?.S === '~MAINTENANCE' && fillings === 0) await first.derived.fill({ idleMs: 1, poll: false })
      return client.send(command)
    },
  })
  const late = open(lateClient)
  await late.derived.fill({ idleMs: 1, poll: false })
  expect(fillings).toBe(1)
  expect((await late.comments.page(2, { scope: '42', limit: 5 })).items).toHaveLength(5)
  await dropTables(client, [tableName])
})
