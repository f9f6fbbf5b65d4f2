import { type TransactWriteItem, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { anyOf, createLapidary, defineCollection, increment, indexes, oneOf, powerSet } from 'lapidary'
import { importItems } from 'lapidary/transfer'
import { describe, expect, test } from 'vitest'
import { testEngines } from '../../../test/engines/index.ts'
import { schemaOf } from './comments-fixture.ts'
import { openTestTable } from './test-table.ts'

type Post = {
  readonly id: string
  readonly forum: string
  readonly at: string
  readonly kind: string
  readonly stars: number
  readonly text: string
  readonly votes: number
  readonly seen: number
  readonly version: number
  readonly changed: string | null
}

const base = {
  name: 'POST',
  schema: schemaOf<Post>(),
  id: 'id',
  scope: { name: 'FORUM', attribute: 'forum' },
  order: 'at',
  orders: { votes: { attribute: 'votes', type: 'number' } },
  facets: { kind: oneOf(), stars: anyOf([1, 2]) },
} as const
const posts = defineCollection({ ...base, version: 'version', updatedAt: 'changed' })
/** As a process has it that does not know of versions yet. */
const unversioned = defineCollection(base)

const POST = { id: '1', forum: 'f', at: '2026-01-01T00:00:00.000Z', kind: 'a', stars: 1, text: '', votes: 0, seen: 0 }
const VOTE = { votes: increment(1), seen: increment(1) }
/** Of which no key is made, so that nothing but its versions tells a late write that the item has changed. */
const SEEN = { seen: increment(1) }
const BESIDE = { keepVersion: true }

describe.each([indexes(), powerSet()])('a patch that keeps the version, by $name', (layout) => {
  const [engine] = testEngines()
  if (engine === undefined) throw new Error('no engine')

  test('leaves version and time alone, and a caller who has read the item before changes it by its version', async () => {
    await using table = await openTestTable(engine, { posts }, { layout })
    const { posts: client } = table.lapidary
    const read = await client.create(POST)
    const voted = await client.patch('1', VOTE, BESIDE)
    expect(voted).toEqual({ ...read, votes: 1, seen: 1 })
    expect(await client.patch('1', VOTE, { ...BESIDE, ifVersion: 1 })).toEqual({ ...read, votes: 2, seen: 2 })
    const edited = await client.patch('1', { text: 'edited' }, { ifVersion: read.version })
    expect(edited).toMatchObject({ text: 'edited', version: 2, votes: 2 })
    expect(edited.changed).not.toBeNull()
    await expect(client.patch('1', VOTE, { ...BESIDE, ifVersion: 1 })).rejects.toMatchObject({
      code: 'version_conflict',
    })
    const { items } = await client.list({ scope: 'f', by: 'votes' })
    expect(items).toEqual([edited])
  })

  test.each(['restored', 'imported'] as const)(
    'is refused where it was planned of an item that was %s since, however often, and at one time of the clock',
    async (way) => {
      const clock = (): number => Date.UTC(2026, 0, 1)
      await using table = await openTestTable(engine, { posts }, { layout, clock })
      const { posts: client } = table.lapidary
      await client.create(POST)
      const send = ({ writes }: { readonly writes: readonly object[] }) =>
        table.client.send(new TransactWriteItemsCommand({ TransactItems: [...writes] as TransactWriteItem[] }))
      const see = async (times: number): Promise<void> => {
        for (let i = 0; i < times; i++) await client.patch('1', SEEN, BESIDE)
      }
      const comesBack = async (): Promise<void> => {
        const before = await client.get('1')
        if (way === 'imported') await importItems(client, [before], { onConflict: 'replace' })
        else {
          await client.delete('1')
          await send(await client.writes.create(before, { restored: true }))
        }
        expect(await client.get('1')).toEqual(before)
      }
      await comesBack()
      await see(3)
      const late = await client.writes.patch('1', SEEN, BESIDE)
      await see(2)
      await comesBack()
      for (let i = 0; i < 6; i++) {
        await expect(send(late)).rejects.toThrow()
        await see(1)
      }
      expect(await client.get('1')).toMatchObject({ seen: 11 })
    },
  )

  test('loses nothing beside others at the same time, nor do they: of the item, its entries and its versions', async () => {
    await using table = await openTestTable(engine, { posts }, { layout })
    const { posts: client } = table.lapidary
    await client.create(POST)
    const made = <T>(n: number, make: (i: number) => Promise<T>) =>
      Promise.all(Array.from({ length: n }, (_, i) => make(i)))
    const again = async (i: number): Promise<void> => {
      const { version } = await client.get('1')
      try {
        await client.patch('1', { text: `edit ${i}`, stars: 2 }, { ifVersion: version })
      } catch (error) {
        expect(error).toMatchObject({ code: 'version_conflict' })
        await again(i)
      }
    }
    await Promise.all([made(12, () => client.patch('1', VOTE, BESIDE)), made(3, again)])
    const post = await client.get('1')
    expect(post).toMatchObject({ votes: 12, seen: 12, stars: 2, version: 4 })
    expect(post.text).toMatch(/^edit/)
    for (const where of [{}, { kind: 'a' }, { stars: [2] }] as const)
      expect((await client.list({ scope: 'f', by: 'votes', where })).items).toEqual([post])
  })

  test('hides no change of a process that counts no versions', async () => {
    await using table = await openTestTable(engine, { posts }, { layout })
    const { posts: client } = table.lapidary
    await client.create(POST)
    const others = createLapidary({
      ...{ client: table.client, tableName: table.tableName, layout, collections: { posts: unversioned } },
      cursorSecret: 'a secret of the tests',
    })
    await others.posts.patch('1', { text: 'of another process' })
    await client.patch('1', VOTE, BESIDE)
    await expect(client.patch('1', { text: 'mine' }, { ifVersion: 1 })).rejects.toMatchObject({
      code: 'version_conflict',
    })
  })
})
