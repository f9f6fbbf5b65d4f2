import { type AttributeValue, DeleteItemCommand, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import {
  anyOf,
  type CopyProjection,
  createLapidary,
  type DerivedOptions,
  defineCollection,
  type Lapidary,
  lookup,
  type SumProjection,
} from 'lapidary'
import { importItems } from 'lapidary/transfer'
import { chosenSeed, seededRandom } from 'lapidary-testing'
import { expect, test } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../../test/engines/index.ts'
import { PATIENCE } from '../../../../test/engines/patience.ts'
import { duplicates, setsWith } from './duplicates-projection.ts'
import { BOXES, COLOURS, KINDS, type Note, notes } from './notes.ts'
import { rangeOf, ranges } from './ranges-projection.ts'

const [engine] = testEngines()
if (engine === undefined) throw new Error('there is no engine')
const seed = chosenSeed(process.env.DERIVED_SEED)
console.info(`DERIVED_SEED=${seed}`)

const client = createTestClient(engine)
type Database = Lapidary<{ notes: typeof notes }>
const QUICK = { idleMs: 20 } as const

/** A database with derived data of an author's own, as any program would have it. */
async function withNotes(
  derived: DerivedOptions,
  use: (database: Database, tableName: string) => Promise<void>,
): Promise<void> {
  const tableName = uniqueTableName()
  const lapidary = createLapidary({
    ...{ client, tableName, collections: { notes }, cursorSecret: 'a secret of the tests' },
    ...{ derived, stream: { immediate: true } },
  })
  await lapidary.table.create()
  try {
    await use(lapidary, tableName)
  } finally {
    await dropTables(client, [tableName])
  }
}

/** Makes notes, and changes and deletes some; gives those that are left. */
async function write({ notes: target }: Database, random: () => number): Promise<readonly Note[]> {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
  const left = new Map<string, Note>()
  for (let i = 0; i < 40; i++) {
    const drawn = { box: pick(BOXES), kind: pick(KINDS), colour: pick(COLOURS), place: Math.floor(random() * 100) }
    left.set(`${i}`, await target.create({ ...drawn, id: `${i}`, text: 'new' }))
    const id = pick([...left.keys()])
    if (random() < 0.4) left.set(id, await target.patch(id, { place: drawn.place, colour: drawn.colour }))
    else if (random() < 0.3 && left.delete(id)) await target.delete(id)
  }
  return [...left.values()]
}

async function counted({ derived }: Database): Promise<void> {
  while ((await derived.verify(QUICK)).pending > 0) await new Promise((resolve) => setTimeout(resolve, 50))
}

/** How many items each range has, and the keys of the duplicates: as they are, and as they should be. */
async function kept(TableName: string): Promise<unknown> {
  const { Items = [] } = await client.send(new ScanCommand({ TableName, ConsistentRead: true }))
  const of = (kind: string): readonly Record<string, AttributeValue>[] =>
    Items.filter(({ PK }) => PK?.S?.startsWith(`~${kind}#`))
  return {
    ranges: Object.fromEntries(of('ranges').map(({ PK, SK, items }) => [`${PK?.S} ${SK?.S}`, Number(items?.N)])),
    duplicates: of('duplicates')
      .map(({ PK, SK, list }) => `${PK?.S} ${SK?.S} ${list?.S}`)
      .sort(),
  }
}

function expected(left: readonly Note[]): unknown {
  const counts: Record<string, number> = {}
  for (const { box, place } of left) {
    const key = `~ranges#NOTE#${encodeURIComponent(box)} ${rangeOf(place)}`
    counts[key] = (counts[key] ?? 0) + 1
  }
  const keys = left.flatMap(({ id, box, colour }) =>
    setsWith(colour).map((set) => `~duplicates#NOTE#${id} ${set} ${box}/${set}`),
  )
  return { ranges: counts, duplicates: keys.sort() }
}

/** The texts of notes by their key, outside of the table. */
function copyOf(copied: Map<string, string>): CopyProjection {
  return {
    name: 'texts',
    collection: 'NOTE',
    isItem: ({ PK, SK }) => PK.startsWith('NOTE#') && SK === '~',
    async apply(changes) {
      for (const { key, after } of changes) {
        if (after === undefined) copied.delete(key.PK)
        else copied.set(key.PK, `${after.place?.N} ${after.text?.S}`)
      }
    },
  }
}

test('projections of an author’s own are kept from the stream, verified and repaired beside the library’s', () =>
  withNotes({ counts: true, projections: [duplicates, ranges] }, async (lapidary, TableName) => {
    await using _poller = await lapidary.stream.start({ idleMs: 20, gatherMs: 60 })
    const left = await write(lapidary, seededRandom(seed))
    await counted(lapidary)
    expect(await kept(TableName)).toEqual(expected(left))
    expect(await lapidary.derived.verify(QUICK)).toMatchObject({ differenceCount: 0, items: left.length })

    const [first] = left
    if (first === undefined) throw new Error('no note is left')
    const range = { PK: { S: `~ranges#NOTE#${encodeURIComponent(first.box)}` }, SK: { S: `${rangeOf(first.place)}` } }
    const duplicate = { PK: { S: `~duplicates#NOTE#${first.id}` }, SK: { S: first.colour } }
    await client.send(new PutItemCommand({ TableName, Item: { ...range, items: { N: '1000' } } }))
    await client.send(new DeleteItemCommand({ TableName, Key: duplicate }))
    const { differences } = await lapidary.derived.verify(QUICK)
    expect(new Set(differences.map(({ projection, kind }) => `${projection} ${kind}`))).toEqual(
      new Set(['sets missing', 'ranges wrong']),
    )
    expect(await lapidary.derived.repair({ ...QUICK, poll: false })).toMatchObject({ mended: 2 })
    expect(await kept(TableName)).toEqual(expected(left))
    expect((await lapidary.notes.count({ scope: first.box })).total).toBe(
      left.filter(({ box }) => box === first.box).length,
    )
  }))

test('one that is declared later is filled by a rebuild of its own', () =>
  withNotes({}, async (before, tableName) => {
    const left = await write(before, seededRandom(seed))
    const after = createLapidary({
      ...{ client, tableName, collections: { notes }, cursorSecret: 'a secret of the tests' },
      ...{ derived: { projections: [duplicates, ranges] }, stream: { immediate: true } },
    })
    for (const name of ['sets', 'ranges']) await after.derived.rebuild(name, QUICK)
    expect(await kept(tableName)).toEqual(expected(left))
  }))

test('a sample is verified by whole items, of which lists show only a part', async () => {
  const tableName = uniqueTableName()
  const letters = defineCollection({
    ...{ name: 'NOTE', schema: notes.schema, id: 'id', order: { attribute: 'place', type: 'number' } },
    scope: { name: 'BOX', attribute: 'box' },
    facets: { colour: anyOf(COLOURS) },
    attributes: { id: 'i', box: 'b', colour: 'c', place: 'p', kind: 'd', text: lookup('x') },
  })
  const lengths: SumProjection = {
    name: 'lengths',
    collection: 'NOTE',
    dated: false,
    isItem: ({ PK, SK }) => PK.startsWith('NOTE#') && SK === '~',
    contributions({ b, x }) {
      if (x?.S === undefined) throw new TypeError('no text')
      return [{ target: { PK: `~lengths#NOTE#${b?.S}`, SK: '~' }, amounts: { letters: x.S.length } }]
    },
    owns: ({ PK }) => PK.startsWith('~lengths#NOTE#'),
    partitionOf: (scope) => `~lengths#NOTE#${scope}`,
    entryOf: (_, { letters = 0 }) => (letters === 0 ? undefined : { letters: { N: String(letters) } }),
    amountsOf: ({ letters }) => ({ letters: Number(letters?.N ?? 0) }),
  }
  const lapidary = createLapidary({
    ...{ client, tableName, collections: { letters }, cursorSecret: 'a secret of the tests' },
    ...{ derived: { projections: [lengths] }, stream: { immediate: true } },
  })
  await lapidary.table.create()
  for (let i = 0; i < 130; i++) {
    await lapidary.letters.create({ id: `${i}`, box: 'a', colour: 'red', place: i, kind: 'done', text: `${i}` })
  }
  await lapidary.derived.rebuild(undefined, QUICK)
  const sound = await lapidary.derived.verify({ ...QUICK, sample: 5 })
  expect(sound).toMatchObject({ differenceCount: 0, uncountable: 0, items: 130 })
  const wrong = { PK: { S: '~lengths#NOTE#a' }, SK: { S: '~' }, letters: { N: '1' } }
  await client.send(new PutItemCommand({ TableName: tableName, Item: wrong }))
  const { differences } = await lapidary.derived.verify({ ...QUICK, sample: 5 })
  expect(differences).toMatchObject([{ projection: 'lengths', kind: 'wrong' }])
  await dropTables(client, [tableName])
})

test('a sample of a collection that no lists hold whole is refused in words that say what to do', async () => {
  const tableName = uniqueTableName()
  const redOnly = defineCollection({
    ...{ name: 'NOTE', schema: notes.schema, id: 'id', order: { attribute: 'place', type: 'number' } },
    scope: { name: 'BOX', attribute: 'box' },
    facets: { colour: anyOf(COLOURS) },
    indexes: { redOnly: { only: { colour: ['red'] } } },
  })
  const { table, derived, ...database } = createLapidary({
    ...{ client, tableName, collections: { redOnly }, cursorSecret: 'a secret of the tests' },
    stream: { immediate: true },
  })
  await table.create()
  await database.redOnly.create({ id: '1', box: 'a', colour: 'blue', place: 1, kind: 'done', text: '' })
  await derived.rebuild(undefined, QUICK)
  await expect(derived.verify({ ...QUICK, sample: 1 })).rejects.toMatchObject({
    code: 'query_not_plannable',
    message: expect.stringContaining('without a sample'),
  })
  expect(await derived.verify(QUICK)).toMatchObject({ differenceCount: 0, items: 1 })
  await dropTables(client, [tableName])
})

test('a copy in another store is given the changes of its items, the last one last', () => {
  const copied = new Map<string, string>()
  return withNotes({ projections: [copyOf(copied)] }, async (lapidary) => {
    await using _poller = await lapidary.stream.start({ idleMs: 20, gatherMs: 60 })
    const left = await write(lapidary, seededRandom(seed))
    const expected = new Map(left.map(({ id, place, text }) => [`NOTE#${id}`, `${place} ${text}`]))
    await expect.poll(() => copied).toEqual(expected)
  })
})

test('a rebuild that finds a backlog which no process counts skips none of it for a copy', () => {
  const copied = new Map<string, string>()
  return withNotes({ projections: [copyOf(copied)] }, async (lapidary) => {
    const many = Array.from({ length: 1_100 }, (_, i) => ({
      ...{ id: `${i}`, box: 'a', kind: 'done', colour: 'red', place: i % 100, text: 'imported' },
    }))
    await importItems(lapidary.notes, many)
    await lapidary.derived.rebuild(undefined, QUICK)
    expect(copied.size).toBe(many.length)
  })
})

test('a copy of one’s own that can be filled is made of the items that were there before it, in the background too', async () => {
  const copied = new Map<string, string>()
  let fills = 0
  const filled: CopyProjection = {
    ...copyOf(copied),
    async fill() {
      fills += 1
      return {
        take: ({ PK, place, text }) => copied.set(PK?.S ?? '', `${place?.N} ${text?.S}`).size > 0,
        async flush() {},
        async finish() {},
      }
    },
  }
  await withNotes({}, async (before, tableName) => {
    const left = await write(before, seededRandom(seed))
    const expected = new Map(left.map(({ id, place, text }) => [`NOTE#${id}`, `${place} ${text}`]))
    const { notes: _, ...lapidary } = createLapidary({
      ...{ client, tableName, collections: { notes }, cursorSecret: 'a secret of the tests' },
      ...{ derived: { projections: [filled] }, stream: { immediate: true } },
    })
    await using _poller = await lapidary.stream.start({ idleMs: 20, gatherMs: 60 })
    await expect
      .poll(async () => (await lapidary.derived.states()).find(({ name }) => name === 'texts')?.state, PATIENCE)
      .toBe('ready')
    expect([copied, fills]).toEqual([expected, 1])
    copied.clear()
    expect(await lapidary.derived.rebuild('texts')).toMatchObject({ items: left.length })
    expect([copied, fills]).toEqual([expected, 2])
    expect((await lapidary.derived.verify(QUICK)).notVerified).toEqual([
      { projection: 'texts', collection: 'NOTE', reason: 'no_inspect' },
    ])
  })
})
