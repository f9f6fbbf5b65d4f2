import {
  type DynamoDBClient,
  ScanCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import {
  anyOf,
  type Change,
  type CopyInspection,
  type CopyProjection,
  createLapidary,
  type DerivedOptions,
  defineCollection,
  type Lapidary,
  LapidaryError,
  type Layout,
  type PageStore,
  powerSet,
  segments,
  type TargetKey,
} from 'lapidary'
import { intercepted, memoryLists } from 'lapidary-testing'
import { expect, test, vi } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../../test/engines/index.ts'
import { PATIENCE } from '../../../../test/engines/patience.ts'
import { changeDerivedRegister, withState } from '../../src/derived/register/derived-register.ts'
import { noteGap, readCheckpoint } from '../../src/stream/checkpoint.ts'
import { deadLetterWrite } from '../../src/stream/dead-letters.ts'
import { tableThrough } from '../stream/test-table.ts'
import { COLOURS, notes as declared } from './notes.ts'

const [engine] = testEngines()
if (engine === undefined) throw new Error('there is no engine')
const client = createTestClient(engine)
const QUICK = { idleMs: 20 } as const
const SECRET = 'a secret of the tests'

const collectionNamed = <N extends string>(name: N) =>
  defineCollection({
    ...{ name, schema: declared.schema, id: 'id', order: { attribute: 'place', type: 'number' } },
    scope: { name: 'BOX', attribute: 'box' },
    facets: { colour: anyOf(COLOURS) },
  })
const [notes, others] = [collectionNamed('NOTE'), collectionNamed('OTHER')]
type Database = Lapidary<{ notes: typeof notes; others: typeof others }>

async function withTable(
  derived: DerivedOptions,
  use: (database: Database, tableName: string) => Promise<void>,
  layout?: Layout,
): Promise<void> {
  const tableName = uniqueTableName()
  const lapidary = createLapidary({
    ...{ client, tableName, collections: { notes, others }, cursorSecret: SECRET },
    ...{ derived, stream: { immediate: true }, ...(layout === undefined ? {} : { layout }) },
  })
  await lapidary.table.create()
  try {
    await use(lapidary, tableName)
  } finally {
    await dropTables(client, [tableName])
  }
}

const isNote = ({ PK, SK }: TargetKey): boolean => PK.startsWith('NOTE#') && SK === '~'
const note = { id: '1', box: 'a', kind: 'done', colour: 'red', place: 1, text: 'new' } as const

/** The shard of which a checkpoint of a follower is. */
async function followedShard(TableName: string, follower: string): Promise<string> {
  const { Items = [] } = await client.send(new ScanCommand({ TableName, ConsistentRead: true }))
  const found = Items.map(({ PK }) => PK?.S ?? '').find((PK) => PK.startsWith('~') && PK.includes(`${follower}#`))
  if (found === undefined) throw new Error(`nothing follows as ${follower}`)
  return found.slice(found.indexOf(`${follower}#`) + follower.length + 1)
}

/** Has the store `cache` lose a change of a note; tells whether that is made up for by nothing yet. */
async function lossOf(lapidary: Database, tableName: string): Promise<() => Promise<boolean>> {
  const poller = await lapidary.stream.start(QUICK)
  await lapidary.notes.create(note)
  await vi.waitFor(() => followedShard(tableName, 'cache'), PATIENCE)
  await poller.close()
  const shardId = await followedShard(tableName, 'cache')
  const table = { ...tableThrough(client as DynamoDBClient, tableName, () => 0), follower: 'cache' }
  expect(await noteGap(table, shardId, undefined)).toBe(true)
  return async () => (await readCheckpoint(table, shardId)).gap
}

test('a rebuild of one copy takes back no loss that another copy in the same store has', async () => {
  const fill = async () => ({ take: () => true, async flush() {}, async finish() {} })
  const copies = ['a', 'b'].map(
    (name): CopyProjection => ({
      name,
      collection: 'NOTE',
      apart: 'cache',
      isItem: isNote,
      apply: async () => {},
      fill,
    }),
  )
  await withTable({ projections: copies }, async (lapidary, tableName) => {
    const isLost = await lossOf(lapidary, tableName)
    await lapidary.derived.rebuild('a', QUICK)
    // What `b` has lost is made up for by nothing yet.
    expect(await isLost()).toBe(true)
    await lapidary.derived.rebuild('b', QUICK)
    expect(await isLost()).toBe(false)
  })
})

test('a rebuild of a copy apart that is made by its inspection makes up for what its store has lost', async () => {
  const inspection: CopyInspection = { see() {}, suspects: async () => [], look: async () => [], settle: async () => 0 }
  const cache: CopyProjection = {
    ...{ name: 'texts', collection: 'NOTE', apart: 'cache', isItem: isNote, apply: async () => {} },
    inspect: async () => inspection,
  }
  await withTable({ projections: [cache] }, async (lapidary, tableName) => {
    const isLost = await lossOf(lapidary, tableName)
    await lapidary.derived.rebuild('texts', QUICK)
    expect(await isLost()).toBe(false)
  })
})

test('a repair gives what a copy refused to the copy of that collection alone', async () => {
  const given: string[] = []
  const copies = [notes, others].map(
    ({ name }): CopyProjection => ({
      ...{ name: 'texts', collection: name, isItem: ({ PK, SK }) => PK.startsWith(`${name}#`) && SK === '~' },
      async apply(changes: readonly Change[]) {
        for (const { key } of changes) given.push(`${name} ${key.PK}`)
      },
    }),
  )
  await withTable({ projections: copies }, async (lapidary, tableName) => {
    await lapidary.notes.create(note)
    await lapidary.derived.rebuild(undefined, QUICK)
    await letter(tableName, 'texts')
    given.length = 0
    expect(await lapidary.derived.repair(QUICK)).toMatchObject({ deadLettersForgotten: 1 })
    expect(new Set(given)).toEqual(new Set(['NOTE NOTE#1']))
  })
})

/** Notes that a copy refused the change of the note. */
async function letter(tableName: string, refusedBy: string): Promise<void> {
  const table = tableThrough(client as DynamoDBClient, tableName, () => 0)
  const key = { PK: 'NOTE#1', SK: '~' }
  const made = { key, shardId: 's', sequenceNumber: '1', at: 5, reason: 'odd', refusedBy: [refusedBy] }
  await client.send(new TransactWriteItemsCommand({ TransactItems: [deadLetterWrite(table, made)] }))
}

test('duplicates are not ready while they lack a change that was counted between the scan and what every process keeps', () =>
  withTable(
    {},
    async (lapidary, tableName) => {
      await lapidary.notes.create(note)
      await lapidary.derived.rebuild(undefined, QUICK)
      await lapidary.derived.rebuild('duplicates', QUICK)
      const table = tableThrough(client as DynamoDBClient, tableName, () => 0)
      // As an earlier version has left them behind, which has ended by now.
      await changeDerivedRegister(table, (found) =>
        withState(
          found,
          [...found.shapes.values()].filter(({ name }) => name === 'duplicates'),
          'abandoned',
        ),
      )
      const options = {
        tableName,
        collections: { notes, others },
        cursorSecret: SECRET,
        layout: powerSet({ kept: 'stream' }),
      }
      const counting = createLapidary({ ...options, client, stream: { immediate: true } })
      await using poller = await counting.stream.start({ ...QUICK, fill: false })
      await vi.waitFor(() => expect(poller.status().caughtUpAt).toBeDefined(), PATIENCE)
      let isChanged = false
      const through = Object.assign(
        intercepted<DynamoDBClient>(client as DynamoDBClient, async (command, send) => {
          const isRaise =
            command instanceof UpdateItemCommand && command.input.UpdateExpression === 'SET #register = :register'
          if (isRaise && !isChanged) {
            isChanged = true
            await lapidary.notes.patch('1', { colour: 'blue' })
            await vi.waitFor(async () => expect(await counting.stream.report()).toMatchObject({ pending: 0 }), PATIENCE)
          }
          return send(command)
        }),
        { config: client.config },
      )
      const mending = createLapidary({ ...options, client: through, stream: { immediate: true } })
      await mending.derived.rebuild('duplicates', QUICK)
      expect(isChanged).toBe(true)
      const states = await lapidary.derived.states()
      const found = await lapidary.derived.verify(QUICK)
      const isReady = states.some(
        ({ collection, name, state }) => collection === 'NOTE' && name === 'duplicates' && state === 'ready',
      )
      expect([isReady, found.differences]).toEqual([true, []])
    },
    powerSet({ kept: 'stream' }),
  ))

test('a repair makes up for no loss of a copy that it can not compare: that is made anew, or is not ready', () => {
  const kept = new Map<string, string>()
  let fills = 0
  const texts: CopyProjection = {
    ...{ name: 'texts', collection: 'NOTE', isItem: isNote },
    async apply(changes) {
      for (const { key, after } of changes) kept.set(key.PK, after?.colour?.S ?? '')
    },
    async fill() {
      fills += 1
      return {
        take: ({ PK, colour }) => kept.set(PK?.S ?? '', colour?.S ?? '').size > 0,
        async flush() {},
        async finish() {},
      }
    },
  }
  return withTable({ projections: [texts] }, async (lapidary, tableName) => {
    const table = tableThrough(client as DynamoDBClient, tableName, () => 0)
    const ready = async () => (await lapidary.derived.states()).find(({ name }) => name === 'texts')?.state === 'ready'
    await using poller = await lapidary.stream.start({ ...QUICK, heal: true })
    await lapidary.notes.create(note)
    await vi.waitFor(async () => expect([kept.get('NOTE#1'), await ready()]).toEqual(['red', true]), PATIENCE)
    const [shard] = poller.status().shards
    // As of a shard of which changes were lost: the change of this note among them.
    kept.set('NOTE#1', 'lost')
    const before = fills
    await noteGap(table, shard?.shardId ?? '', undefined).then((isNoted) => expect(isNoted).toBe(true))
    // Not that there is one: the poller may have made up for it by now.
    await vi.waitFor(async () => expect(await lapidary.derived.gaps()).toEqual([]), PATIENCE)
    await new Promise((resolve) => setTimeout(resolve, 7_000))
    const { notVerified } = await lapidary.derived.verify(QUICK)
    expect(notVerified).toMatchObject([{ projection: 'texts', reason: 'no_inspect' }])
    expect({ text: kept.get('NOTE#1'), isFilledAgain: fills > before, isReady: await ready() }).not.toEqual({
      text: 'lost',
      isFilledAgain: false,
      isReady: true,
    })
  })
})

test('a page index whose filling was refused before its end, as page markers refuse a block, is not ready by the register', async () => {
  const inTable = segments()
  const refused: PageStore = {
    ...inTable,
    name: 'refused',
    open(context) {
      const lists = inTable.open(context)
      return {
        ...lists,
        async fill() {
          const filling = await lists.fill()
          const finish = () =>
            Promise.reject(new LapidaryError('unprocessable', 'a block of page markers would be too long'))
          return { ...filling, finish }
        },
      }
    },
  }
  await withTable({ pages: refused }, async (lapidary) => {
    await lapidary.notes.create(note)
    await expect(lapidary.derived.rebuildPages(QUICK)).rejects.toMatchObject({ code: 'unprocessable' })
    const states = (await lapidary.derived.states()).filter(({ name }) => name === 'pages').map(({ state }) => state)
    expect(states).toEqual(['filling', 'filling'])
  })
})

test('a copy that may hold the items of an earlier table is not ready because a table was created', () => {
  const kept = new Map([['NOTE#earlier', 'red']])
  let fills = 0
  const texts: CopyProjection = {
    ...{ name: 'texts', collection: 'NOTE', isItem: isNote, apply: async () => {} },
    async fill() {
      fills += 1
      kept.clear()
      return { take: () => true, async flush() {}, async finish() {} }
    },
  }
  return withTable({ projections: [texts] }, async (lapidary) => {
    await using _poller = await lapidary.stream.start(QUICK)
    await vi.waitFor(async () => {
      expect((await lapidary.derived.states()).find(({ name }) => name === 'texts')?.state).toBe('ready')
    }, PATIENCE)
    expect([kept.size, fills]).toEqual([0, 1])
  })
})

test('while a store apart is away the counts are made all the same, in the background', async () => {
  const away: PageStore = {
    name: 'away',
    apart: true,
    open: () => ({
      ...memoryLists(),
      state: () => Promise.reject(new LapidaryError('unavailable', 'the store is away')),
    }),
  }
  await withTable({}, async (lapidary, tableName) => {
    await lapidary.notes.create(note)
    // As in a table that was filled by another program.
    const table = tableThrough(client as DynamoDBClient, tableName, () => 0)
    await changeDerivedRegister(table, (found) => withState(found, [...found.shapes.values()], 'filling'))
    const serving = createLapidary({
      ...{ client, tableName, collections: { notes, others }, cursorSecret: SECRET },
      ...{ derived: { counts: true, pages: away }, stream: { immediate: true } },
    })
    const errors = new Set<string>()
    await using _poller = await serving.stream.start({ ...QUICK, onError: (error) => void errors.add(String(error)) })
    const total = async () => (await serving.notes.count({ scope: 'a' })).total
    await vi.waitFor(async () => expect(await total()).toBe(1), PATIENCE)
    expect([await total(), [...errors]]).toMatchObject([1, expect.anything()])
  })
})

test('while one copy’s store is away another copy is filled all the same, in the background', async () => {
  const fill = async () => ({ take: () => true, async flush() {}, async finish() {} })
  const filled: CopyProjection = { name: 'filled', collection: 'NOTE', isItem: isNote, apply: async () => {}, fill }
  const away: CopyProjection = {
    ...{ name: 'away', collection: 'NOTE', apart: 'cache', isItem: isNote, apply: async () => {} },
    state: async () => 'absent',
    fill: () => Promise.reject(new LapidaryError('unavailable', 'the store is away')),
  }
  await withTable({}, async (lapidary, tableName) => {
    await lapidary.notes.create(note)
    const serving = createLapidary({
      ...{ client, tableName, collections: { notes, others }, cursorSecret: SECRET },
      ...{ derived: { projections: [filled, away] }, stream: { immediate: true } },
    })
    await using _poller = await serving.stream.start({ ...QUICK, onError: () => {} })
    const state = async () => (await serving.derived.states()).find(({ name }) => name === 'filled')?.state
    await vi.waitFor(async () => expect(await state()).toBe('ready'), PATIENCE)
    expect(await state()).toBe('ready')
  })
})
