import { expect, test } from 'vitest'
import { comment, comments } from '../../test/comments-fixture.ts'
import { memoryItems } from '../../test/memory-items/memory-items.ts'
import type { Difference } from '../derived/copy-inspection.ts'
import { indexes } from '../layouts/indexes/indexes.ts'
import { type Collection, defineCollection, type Item } from '../model/collection.ts'
import { createEntryCodec, type Entry } from '../model/entry.ts'
import type { CollectionContext } from '../operations/context.ts'
import { changeRegister, declaredIndexes } from '../schema/index-register.ts'
import { KEYS, keysProjection } from './key-inspection.ts'

const having = (declared: object): Collection =>
  defineCollection({ ...comments, indexes: declared } as never) as unknown as Collection
const narrow = having({ all: {} })
const wide = having({ all: {}, byLanguage: { partition: ['language'] } })
const layoutOf = (collection: Collection) => indexes().of(collection)

/** The entry of a comment with the keys of a declaration's indexes. */
function entryOf(collection: Collection, id = '1'): Entry {
  const item = comment({ id }) as Item
  const [entry = {}] = layoutOf(collection).entriesOf(item, createEntryCodec(collection).toEntry(item))
  return entry
}
const keysOf = (name: string): string[] => {
  const index = layoutOf(wide).indexes.find((each) => each.name === name) ?? expect.fail()
  return [...index.keys.partition, ...index.keys.sort].map((key) => key.name)
}

/** What is told of entries, where the table knows these indexes, each in a state. */
async function told(states: Readonly<Record<string, 'filling' | 'ready'>>, ...entries: Entry[]): Promise<Difference[]> {
  const table = memoryItems()
  const declared = declaredIndexes(wide, layoutOf(wide))
  await changeRegister(table, narrow, (register) => ({
    ...register,
    indexes: Object.fromEntries(
      Object.entries(states).map(([name, state]) => {
        const { digest = '', rule, include } = declared.get(name) ?? {}
        return [name, { digest, rule, include, state, since: 0, proven: true }]
      }),
    ),
  }))
  const context = { table, collection: narrow, layout: layoutOf(narrow), codec: createEntryCodec(narrow) }
  const differences: Difference[] = []
  const keys = await keysProjection(context as unknown as CollectionContext).inspect?.()
  for (const entry of entries) keys?.see(entry, (found) => differences.push(...found))
  return differences
}
const without = (entry: Entry, ...names: string[]): Entry =>
  Object.fromEntries(Object.entries(entry).filter(([name]) => !names.includes(name)))

test('an entry with the keys of its indexes has no difference, nor has what is no item', async () => {
  expect(await told({}, entryOf(narrow))).toEqual([])
  expect(await told({ all: 'ready', byLanguage: 'ready' }, entryOf(wide))).toEqual([])
  expect(await told({}, without({ ...entryOf(narrow), PK: { S: 'OTHER#1' } }, ...keysOf('all')))).toEqual([])
})

test('a key that is missing, wrong or one too many is told with what it should be', async () => {
  const entry = entryOf(narrow)
  const [first = '', second = ''] = keysOf('all')
  const common = { projection: KEYS, collection: 'COMMENT', target: { PK: 'COMMENT#1', SK: '~' } }
  expect(await told({}, without(entry, first))).toEqual([
    { ...common, kind: 'missing', name: first, expected: entry[first]?.S, actual: null },
  ])
  expect(await told({}, { ...entry, [second]: { S: 'elsewhere' } })).toEqual([
    { ...common, kind: 'wrong', name: second, expected: entry[second]?.S, actual: 'elsewhere' },
  ])
})

test('an index that the table alone knows is kept by its rule, and one that is filling lacks nothing yet', async () => {
  const bare = entryOf(narrow)
  const [partition] = keysOf('byLanguage')
  expect(await told({ byLanguage: 'ready' }, bare)).toMatchObject([{ kind: 'missing', name: partition }])
  expect(await told({ byLanguage: 'filling' }, bare)).toEqual([])
  const unplaced = without(bare, ...keysOf('all'))
  expect(await told({ all: 'filling' }, unplaced)).toEqual([])
  expect(await told({ all: 'ready' }, unplaced)).toHaveLength(2)
})
