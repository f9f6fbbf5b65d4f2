import { createLapidary, type PageStore, segments } from 'lapidary'
import { afterAll, expect, test, vi } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../../test/engines/index.ts'
import { PATIENCE } from '../../../../test/engines/patience.ts'
import { comment, comments } from '../comments-fixture.ts'
import { alteredLists } from './altered-lists.ts'

const client = createTestClient(testEngines()[0] as never)
const tableName = uniqueTableName()
afterAll(() => dropTables(client, [tableName]))

const open = (pages: PageStore = segments()) =>
  createLapidary({
    ...{ client, tableName, collections: { comments }, cursorSecret: 'a secret of the tests' },
    ...{ derived: { counts: true, pages }, stream: { immediate: true } },
  })

test('a scope with more lists than can be named has no pages by number, says so, and holds up no other', async () => {
  const lapidary = open()
  await lapidary.table.create()
  const lists = lapidary.comments.context.pages[0]?.lists
  // So far on that the items before are not read instead.
  const page = (scope: string) => lapidary.comments.page(2_000, { scope, limit: 2 })
  const dead: unknown[] = []
  await using _poller = await lapidary.stream.start({
    ...{ idleMs: 20, gatherMs: 30, discoverMs: 200 },
    onDeadLetter: (each) => void dead.push(each),
  })
  const create = (id: string, productId: string, language: string) =>
    lapidary.comments.create(comment({ id, productId, language, version: undefined as never }))

  // Names are as long as values: of these three fit and the fourth does not.
  const long = (i: number) => `${i}`.repeat(30_000)
  const steps = [1, 2, 3].map((i) => {
    const place = { score: i, member: `m${i}` }
    return { op: 'add', group: '42', cell: `${long(i)}#5`, place } as const
  })
  await lists?.apply('before', [{ sequenceNumber: '1', steps }])
  await vi.waitFor(async () => expect((await page('42')).page.total).toBe(3), PATIENCE)
  const fourth = {
    ...steps[0],
    op: 'add',
    group: '42',
    cell: `${long(4)}#5`,
    place: { score: 4, member: 'm4' },
  } as const
  await lists?.apply('before', [{ sequenceNumber: '2', steps: [fourth] }])

  for (let i = 0; i < 3; i++) await create(`a${i}`, '42', 'en')
  for (let i = 0; i < 3; i++) await create(`b${i}`, '43', 'en')
  await vi.waitFor(async () => expect((await page('43')).page.total).toBe(3), PATIENCE)
  await vi.waitFor(async () => expect((await lapidary.comments.count({ scope: '42' })).total).toBe(3), PATIENCE)
  expect(dead).toEqual([])

  const message = expect.stringMatching(
    /of the scope "42" have no numbers.* 4 values of language alone.*leave language out/,
  )
  await expect(page('42')).rejects.toMatchObject({ code: 'unprocessable', message })
  expect(await lists?.full?.()).toEqual(message)
  expect(await lapidary.derived.verify({ idleMs: 20, segments: 1 })).toMatchObject({
    differences: [],
    notVerified: [{ collection: 'COMMENT', store: 'dynamodb', reason: 'full', message }],
  })
  // The long names were of no items, so they are gone.
  await lapidary.derived.rebuildPages({ segments: 1 })
  expect((await open().comments.page(2_000, { scope: '42', limit: 2 })).page.total).toBe(3)
  const filling = await lists?.fill()
  await filling?.add([...steps, fourth])
  await filling?.finish()
  await expect(page('42')).rejects.toMatchObject({ message })

  const store = segments()
  const full = open(alteredLists(store, () => ({ full: async () => 'too many' })))
  await expect(full.derived.rebuildPages({ segments: 1 })).rejects.toMatchObject({ message: 'too many' })
}, 60_000)
