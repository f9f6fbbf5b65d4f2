import {
  anyOf,
  createLapidary,
  defineCollection,
  eachOf,
  increment,
  type LapidaryError,
  oneOf,
  pageMarkers,
  powerSet,
} from 'lapidary'
import { attach } from 'lapidary/attach'
import { deflated, packed, trainDictionary } from 'lapidary/codecs'
import { createReader } from 'lapidary/reader'
import { exportItems, importItems } from 'lapidary/transfer'
import { advise } from 'lapidary-adviser'
import { openEngine } from 'lapidary-engine'
import { pgliteLists, redisLists, relationalLists } from 'lapidary-pages'
import { fileLists, openDiskLists, readDiskLists } from 'lapidary-pages/file'
import { s3Lists } from 'lapidary-pages/s3'
import { startRespServer } from 'lapidary-resp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testEngines } from '../../../test/engines/index.ts'
import { collect } from './collect.ts'
import { comment, comments, schemaOf } from './comments-fixture.ts'
import { openTestTable } from './test-table.ts'

const [engine] = testEngines()
if (engine === undefined) throw new Error('no engine')
let table: Awaited<ReturnType<typeof openTestTable<{ comments: typeof comments }>>>
beforeAll(async () => {
  table = await openTestTable(engine, { comments }, { derived: { counts: true } })
})
afterAll(async () => table[Symbol.asyncDispose]())

/** As a caller without types, or one that spreads an object of its own. */
// biome-ignore lint/suspicious/noExplicitAny: what is refused at run time does not compile
type Untyped = any
const wrong = { wher: { rating: 4 } } as Untyped
const query = { scope: '42', ...wrong } as Untyped

/** Every public method and function that takes options, with one that it does not have. */
const CALLS: Readonly<Record<string, () => unknown>> = {
  list: () => table.lapidary.comments.list(query),
  iterate: () => collect(table.lapidary.comments.iterate(query)),
  explain: () => table.lapidary.comments.explain(query),
  plan: () => table.lapidary.comments.plan(query),
  count: () => table.lapidary.comments.count(query),
  get: () => table.lapidary.comments.get('1', wrong),
  getMany: () => table.lapidary.comments.getMany(['1'], wrong),
  page: () => table.lapidary.comments.page(1, query),
  'page past the first': () => table.lapidary.comments.page(2, query),
  listWith: () => table.lapidary.comments.listWith(table.lapidary.comments, query),
  scan: () => collect(table.lapidary.comments.scan('all', wrong)),
  leaderboard: () => table.lapidary.comments.leaderboard({ name: 'x', ...wrong } as never),
  create: () => table.lapidary.comments.create(comment(), wrong),
  patch: () => table.lapidary.comments.patch('1', { rating: 1 }, wrong),
  'blind patch': () => table.lapidary.comments.patch('1', { rating: increment(1, { blind: true }) } as never, wrong),
  replace: () => table.lapidary.comments.replace(comment(), wrong),
  delete: () => table.lapidary.comments.delete('1', wrong),
  deleteAll: () => table.lapidary.comments.deleteAll(query),
  'writes.patch': () => table.lapidary.comments.writes.patch('1', { rating: 1 }, wrong),
  'writes.replace': () => table.lapidary.comments.writes.replace(comment(), wrong),
  'writes.delete': () => table.lapidary.comments.writes.delete('1', wrong),
  'table.create': () => table.lapidary.table.create(wrong),
  'table.backfill': () => table.lapidary.table.backfill(wrong),
  'derived.verify': () => table.lapidary.derived.verify(wrong),
  'derived.repair': () => table.lapidary.derived.repair(wrong),
  'derived.rebuild': () => table.lapidary.derived.rebuild('counts', wrong),
  'derived.rebuildPages': () => table.lapidary.derived.rebuildPages(wrong),
  'stream.start': () => table.lapidary.stream.start(wrong),
  'stream.catchUp': () => table.lapidary.stream.catchUp(wrong),
  'stream.handler': () => table.lapidary.stream.handler(wrong),
  importItems: () => importItems(table.lapidary.comments, [], wrong),
  exportItems: () => collect(exportItems(table.lapidary.comments, wrong)),
  increment: () => increment(1, wrong),
  trainDictionary: () => trainDictionary(comments, [comment()], wrong),
  advise: () => advise(comments, { writesPerSecond: 1, readsPerSecond: 1, queries: [] } as Untyped, wrong),
}

const base = {
  name: 'NOTE',
  schema: schemaOf<{ id: string; book: string; at: string; kind: string; n: number; tags: string[] }>(),
  id: 'id',
  scope: { name: 'BOOK', attribute: 'book' },
  order: 'at',
  facets: { kind: oneOf() },
} as const
const define = (given: object): unknown => defineCollection({ ...base, ...given } as Untyped)
const connected = (): object => ({
  client: table.client,
  tableName: table.tableName,
  collections: { comments },
  cursorSecret: 'a secret of the tests',
})
const create = (given: object): unknown => createLapidary({ ...connected(), ...given } as Untyped)

const DECLARATIONS: Readonly<Record<string, () => unknown>> = {
  createLapidary: () => create(wrong),
  'its derived': () => create({ derived: wrong }),
  'its stream': () => create({ stream: wrong }),
  'its keys': () => create({ keys: { pk: 'a', sk: 'b', ...wrong } }),
  'its hooks': () => create({ hooks: { wher: {} } }),
  'hooks of a collection': () => create({ hooks: { comments: { wher() {} } } }),
  createReader: () => createReader({ ...connected(), ...wrong } as Untyped),
  'derived of a reader': () => createReader({ ...connected(), derived: { counts: true, ...wrong } } as Untyped),
  defineCollection: () => define(wrong),
  'its scope': () => define({ scope: { ...base.scope, ...wrong } }),
  'its order': () => define({ order: { attribute: 'at', type: 'time', ...wrong } }),
  'an order of several': () => define({ orders: { n: { attribute: 'n', type: 'number', ...wrong } } }),
  'an index': () => define({ indexes: { all: {}, byKind: { partition: ['kind'], ...wrong } } }),
  'its pages': () => define({ pages: [{ across: true, ...wrong }] }),
  'a leaderboard': () => define({ leaderboards: { best: { where: {}, ...wrong } } }),
  'a stored attribute': () => define({ attributes: { id: { name: 'i', shownIn: 'list', ...wrong } } }),
  oneOf: () => oneOf(['a'], wrong),
  'an open anyOf': () => anyOf('number', wrong),
  eachOf: () => eachOf('string', wrong),
  powerSet: () => powerSet(wrong),
  pageMarkers: () => pageMarkers(wrong),
  redisLists: () => redisLists(wrong),
  relationalLists: () => relationalLists(wrong),
  pgliteLists: () => pgliteLists(wrong),
  fileLists: () => fileLists({ folder: '/tmp/none', ...wrong }),
  openDiskLists: () => openDiskLists({ folder: '/tmp/none', ...wrong }),
  readDiskLists: () => readDiskLists({ folder: '/tmp/none', ...wrong }),
  s3Lists: () => s3Lists({ bucket: 'b', ...wrong }),
  packed: () => packed(wrong),
  deflated: () => deflated({ dictionaries: [new Uint8Array(64)], ...wrong }),
  attach: () => attach({ ...connected(), collections: {}, ...wrong } as Untyped),
  'an attachment': () =>
    attach({ ...connected(), collections: { comments: { collection: comments, ...wrong } } } as Untyped),
}

const failure = async (act: () => unknown): Promise<LapidaryError> => {
  try {
    await act()
  } catch (error) {
    return error as LapidaryError
  }
  throw new Error('nothing was refused')
}

describe('an option that there is none of is refused by its name', () => {
  test.each(Object.keys(CALLS))('%s', async (name) => {
    const error = await failure(CALLS[name] as () => unknown)
    expect(error).toMatchObject({ code: 'unprocessable', details: { errors: [{ path: 'wher' }] } })
    expect(error.message).toMatch(/wher: is no option; there are \w+/)
  })

  test.each(Object.keys(DECLARATIONS))('%s', async (name) => {
    const error = await failure(DECLARATIONS[name] as () => unknown)
    expect(error).toMatchObject({ code: 'declaration_invalid' })
    expect(error.message).toMatch(/"wher" is no option; there are \w+/)
  })

  test('openEngine, startRespServer', async () => {
    expect(await failure(() => openEngine(wrong))).toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('"wher"'),
    })
    expect((await failure(() => startRespServer(wrong))).message).toContain('no option wher; there are lists, port')
  })
})

test('an option that is undefined is not given, whatever its name is', async () => {
  const unset = { wher: undefined } as Untyped
  expect((await table.lapidary.comments.list({ scope: '42', ...unset })).items).toEqual([])
  expect(defineCollection({ ...base, ...unset }).name).toBe('NOTE')
  await expect(table.lapidary.comments.delete('1', unset)).rejects.toMatchObject({ code: 'not_found' })
})

test('a value that an option does not have is refused with those that it has', async () => {
  const { lapidary } = table
  expect(await failure(() => importItems(lapidary.comments, [], { onConflict: 'fail' as never }))).toMatchObject({
    code: 'unprocessable',
    message: expect.stringContaining('onConflict: must be newer, replace, skip, not "fail"'),
  })
  expect((await failure(() => lapidary.table.create({ pages: 'soon' as never }))).message).toContain('now or later')
  expect((await failure(() => lapidary.stream.handler({ only: 'both' as never }))).message).toContain('table or apart')
  expect((await failure(() => pageMarkers({ onDisorder: 'ignore' as never }))).message).toContain('mend or refuse')
})

test('null as a cursor is the first page, of a list, of pages by number and of what is iterated', async () => {
  const { comments: client } = table.lapidary
  for (let i = 0; i < 5; i++) await client.create(comment({ id: `n${i}`, productId: 'null' }))
  const first = await client.list({ scope: 'null', limit: 2 })
  expect((await client.list({ scope: 'null', limit: 2, cursor: null })).items).toEqual(first.items)
  expect((await client.page(1, { scope: 'null', limit: 2, cursor: null })).items).toEqual(first.items)
  expect(await collect(client.iterate({ scope: 'null', limit: 2, cursor: null }))).toHaveLength(5)
  const seen: string[] = []
  let cursor: string | null = null
  do {
    const page: typeof first = await client.list({ scope: 'null', limit: 2, cursor })
    seen.push(...page.items.map(({ id }) => id))
    cursor = page.cursors.next
  } while (cursor !== null)
  expect(seen).toHaveLength(5)
})
