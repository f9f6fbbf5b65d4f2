import { BatchWriteItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../../test/engines/index.ts'
import { tableFor } from '../../src/declared-table.ts'
import { createLapidary } from '../../src/lapidary.ts'
import { defineCollection, type Item } from '../../src/model/collection.ts'
import { anyOf, oneOf } from '../../src/model/facet.ts'
import type { CollectionContext } from '../../src/operations/context.ts'
import { createTable } from '../../src/schema/create-table.ts'
import { createTableClient } from '../../src/table/table-client.ts'
import { csvRows } from '../../src/transfer/csv/csv-rows.ts'
import { exportItems } from '../../src/transfer/export-items.ts'
import { importItems, importRecords } from '../../src/transfer/import-items.ts'
import type { ImportRecord } from '../../src/transfer/import-record.ts'
import { collect } from '../collect.ts'

const notes = defineCollection({
  name: 'NOTE',
  schema: z.strictObject({
    id: z.string(),
    board: z.string(),
    tag: z.string(),
    stars: z.int(),
    at: z.iso.datetime(),
    text: z.string(),
    seen: z.boolean().optional(),
    version: z.int(),
    updatedAt: z.string().nullable(),
  }),
  id: 'id',
  scope: { name: 'BOARD', attribute: 'board' },
  order: 'at',
  facets: { tag: oneOf(), stars: anyOf([1, 2, 3]) },
  version: 'version',
  updatedAt: 'updatedAt',
})

function note(id: string, more: Item = {}): Item {
  return { id, board: '1', tag: 'a', stars: 1, at: '2024-01-01T00:00:00.000Z', text: `text ${id}`, ...more }
}

describe.each(testEngines())('import on $name', (engine) => {
  let client: DynamoDBClient
  const tableNames: string[] = []
  beforeAll(() => {
    client = createTestClient(engine)
  })
  afterAll(() => dropTables(client, tableNames))

  async function emptyTable(
    send?: (command: unknown, next: () => Promise<unknown>) => Promise<unknown>,
  ): Promise<CollectionContext> {
    const options = { tableName: uniqueTableName(), collections: { notes } }
    await createTable(client, tableFor(options))
    tableNames.push(options.tableName)
    const { context } = createLapidary({ client, cursorSecret: 'sixteen-characters', ...options }).notes
    if (send === undefined) return context as CollectionContext
    const between = { send: (command: never) => send(command, () => client.send(command)) } as unknown as DynamoDBClient
    const table = createTableClient({
      client: between,
      tableName: options.tableName,
      random: () => 0,
      sleep: async () => {},
    })
    return { ...context, table } as CollectionContext
  }

  async function stored(context: CollectionContext): Promise<Map<string, Item>> {
    const items = (await collect(exportItems({ context }))).flat() as Item[]
    return new Map(items.map((item) => [String(item.id), item]))
  }

  it('stores what is valid, keeps version and time of change, and fills in what is not given', async () => {
    const context = await emptyTable()
    const given = note('b', { version: 3, updatedAt: '2024-02-01T00:00:00.000Z' })
    const result = await importItems({ context }, [note('a'), given])
    expect(result).toMatchObject({ lines: 2, written: 2, rejected: 0, failed: 0, interrupted: false })
    const items = await stored(context)
    expect(items.get('a')).toEqual({ ...note('a'), version: 1, updatedAt: null })
    expect(items.get('b')).toEqual(given)
  })

  it('makes the same id for the same item without one, beginning with its time', async () => {
    const context = await emptyTable()
    const { id: _, ...anonymous } = note('')
    await importItems({ context }, [anonymous, { ...anonymous, text: 'another' }])
    await importItems({ context }, [anonymous])
    const ids = [...(await stored(context)).keys()]
    expect(ids).toHaveLength(2)
    expect(ids.every((id) => id.startsWith('01HK153X00'))).toBe(true)
  })

  it('keeps as many equal items without an id as there are, brings no more of them again, and makes them one when asked', async () => {
    const context = await emptyTable()
    const { id: _, ...anonymous } = note('')
    const three = [anonymous, { ...anonymous }, { ...anonymous, text: 'another' }, { ...anonymous }]
    expect(await importItems({ context }, three)).toMatchObject({ written: 4, replaced: 0 })
    expect((await stored(context)).size).toBe(4)
    // Among others, and in another order.
    await importItems({ context }, [note('a'), three[2], three[0], three[1], three[3]])
    expect((await stored(context)).size).toBe(5)
    const one = await emptyTable()
    await importItems({ context: one }, three, { dedupe: true })
    expect((await stored(one)).size).toBe(2)
  })

  it('goes on from its checkpoint with the copies of what is before it', async () => {
    const { id: _, ...anonymous } = note('')
    const texts = { ...anonymous, stars: '1' }
    for (const values of [
      Array.from({ length: 600 }, () => ({ value: { ...anonymous } })),
      Array.from({ length: 600 }, () => ({ value: { ...texts }, texts: true })),
    ]) {
      const records: ImportRecord[] = values.map((record, i) => ({ line: i + 1, ...record }))
      const [whole, halves] = [await emptyTable(), await emptyTable()]
      await importRecords({ context: whole }, records)
      const first = await importRecords({ context: halves }, records.slice(0, 300))
      const second = await importRecords({ context: halves }, records, { from: first.checkpoint })
      expect(second).toMatchObject({ lines: 600, written: 600 })
      const [all, joined] = [await stored(whole), await stored(halves)]
      expect(all.size).toBe(600)
      expect([...joined.keys()].sort()).toEqual([...all.keys()].sort())
    }
  })

  it('reads texts that the schema refuses in further ways, and takes values that are no texts as they are', async () => {
    const context = await emptyTable()
    const value = { ...note('a'), stars: 'three', seen: true, version: 7 }
    const taken: unknown[] = []
    const rejected: unknown[] = []
    const words = ['one', 'two', 'three']
    const result = await importRecords(
      { context },
      [
        { line: 1, texts: true, value },
        { line: 2, texts: true, value: { ...value, stars: 'four' } },
      ],
      {
        readings: [(text, name) => (name === 'stars' && words.includes(text) ? words.indexOf(text) + 1 : undefined)],
        onTaken: ({ line }, item) => void taken.push([line, item]),
        onRejected: ({ line }, _reason, issues) => void rejected.push([line, issues.map(({ path }) => path)]),
      },
    )
    expect(result).toMatchObject({ written: 1, rejected: 1 })
    expect(taken).toEqual([[1, { ...note('a'), stars: 3, seen: true, version: 7, updatedAt: null }]])
    expect(rejected).toEqual([[2, ['stars']]])
  })

  it('lets the last of the same id win, within a batch and across batches in flight', async () => {
    let sent = 0
    const context = await emptyTable(async (command, next) => {
      // The first batches are the slowest, so that later ones could overtake them.
      if (command instanceof BatchWriteItemCommand)
        await new Promise((done) => setTimeout(done, 60 - 15 * Math.min(4, sent++)))
      return next()
    })
    const items = Array.from({ length: 300 }, (_, i) => note(`id-${i % 40}`, { text: `line ${i + 1}` }))
    const result = await importItems({ context }, items)
    expect(result.written + result.replaced).toBe(300)
    const found = await stored(context)
    for (let i = 260; i < 300; i++) expect(found.get(`id-${i % 40}`)?.text).toBe(`line ${i + 1}`)
  })

  it('hands back each bad item with its line, and stores the rest', async () => {
    const context = await emptyTable()
    const rejected: [number, string][] = []
    const items = [note('a'), 7, note('b', { stars: 9 }), null, note('c', { text: 'x'.repeat(450_000) }), note('d')]
    const result = await importItems({ context }, items, {
      onRejected: ({ line }, reason) => void rejected.push([line, reason]),
    })
    expect(result).toMatchObject({ written: 2, rejected: 4, failed: 0 })
    expect(rejected.sort(([a], [b]) => a - b).map(([line]) => line)).toEqual([2, 3, 4, 5])
    expect([...(await stored(context)).keys()].sort()).toEqual(['a', 'd'])
  })

  it('sends again what DynamoDB left unprocessed', async () => {
    let calls = 0
    const context = await emptyTable(async (command, next) => {
      if (!(command instanceof BatchWriteItemCommand) || ++calls % 3 === 0) return next()
      return { UnprocessedItems: command.input.RequestItems }
    })
    const result = await importItems(
      { context },
      Array.from({ length: 100 }, (_, i) => note(`n${i}`)),
      { onConflict: 'replace' },
    )
    expect(result).toMatchObject({ written: 100, failed: 0 })
    expect((await stored(context)).size).toBe(100)
  })

  it('names the lines that stay unprocessed, and goes on from before the first of them', async () => {
    const context = await emptyTable(async (command, next) => {
      if (!(command instanceof BatchWriteItemCommand)) return next()
      const requests = Object.values(command.input.RequestItems ?? {})[0] ?? []
      const stuck = requests.filter(({ PutRequest }) => PutRequest?.Item?.PK?.S === 'NOTE#n60')
      if (stuck.length === 0) return next()
      const rest = requests.filter((request) => !stuck.includes(request))
      if (rest.length > 0)
        await client.send(new BatchWriteItemCommand({ RequestItems: { [context.table.tableName]: rest } }))
      return { UnprocessedItems: { [context.table.tableName]: stuck } }
    })
    const items = Array.from({ length: 100 }, (_, i) => note(`n${i}`))
    const result = await importItems({ context }, items, { onConflict: 'replace' })
    expect(result).toMatchObject({ written: 99, failed: 1, checkpoint: { lines: 50, written: 50 } })
    expect(result.failures).toEqual([{ line: 61, reason: expect.stringContaining('unprocessed') }])
  })

  it('goes on from its checkpoint, with the same result as in one go', async () => {
    const context = await emptyTable()
    const records: ImportRecord[] = Array.from({ length: 400 }, (_, i) => ({
      line: i + 1,
      ...(i % 50 === 7 ? { problem: 'bad' } : { value: note(`n${i}`) }),
    }))
    const stop = new AbortController()
    const first = await importRecords({ context }, records, {
      signal: stop.signal,
      onProgress: ({ written }) => written >= 100 && stop.abort(),
    })
    expect(first.interrupted).toBe(true)
    expect(first.lines).toBeLessThan(400)
    const rest = records.filter(({ line }) => line > first.checkpoint.lines)
    const second = await importRecords({ context }, rest, { from: first.checkpoint })
    expect(second).toMatchObject({ lines: 400, written: 392, rejected: 8, checkpoint: { lines: 400 } })
    expect((await stored(context)).size).toBe(392)
  })

  it('turns the texts of a CSV row into what the schema takes', async () => {
    const context = await emptyTable()
    const row = (id: string, more: Item): ImportRecord => {
      const value = {
        id,
        board: '1',
        tag: '7',
        stars: '2',
        at: '2024-01-01T00:00:00.000Z',
        text: '12',
        updatedAt: '',
        version: '4',
        ...more,
      }
      return { line: 1, texts: true, value }
    }
    const records = [
      row('a', { seen: 'true' }),
      row('b', { seen: '' }),
      row('', { stars: ' 3 ' }),
      row('c', { stars: 'x' }),
    ]
    const result = await importRecords({ context }, records)
    expect(result).toMatchObject({ written: 3, rejected: 1 })
    const items = await stored(context)
    expect(items.get('a')).toMatchObject({ tag: '7', text: '12', stars: 2, seen: true, updatedAt: null, version: 4 })
    expect(items.get('b')).not.toHaveProperty('seen')
    expect([...items.values()].map(({ stars }) => stars).sort()).toEqual([2, 2, 3])
  })

  it('takes an empty cell for no value and empty quotes for an empty text: what came as CSV comes again as it was exported', async () => {
    const labels = defineCollection({
      name: 'LABEL',
      schema: z.strictObject({
        ...{ id: z.string(), board: z.string(), at: z.string(), text: z.string(), hint: z.string().nullable() },
        ...{ colour: z.string().optional(), size: z.number().optional(), tags: z.array(z.string()) },
      }),
      id: 'id',
      scope: { name: 'BOARD', attribute: 'board' },
      order: 'at',
      facets: { colour: oneOf('string', { optional: true }) },
    })
    const columns = 'id,board,at,text,hint,colour,size,tags'
    const at = '2024-01-01T00:00:00.000Z'
    const csv = [
      columns,
      `a,1,${at},,,,,[]`,
      `b,1,${at},"","","","","[""x"",""y, z""]"`,
      `c,1,${at},t,h,red,7,[]`,
      `d,1,${at},,,red,,[]`,
    ].join('\n')
    const common = { board: '1', at, tags: [] }
    const expected = [
      { ...common, id: 'a', text: '', hint: null },
      { ...common, id: 'b', text: '', hint: '', colour: '', tags: ['x', 'y, z'] },
      { ...common, id: 'c', text: 't', hint: 'h', colour: 'red', size: 7 },
      { ...common, id: 'd', text: '', hint: null, colour: 'red' },
    ]
    const open = async () => {
      const options = { tableName: uniqueTableName(), collections: { labels } }
      const lapidary = createLapidary({ client, cursorSecret: 'sixteen-characters', ...options })
      await lapidary.table.create()
      tableNames.push(options.tableName)
      return lapidary.labels
    }
    const exported = async (from: Awaited<ReturnType<typeof open>>): Promise<Item[]> =>
      ((await collect(exportItems(from))).flat() as Item[]).sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1))
    const [first, second] = [await open(), await open()]
    const chunks = (async function* () {
      yield Buffer.from(csv)
    })()
    await importRecords(first, csvRows(labels, chunks))
    expect(await exported(first)).toEqual(expected)
    await importItems(second, await exported(first))
    expect(await exported(second)).toEqual(expected)
    const without = await second.list({ scope: '1', where: { colour: null } })
    expect(without.items.map(({ id }) => id)).toEqual(['a'])
  })

  it('stops with the error when the table is not there', async () => {
    const options = { tableName: uniqueTableName(), collections: { notes } }
    const { context } = createLapidary({ client, cursorSecret: 'sixteen-characters', ...options }).notes
    await expect(importItems({ context: context as CollectionContext }, [note('a')])).rejects.toMatchObject({
      code: 'table_mismatch',
    })
  })
})
