import { DeleteItemCommand, GetItemCommand } from '@aws-sdk/client-dynamodb'
import { defineCollection, eachOf, indexes, lookup, oneOf, segments } from 'lapidary'
import { exportItems, importItems } from 'lapidary/transfer'
import { describe, expect, test, vi } from 'vitest'
import { testEngines } from '../../../test/engines/index.ts'
import { PATIENCE } from '../../../test/engines/patience.ts'
import { schemaOf } from './comments-fixture.ts'
import { manyEntries } from './conformance/many-entries.ts'
import { openTestTable } from './test-table.ts'

type Entry = {
  readonly id: string
  readonly tenant: string
  readonly at: string
  readonly kind: string
  readonly until?: string | null
  readonly text: string
}
const base = {
  name: 'ENTRY',
  schema: schemaOf<Entry>(),
  id: 'id',
  scope: { name: 'TENANT', attribute: 'tenant' },
  order: 'at',
  facets: { kind: oneOf() },
  expires: 'until',
} as const
const logs = defineCollection(base)
const named = defineCollection({
  ...base,
  attributes: { id: 'i', tenant: 't', at: 'a', kind: 'f', until: 'u', text: lookup('x') },
})
// Far ahead: DynamoDB Local goes by the real time, and removes what has expired within seconds.
const time = (seconds: number): string =>
  new Date(Date.parse('2124-01-01T00:00:00.000Z') + seconds * 1000).toISOString()
const entry = (i: number, until?: string | null): Entry => ({
  ...{ id: `${i}`, tenant: 't', at: time(i), kind: i % 2 === 0 ? 'a' : 'b', text: `${i}` },
  ...(until === undefined ? {} : { until }),
})
const QUICK = { idleMs: 20 }
const cases = [
  { title: 'indexes', logs, layout: indexes() },
  { title: 'indexes of what lists show', logs: named, layout: indexes() },
  { title: 'many entries', logs, layout: manyEntries() },
]

describe.each(testEngines())('items that expire on $name', (engine) => {
  test.each(cases)('show until then, in pages that come full, of $title', async ({ logs: collection, layout }) => {
    let now = Date.parse(time(100))
    await using table = await openTestTable(engine, { logs: collection }, { layout, clock: () => now })
    const { logs: client } = table.lapidary
    // Every third expires at 200, the others later, never, or with null.
    for (let i = 0; i < 24; i++) await client.create(entry(i, [time(200), undefined, null, time(900)][i % 4]))
    const ids = async (limit: number, where = {}) => {
      const found: string[] = []
      let cursor: string | undefined
      do {
        const page = await client.list({ scope: 't', where, limit, cursor, attributes: ['id'] })
        if (page.cursors.next !== null) expect(page.items).toHaveLength(limit)
        found.push(...page.items.map(({ id }) => id))
        cursor = page.cursors.next ?? undefined
      } while (cursor !== undefined)
      return found
    }
    expect(await ids(5)).toHaveLength(24)
    now = Date.parse(time(200)) - 1
    expect((await client.get('0')).until).toBe(time(200))
    now += 1
    expect(await ids(5)).toHaveLength(18)
    expect(await ids(1)).not.toContain('0')
    expect(await ids(3, { kind: 'a' })).toHaveLength(6)
    const gone = { code: 'not_found' }
    await expect(client.get('0')).rejects.toMatchObject(gone)
    await expect(client.get('0', { attributes: ['text'] })).rejects.toMatchObject(gone)
    await expect(client.patch('0', { text: 'x' })).rejects.toMatchObject(gone)
    await expect(client.replace(entry(0))).rejects.toMatchObject(gone)
    await expect(client.delete('0')).rejects.toMatchObject(gone)
    expect(await client.getMany(['0', '1'])).toEqual([undefined, await client.get('1')])
    const exported: unknown[] = []
    for await (const items of exportItems(client)) exported.push(...items)
    expect(exported).toHaveLength(18)
    // Its id is free.
    await expect(client.create(entry(1))).rejects.toMatchObject({ code: 'already_exists' })
    expect(await client.create({ ...entry(0), kind: 'b' })).toEqual({ ...entry(0), kind: 'b' })
    await client.upsert({ ...entry(4), text: 'again' })
    expect(await ids(7)).toHaveLength(20)
    expect(await ids(7, { kind: 'a' })).toHaveLength(7)
  })

  test('have the second in which DynamoDB removes them, which follows each change', async () => {
    await using table = await openTestTable(engine, { logs }, { clock: () => Date.parse(time(0)) })
    const { lapidary, client, tableName } = table
    const ttl = async () => {
      const Key = { PK: { S: 'ENTRY#1' }, SK: { S: '~' } }
      return (await client.send(new GetItemCommand({ TableName: tableName, Key, ConsistentRead: true }))).Item?.ttl?.N
    }
    await lapidary.logs.create(entry(1, new Date(Date.parse(time(5)) + 1).toISOString()))
    expect(await ttl()).toBe(String(Date.parse(time(6)) / 1000))
    await lapidary.logs.patch('1', { until: time(9) })
    expect(await ttl()).toBe(String(Date.parse(time(9)) / 1000))
    await lapidary.logs.patch('1', { until: null })
    expect(await ttl()).toBe(undefined)
    for (const until of ['tomorrow', '2124-01-01', 5 as never])
      await expect(lapidary.logs.patch('1', { until })).rejects.toMatchObject({ code: 'unprocessable' })
  })
})

test.each(testEngines())(
  'of an item that is created again after it has expired, nothing former shows or counts, on $name',
  async (engine) => {
    const tagged = defineCollection({
      ...base,
      schema: schemaOf<Entry & { readonly tags: readonly string[] }>(),
      orders: { byKind: { attribute: 'kind', type: 'string' } },
      facets: { tags: eachOf() },
      indexes: {
        byDate: {},
        byTags: { partition: ['tags'] },
        byTagsInKind: { partition: ['tags'], order: 'byKind' },
      },
      pages: [{ facet: 'tags' }],
    })
    let ahead = Date.parse(time(100)) - Date.now()
    const derived = { counts: true, pages: segments() } as const
    await using table = await openTestTable(engine, { tagged }, { derived, clock: () => Date.now() + ahead })
    const { lapidary } = table
    const { tagged: client } = lapidary
    await using _poller = await lapidary.stream.start({ idleMs: 20, gatherMs: 20, discoverMs: 200 })
    const settled = () =>
      vi.waitFor(async () => {
        expect(await lapidary.derived.verify(QUICK)).toMatchObject({
          pending: 0,
          differenceCount: 0,
        })
      }, PATIENCE)
    const made = (i: number, tags: readonly string[], until?: string) => ({ ...entry(i, until), tags })
    await client.create(made(1, ['slow', 'new', 'login'], time(200)))
    await client.create(made(2, ['slow', 'login'], time(200)))
    await client.create(made(3, ['slow']))
    await client.create(made(4, ['slow'], time(200)))
    await settled()
    ahead += 200_000
    await client.create(made(1, ['login', 'new']))
    await client.upsert(made(2, []))
    // DynamoDB removes entries one by one, in any order.
    const Key = { PK: { S: 'ENTRY#4' }, SK: { S: '~' } }
    await table.client.send(new DeleteItemCommand({ TableName: table.tableName, Key }))
    await settled()
    const listed = async (tags: string | null, by?: 'byKind') =>
      (await client.list({ scope: 't', where: { tags }, by })).items.map(({ id }) => id).join()
    for (const by of [undefined, 'byKind'] as const) {
      expect(await Promise.all(['slow', 'login', 'new', null].map((tags) => listed(tags, by)))).toEqual([
        '3',
        '1',
        '1',
        '2',
      ])
    }
    expect(await client.count({ scope: 't' })).toMatchObject({
      total: 3,
      facets: { tags: { slow: 1, login: 1, new: 1, null: 1 } },
    })
    expect((await client.page(1, { scope: 't', where: { tags: 'slow' } })).page.total).toBe(1)
    ahead -= 250_000
    // Whatever a reader's clock says.
    expect(await Promise.all(['slow', 'login', 'new', null].map((tags) => listed(tags)))).toEqual(['3', '1', '1', '2'])
  },
)

test.each(testEngines())('an import takes the place of what has expired, on $name', async (engine) => {
  let now = Date.parse(time(100))
  const versioned = defineCollection({
    ...base,
    schema: schemaOf<Entry & { readonly version: number }>(),
    version: 'version',
  })
  await using table = await openTestTable(engine, { logs: versioned }, { clock: () => now })
  const { logs: client } = table.lapidary
  for (const onConflict of ['skip', 'newer', 'replace'] as const) {
    await client.create({ ...entry(1, new Date(now + 1000).toISOString()), version: 1 })
    await client.patch('1', { text: 'patched' })
    await client.upsert({ ...entry(2), version: 1 })
    await client.patch('2', { text: onConflict })
    now += 2000
    const items = [1, 2].map((i) => ({ ...entry(i), text: 'imported', version: 1 }))
    const left = onConflict === 'replace' ? 0 : 1
    expect(await importItems(client, items, { onConflict })).toMatchObject({ written: 2 - left, skipped: left })
    expect(await client.get('1')).toMatchObject({ text: 'imported', version: 1 })
    expect(await client.get('2')).toMatchObject({ text: left === 0 ? 'imported' : onConflict })
    await client.delete('1')
  }
})

test('a page of which most has expired goes on in reads as large as what has expired asks for', async () => {
  const [engine] = testEngines()
  if (engine === undefined) throw new Error('no engine')
  await using table = await openTestTable(engine, { logs }, { clock: () => Date.parse(time(1000)) })
  const { logs: client } = table.lapidary
  // Nine of ten have expired.
  const made = Array.from({ length: 600 }, (_, i) => ({
    ...entry(i, i % 10 === 0 ? null : time(999)),
    text: 'x'.repeat(300),
  }))
  await importItems(client, made)
  const { items, plan } = await client.list({ scope: 't', limit: 20 })
  expect(items.map(({ id }) => Number(id))).toEqual(Array.from({ length: 20 }, (_, i) => 590 - 10 * i))
  // In steps of what the page lacked it took 31 rounds and 20.5 RCU.
  expect(plan.actual?.rounds).toBeLessThanOrEqual(6)
  expect(plan.actual?.rcu).toBeLessThanOrEqual(17)
})

test('by an attribute that lists do not show, none can expire', () => {
  const attributes = { id: 'i', tenant: 't', at: 'a', kind: 'f', until: lookup('u'), text: 'x' }
  expect(() => defineCollection({ ...base, attributes })).toThrow(
    expect.objectContaining({ code: 'declaration_invalid' }),
  )
})
