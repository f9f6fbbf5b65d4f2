import { DeleteItemCommand, type DynamoDBClient, ScanCommand, type ScanCommandOutput } from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import { anyOf, createLapidary, defineCollection, type ScanProgress } from 'lapidary'
import { createFaultKit, intercepted } from 'lapidary-testing'
import { describe, expect, test } from 'vitest'
import { testEngines } from '../../../test/engines/index.ts'
import { collect } from './collect.ts'
import { schemaOf } from './comments-fixture.ts'
import { openTestTable } from './test-table.ts'

type Member = {
  readonly id: string
  readonly organisation: string
  readonly at: string
  readonly role: 'admin' | 'owner' | 'user'
}

const base = {
  schema: schemaOf<Member>(),
  id: 'id',
  order: 'at',
  facets: { role: anyOf(['admin', 'owner', 'user']) },
  scope: { name: 'ORGANISATION', attribute: 'organisation' },
} as const
const leading = { only: { role: ['admin', 'owner'] } } as const
const members = defineCollection({ ...base, name: 'MEMBER', indexes: { all: {}, everyone: { scan: true }, leading } })
/** In the same table, with an index of the same name: what they share, a scan tells apart. */
const guests = defineCollection({ ...base, name: 'GUEST', indexes: { all: {}, leading } })

function member(id: string, role: Member['role'], organisation = 'o1'): Member {
  return { id, organisation, role, at: '2024-01-01T00:00:00.000Z' }
}

const byId = (a: Member, b: Member): number => (a.id < b.id ? -1 : 1)

describe.each(testEngines())('a scan on $name', (engine) => {
  test('gives each item of the index once, whatever the segments, cuts and throttles', async () => {
    await using table = await openTestTable(engine, { members, guests })
    const { client, tableName, lapidary } = table
    const all = new Map<string, Member>()
    const drawn = fc.record({
      id: fc.string({ minLength: 1, maxLength: 5, unit: 'grapheme' }),
      role: fc.constantFrom<Member['role']>('admin', 'owner', 'user'),
      organisation: fc.constantFrom('o1', 'o/1', '~'),
    })
    let seed = 1
    await fc.assert(
      fc.asyncProperty(fc.array(drawn, { maxLength: 15 }), fc.integer({ min: 1, max: 8 }), async (added, segments) => {
        for (const { id, role, organisation } of added) {
          if (all.has(id)) await lapidary.members.patch(id, { role })
          else await lapidary.members.create(member(id, role, organisation))
          all.set(id, member(id, role, all.get(id)?.organisation ?? organisation))
        }
        await lapidary.guests.create(member(`guest-${seed}`, 'admin'))
        const faults = createFaultKit({ seed: seed++, rates: { throttled: 0.2, short: 0.4 } }).dynamodb(client)
        const collections = { members, guests }
        const options = { client: faults, tableName, collections, cursorSecret: 'a secret of the tests' }
        const through = createLapidary({ ...options, random: () => 0 })
        const everyone = await collect(through.members.scan('everyone', { segments }))
        expect(everyone.toSorted(byId)).toEqual([...all.values()].toSorted(byId))
        const heads = await collect(through.members.scan('leading', { segments }))
        const leaders = [...all.values()].filter(({ role }) => role !== 'user')
        expect(heads.toSorted(byId)).toEqual(leaders.toSorted(byId))
      }),
      { numRuns: engine.name === 'embedded' ? 12 : 3 },
    )
  })

  test('goes on where the item that a page ended with is deleted', async () => {
    await using table = await openTestTable(engine, { members })
    const { client, tableName, lapidary } = table
    for (let i = 0; i < 60; i++) await lapidary.members.create(member(`m${i}`, 'user'))
    const ended = new Set<string>()
    const deleting = intercepted<DynamoDBClient>(client, async (command, send) => {
      if (!(command instanceof ScanCommand)) return send(command)
      command.input.Limit = 7
      const page = (await send(command)) as ScanCommandOutput
      const { PK, SK } = page.LastEvaluatedKey ?? {}
      if (PK === undefined || SK === undefined) return page
      ended.add(PK.S ?? '')
      await client.send(new DeleteItemCommand({ TableName: tableName, Key: { PK, SK } }))
      return page
    })
    const options = { tableName, collections: { members }, cursorSecret: 'a secret of the tests' }
    const through = createLapidary({ ...options, client: deleting })
    const everyone = await collect(through.members.scan('everyone', { segments: 3 }))
    expect(everyone).toHaveLength(60)
    expect(ended.size).toBeGreaterThan(2)
    const left = 60 - ended.size
    ended.clear()
    // One that a page ends with may be on that page, and deleted after it was read.
    const { collections } = await through.table.backfill({ segments: 3, dryRun: true })
    expect(collections).toMatchObject([{ items: left }])
    expect(ended.size).toBeGreaterThan(2)
  })

  test('reads the index alone, and tells how far it is', async () => {
    await using table = await openTestTable(engine, { members, guests })
    const { lapidary } = table
    for (let i = 0; i < 120; i++) {
      await lapidary.members.create(member(`m${String(i).padStart(3, '0')}`, i % 10 === 0 ? 'admin' : 'user'))
      await lapidary.guests.create(member(`g${i}`, 'user'))
    }
    const told: ScanProgress[] = []
    const options = { segments: 1, onProgress: (progress: ScanProgress) => void told.push(progress) }
    expect(await collect(lapidary.members.scan('leading', options))).toHaveLength(12)
    expect(told.at(-1)).toEqual({ items: 12, capacity: 0.5 })
    expect(await collect(lapidary.members.scan('everyone', options))).toHaveLength(120)
    // 120 entries of some 130 bytes.
    expect(told.at(-1)).toEqual({ items: 120, capacity: 2 })
  })
})

describe('a scan', () => {
  const [engine] = testEngines()
  test('keeps a budget, and ends with its signal', async () => {
    await using table = await openTestTable(engine as never, { members })
    const { lapidary } = table
    for (let i = 0; i < 300; i++) await lapidary.members.create(member(`m${i}`, 'user'))
    const startedAt = performance.now()
    let spent = 0
    const onProgress = ({ capacity }: ScanProgress): void => {
      spent = capacity
    }
    expect(await collect(lapidary.members.scan('everyone', { segments: 2, capacity: 5, onProgress }))).toHaveLength(300)
    // The first five are there at once; each of the others takes a fifth of a second.
    expect((performance.now() - startedAt) / 1000).toBeGreaterThan((spent - 5 - 2) / 5)

    const controller = new AbortController()
    const found: Member[] = []
    const reading = async (): Promise<void> => {
      for await (const each of lapidary.members.scan('everyone', { capacity: 1_000, signal: controller.signal })) {
        found.push(each)
        controller.abort(new Error('enough'))
      }
    }
    await expect(reading()).rejects.toThrow('enough')
    expect(found.length).toBeLessThan(300)
  })

  test('is refused where it would read other things, or what is not complete', async () => {
    await using table = await openTestTable(engine as never, { members: guests })
    const { lapidary, client, tableName } = table
    const first = (index: string, options = {}) => lapidary.members.scan(index, options).next()
    await expect(first('all')).rejects.toMatchObject({
      code: 'unprocessable',
      message: expect.stringContaining('"all" is no index that holds GUEST alone'),
    })
    await expect(first('leading', { segments: 0 })).rejects.toMatchObject({ code: 'unprocessable' })
    await expect(first('leading', { capacity: Number.NaN })).rejects.toMatchObject({ code: 'unprocessable' })
    await lapidary.members.create(member('m1', 'user'))
    const more = defineCollection({ ...base, name: 'GUEST', indexes: { all: {}, leading, everyone: { scan: true } } })
    const later = createLapidary({
      ...{ client, tableName, cursorSecret: 'a secret of the tests' },
      collections: { members: more },
    })
    await expect(later.members.scan('everyone').next()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('lapidary backfill completes it'),
    })
  })
})

describe('a sparse index', () => {
  const [engine] = testEngines()
  test('is used where the query implies its condition, and refused where the query goes beyond it', async () => {
    await using table = await openTestTable(engine as never, { members })
    const { lapidary } = table
    const planned = async (role: readonly Member['role'][]) =>
      (await lapidary.members.plan({ scope: 'o1', where: { role } })).text
    expect(await planned(['admin', 'owner'])).toContain('leading[o1] BY position')
    expect(await planned(['admin'])).toContain('leading[o1] FILTER role IN (admin)')
    expect(await planned(['admin', 'user'])).not.toContain('leading')
    const { rejected } = await lapidary.members.plan({ scope: 'o1' })
    expect(rejected).toContainEqual(
      expect.objectContaining({ text: 'leading', reason: 'sparse: it holds only role in (admin, owner)' }),
    )
  })

  test('whose condition can never hold is refused', () => {
    const declare = (role: readonly never[]) => () =>
      defineCollection({ ...base, name: 'MEMBER', indexes: { some: { only: { role } } } })
    expect(declare([])).toThrow('index some is only for role in an empty set; it would hold nothing')
    expect(declare(['boss' as never])).toThrow(
      'index some is only for role, which must be one of "admin", "owner", "user"',
    )
  })
})
