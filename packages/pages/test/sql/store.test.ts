import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import type { ListChange, ListEntry, RankQuestion, SortedLists } from 'lapidary'
import { relationalLists, type SendSql } from 'lapidary-pages'
import { chosenSeed, memoryLists, seededRandom } from 'lapidary-testing'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { PATIENCE } from '../../../../test/engines/patience.ts'
import { SMALL_SIZES } from '../../../lapidary/test/pages/memory-nodes.ts'
import { expectWeekOfMarks } from '../../../lapidary/test/pages/week-of-marks.ts'
import { migrate, quoted } from '../../src/sql/migrations.ts'
import { relationalListsOf } from '../../src/sql/relational-lists.ts'
import { querying } from '../../src/sql/sql-client.ts'
import { contextOf, openPostgres, type PostgresSetting, sendTo } from './setting.ts'

const seed = chosenSeed(process.env.FC_SEED)
const CELLS = ['en#5', 'en#4', 'de#5'] as const
const EVERYTHING: Omit<RankQuestion, 'groups' | 'offset'> = {
  includes: () => true,
  lower: undefined,
  upper: undefined,
  ascending: true,
}

let real: PostgresSetting
let opened = 0
beforeAll(async () => {
  real = await openPostgres()
})
afterAll(() => real[Symbol.asyncDispose]())

async function openSmall(namespace = `S${opened++}`): Promise<SortedLists> {
  const store = relationalListsOf({ query: sendTo(real.pool), schema: 'small' }, SMALL_SIZES)
  const lists = store.open(contextOf(namespace))
  await lists.create()
  return lists
}

/** Changes of one shard: its own items are added, moved and removed in the groups that all shards share. */
function historyOf(shard: number, length: number): readonly ListChange[] {
  const random = seededRandom(seed + shard)
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T
  const at = new Map<number, ListEntry>()
  return Array.from({ length }, (_, i) => {
    const item = Math.floor(random() * (length / 3))
    const was = at.get(item)
    const group = was?.group ?? pick(['a', 'b', 'c', 'd'])
    const place = { score: item % 50, member: `${shard}-${item}` }
    const is = random() < 0.25 && was !== undefined ? undefined : { group, cell: pick(CELLS), place }
    if (is === undefined) at.delete(item)
    else at.set(item, is)
    const steps = [was && ({ op: 'remove', ...was } as const), is && ({ op: 'add', ...is } as const)]
    return { sequenceNumber: String(10_000 + i), steps: steps.filter((step) => step !== undefined) }
  })
}

async function groupsOf(lists: SortedLists): Promise<readonly string[]> {
  const found: string[] = []
  for await (const group of (await lists.inspect?.())?.groups() ?? []) found.push(group)
  return found
}

async function allOf(lists: SortedLists, group: string): Promise<readonly unknown[]> {
  const found: unknown[] = []
  for (const cell of CELLS) {
    const question = { ...EVERYTHING, groups: [group], includes: (each: string) => each === cell }
    const { total } = await lists.select({ ...question, offset: 0 })
    for (let offset = 0; offset < total; offset++) {
      found.push([cell, (await lists.select({ ...question, offset })).place])
    }
  }
  return found
}

async function expectSame(lists: SortedLists, truth: SortedLists): Promise<void> {
  for (const group of ['a', 'b', 'c', 'd']) {
    await lists.validate(group)
    expect(await allOf(lists, group)).toEqual(await allOf(truth, group))
  }
}

test('shards that are written at once, each in batches that overlap, come to what they are one after the other', async () => {
  const lists = await openSmall()
  const truth = memoryLists()
  await truth.create()
  const shards = [0, 1, 2, 3, 4, 5]
  await Promise.all(
    shards.map(async (shard) => {
      const changes = historyOf(shard, 240)
      for (let i = 0; i < changes.length; i += 20) {
        // What was taken in comes again with what was not.
        await lists.apply(`shard-${shard}`, changes.slice(Math.max(0, i - 15), i + 20))
      }
    }),
  )
  for (const shard of shards) await truth.apply(`shard-${shard}`, historyOf(shard, 240))
  await expectSame(lists, truth)
})

test('two processes with the same shard take each change in once', async () => {
  const namespace = `S${opened++}`
  const [one, other] = [await openSmall(namespace), await openSmall(namespace)]
  const truth = memoryLists()
  await truth.create()
  const changes = historyOf(7, 300)
  await truth.apply('shard', changes)
  // Each at its own pace, so that one is told of changes that the other has gone past.
  await Promise.all(
    [one, other, one, other].map(async (lists, n) => {
      for (let i = 0; i < changes.length; i += 5 + n) await lists.apply('shard', changes.slice(i, i + 5 + n))
    }),
  )
  await expectSame(one, truth)
})

test('the mark of a shard that was still for a week is gone', async () => expectWeekOfMarks(await openSmall()))

test('a server that is killed at any moment has each batch as a whole or not at all', async () => {
  const lists = await openSmall()
  const truth = memoryLists()
  await truth.create()
  const changes = historyOf(8, 600)
  await truth.apply('shard', changes)
  let kills = 0
  const writing = (async () => {
    for (let i = 0; i < changes.length; ) {
      try {
        await lists.apply('shard', changes.slice(i, i + 12))
        i += 12
      } catch (error) {
        expect(error).toMatchObject({
          code: 'unavailable',
          message: expect.stringContaining('postgres does not answer'),
        })
        await sleep(50)
      }
    }
  })()
  const random = seededRandom(seed)
  for (; kills < 3; kills++) {
    await sleep(100 + random() * 200)
    await real.server.kill()
    await expect(lists.select({ ...EVERYTHING, groups: ['a'], offset: 0 })).rejects.toMatchObject({
      code: 'unavailable',
    })
    await real.server.restart()
  }
  await writing
  await expectSame(lists, truth)
})

test('a connection that is lost in the middle says what failed, without the statement and its values', async () => {
  const lists = await openSmall()
  await lists.apply('shard', historyOf(9, 10))
  const ending = (async () => {
    for (let i = 0; i < 40; i++) {
      await real.pool.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'",
      )
      await sleep(5)
    }
  })().catch(() => undefined)
  const failures: unknown[] = []
  const asking = Array.from({ length: 200 }, () =>
    lists.select({ ...EVERYTHING, groups: ['a'], offset: 0 }).catch((error: unknown) => failures.push(error)),
  )
  await Promise.all([...asking, ending])
  for (const failure of failures) {
    expect(failure).toMatchObject({ code: 'unavailable' })
    expect(String((failure as Error).message)).not.toContain('encode')
    expect(Object.keys((failure as { cause: object }).cause)).not.toContain('query')
  }
  expect(await lists.state()).toBe('ready')
})

test('processes that start at once make the tables once, in place of those of an earlier version', async () => {
  const schema = 'ma"de\'s'
  const { table } = contextOf('none')
  const query = querying(sendTo(real.pool), 'postgres', table)
  // Such as versions 1 to 5 left: entries as rows, and functions that edit them.
  const own = quoted(schema)
  for (const statement of [
    `CREATE SCHEMA ${own}`,
    `CREATE TABLE ${own}.migrations (version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())`,
    `INSERT INTO ${own}.migrations (version) VALUES (1), (2), (3), (4), (5)`,
    `CREATE TABLE ${own}.nodes (id bigint PRIMARY KEY)`,
    `CREATE TYPE ${own}.step AS (number bigint)`,
    `CREATE FUNCTION ${own}.cut_node(p_step ${own}.step) RETURNS void LANGUAGE sql AS 'DELETE FROM ${own.replaceAll("'", "''")}.nodes'`,
  ]) {
    await query(statement, [])
  }
  await Promise.all(Array.from({ length: 6 }, () => migrate(query, schema)))
  const versions = await query(`SELECT version::text AS version FROM ${own}.migrations ORDER BY 1`, [])
  expect(versions).toEqual(['1', '2', '3', '4', '5', '6'].map((version) => ({ version })))
  const functions = await query(
    `SELECT proname::text AS name FROM pg_proc WHERE pronamespace = '${own.replaceAll("'", "''")}'::regnamespace ORDER BY 1`,
    [],
  )
  expect(functions).toEqual([{ name: 'commit_nodes' }, { name: 'expire_marks' }])
  const migrated = relationalLists({ query: sendTo(real.pool), schema }).open(contextOf('migrated'))
  await migrated.create()
  expect(await migrated.state()).toBe('ready')
  await query(`INSERT INTO ${own}.migrations (version) VALUES (99)`, [])
  const lists = relationalLists({ query: sendTo(real.pool), schema }).open(contextOf('none'))
  await expect(lists.state()).rejects.toMatchObject({ code: 'table_mismatch', message: expect.stringContaining('99') })
})

test('an answer says when the last change was made that is in', async () => {
  const lists = await openSmall()
  const [[first], [second]] = [historyOf(11, 1), historyOf(12, 1)]
  await lists.apply('one', [{ ...(first as ListChange), at: 1_600_000_000_000 }])
  await lists.apply('other', [{ ...(second as ListChange), sequenceNumber: '1', at: 1_600_000_000_500 }])
  const groups = ['a', 'b', 'c', 'd'].map((group) => lists.select({ ...EVERYTHING, groups: [group], offset: 0 }))
  const found = (await Promise.all(groups)).filter(({ total }) => total > 0)
  expect(found.length).toBeGreaterThan(0)
  expect(found.map(({ asOf }) => asOf)).toEqual(found.map(() => 1_600_000_000_500))
})

test('a store opens when its server comes back', async () => {
  const store = relationalLists({ query: sendTo(real.pool), schema: 'late' })
  const lists = store.open(contextOf('late'))
  await real.server.kill()
  const refused = 'the page index in postgres does not answer: ECONNREFUSED'
  // A connection of the pool that is not known to be lost yet says otherwise.
  const failure = await vi
    .waitFor(async () => {
      const error = await lists.create().catch((error: unknown) => error)
      expect(error).toMatchObject({ message: refused })
      return error
    }, PATIENCE)
    .finally(() => real.server.restart())
  expect(failure).toMatchObject({ code: 'unavailable' })
  await lists.create()
  expect(await lists.state()).toBe('ready')
})

test('any text is a member, in the order of its bytes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.string({ unit: 'binary', maxLength: 40 }), { maxLength: 20 }),
      async (members) => {
        const lists = await openSmall()
        const truth = memoryLists()
        await truth.create()
        const changes = members.map((member, i): ListChange => {
          const step = { op: 'add', group: 'a', cell: 'en#5', place: { score: 1, member } } as const
          return { sequenceNumber: String(100 + i), steps: [step] }
        })
        for (const each of [lists, truth]) await each.apply('shard', changes)
        expect(await allOf(lists, 'a')).toEqual(await allOf(truth, 'a'))
      },
    ),
    { seed, numRuns: 20, examples: [[['\u0000', '', 'a\u0000', 'a', 'Z', 'ä', '\u{1F600}', '\uFFFD']]] },
  )
})

test('a filling that another one overtakes stops, and nothing is left of what was given up', async () => {
  const lists = await openSmall()
  await lists.apply('shard', historyOf(10, 200))
  const first = await lists.fill()
  const entry: ListEntry = { group: 'a', cell: 'en#5', place: { score: 1, member: 'kept' } }
  await first.add([entry])
  const second = await lists.fill()
  const late = { ...entry, place: { score: 3, member: 'late' } }
  await expect(first.add([late])).rejects.toMatchObject({ code: 'unavailable' })
  await expect(first.finish()).rejects.toMatchObject({ code: 'unavailable' })
  await second.add([entry])
  await lists.apply('shard', [
    { sequenceNumber: '20000', steps: [{ op: 'remove', ...entry, place: { score: 2, member: 'gone' } }] },
  ])
  await second.finish()
  expect(await allOf(lists, 'a')).toEqual([['en#5', entry.place]])
  const namespace = Buffer.from(`none/S${opened - 1}`).toString('hex')
  const { rows } = await real.pool.query(
    `SELECT count(n.*)::integer AS leaves, count(DISTINCT t.generation)::integer AS generations
    FROM small.indexes AS i JOIN small.trees AS t ON t.index_id = i.id LEFT JOIN small.nodes AS n ON n.tree_id = t.id AND n.level = 0
    WHERE i.namespace = decode($1, 'hex')`,
    [namespace],
  )
  expect(rows).toEqual([{ leaves: 1, generations: 1 }])
  const { rows: orphans } = await real.pool.query(
    `SELECT (SELECT count(*) FROM small.nodes WHERE tree_id NOT IN (SELECT id FROM small.trees))::integer AS nodes,
      (SELECT count(*) FROM small.lists WHERE tree_id NOT IN (SELECT id FROM small.trees))::integer AS lists`,
  )
  expect(orphans).toEqual([{ nodes: 0, lists: 0 }])
  const { rows: dead } = await real.pool.query(
    `SELECT pg_stat_force_next_flush(), last_vacuum IS NOT NULL AS vacuumed FROM pg_stat_all_tables
    WHERE schemaname = 'small' AND relname = 'nodes'`,
  )
  expect(dead).toMatchObject([{ vacuumed: true }])
})

test('an entry at any depth of four times as many takes at most twice the bytes of the database', async () => {
  let bytes = 0
  const send = sendTo(real.pool)
  const counting: SendSql = async (statement, values) => {
    const answer = await send(statement, values)
    bytes += JSON.stringify(answer.rows).length
    return answer
  }
  const lists = relationalLists({ query: counting }).open(contextOf('deep'))
  const filling = await lists.fill()
  const most: number[] = []
  let size = 0
  for (const next of [60_000, 240_000]) {
    const entries = Array.from({ length: next - size }, (_, i): ListEntry => {
      const place = { score: 1_600_000_000_000 + (size + i) * 1_000, member: `c${size + i}` }
      return { group: '42', cell: CELLS[i % 3] as string, place }
    })
    await filling.add(entries)
    size = next
    const each: number[] = []
    for (const offset of [0, Math.floor(size / 3), Math.floor(size / 2), Math.floor((size / 3) * 2) - 1]) {
      bytes = 0
      await lists.select({ ...EVERYTHING, groups: ['42'], offset })
      each.push(bytes)
    }
    most.push(Math.max(...each))
  }
  await filling.finish()
  await lists.validate('42')
  const [small = 0, large = 0] = most
  console.log(`bytes of an entry: ${small} of 60,000, ${large} of 240,000`)
  expect(large).toBeLessThanOrEqual(Math.min(2 * small, 100_000))
})

test('shows groups of its own alone, more than are read at once', async () => {
  const [lists, other] = [await openSmall(), await openSmall()]
  const ids = Array.from({ length: 1_500 }, (_, i) => `g${i}`)
  const place = { score: 1, member: 'a' }
  const steps = ids.map((group) => ({ op: 'add', group, cell: 'en#5', place }) as const)
  await lists.apply('shard', [{ sequenceNumber: '1', steps }])
  await other.apply('shard', [{ sequenceNumber: '1', steps: steps.slice(0, 1) }])
  expect((await groupsOf(lists)).toSorted()).toEqual(ids.toSorted())
  expect(await groupsOf(other)).toEqual(['g0'])
})
