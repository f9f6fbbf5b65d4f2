import { createHash } from 'node:crypto'
import { oneOf } from 'lapidary'
import { expect, test } from 'vitest'
import { memoryNodes } from '../../../test/pages/memory-nodes.ts'
import { Again } from '../../table/retrying.ts'
import type { ListChange, ListEntry } from '../sorted-lists.ts'
import type { NodeStore } from '../tree/node-store.ts'
import { withId } from './cell-columns.ts'
import { MOST_COLUMNS } from './column-sizes.ts'
import { type OpenColumns, openColumns } from './open-columns.ts'

const TREE = { generation: 1, group: '42' }
const waiting = { random: () => 0, sleep: async () => undefined }
const HANGS = { timeout: 300_000 }

function opened(store: NodeStore, columns: number): OpenColumns {
  const facets = Array.from({ length: columns }, (_, i) => ({ name: `f${String(i).padStart(2, '0')}`, facet: oneOf() }))
  return openColumns(store, { namespace: 'T', waiting, clock: () => 0, facets })
}

/** A text of 256 bytes that hardly gets smaller. */
function longText(of: string): string {
  const parts = Array.from({ length: 6 }, (_, i) => createHash('sha256').update(`${of} ${i}`).digest('base64url'))
  return parts.join('').slice(0, 256)
}

function entryAt(i: number, columns: number, textOf: (i: number, column: number) => string): ListEntry {
  const cell = Array.from({ length: columns }, (_, column) => textOf(i, column)).join('#')
  return { group: '42', cell, place: { score: i, member: `m${String(i).padStart(6, '0')}` } }
}

function changes(op: 'add' | 'remove', entries: readonly ListEntry[], first: number): readonly ListChange[] {
  return entries.map((entry, i) => ({ sequenceNumber: String(1_000_000 + first + i), steps: [{ op, ...entry }] }))
}

async function entriesOf(columns: OpenColumns): Promise<readonly ListEntry[]> {
  const all: ListEntry[] = []
  for await (const entries of (await columns.inspect()).entries('42')) all.push(...entries)
  return all
}

test(`${MOST_COLUMNS} columns are filled, in any number of blocks`, HANGS, async () => {
  const nodes = memoryNodes({ limits: { nodes: 90 } })
  const columns = opened(nodes, MOST_COLUMNS)
  const filling = await columns.fill()
  const all = Array.from({ length: 12_000 }, (_, i) => entryAt(i, MOST_COLUMNS, (n, column) => `v${(n * column) % 7}`))
  for (let i = 0; i < all.length; i += 5_000) await filling.add(all.slice(i, i + 5_000))
  await filling.finish()
  await columns.validate('42')
  expect(await entriesOf(columns)).toEqual(all)
})

test(
  'values of 256 bytes in every facet, and ids of 500, stay below what an item and a transaction take',
  HANGS,
  async () => {
    const long = (i: number, suffix = ''): ListEntry => {
      const { cell, ...entry } = entryAt(i, MOST_COLUMNS, (n, column) => longText(`${n} ${column} ${suffix}`))
      return { ...entry, cell: withId(cell, `${i}-`.padEnd(500, longText(`${i}`))) }
    }
    const columns = opened(memoryNodes({ limits: { nodes: 90 } }), MOST_COLUMNS)
    const filling = await columns.fill()
    const all = Array.from({ length: 500 }, (_, i) => long(i))
    await filling.add(all.slice(0, 400))
    await filling.finish()
    await columns.apply('s', changes('add', all.slice(400), 0))
    const changed = all.map((entry, i) => (i % 7 === 3 ? long(i, 'changed') : entry))
    await columns.apply('s', [
      ...changed.flatMap((entry, i): ListChange[] => {
        const steps = [{ op: 'remove', ...(all[i] as ListEntry) } as const, { op: 'add', ...entry } as const]
        return i % 7 === 3 ? [{ sequenceNumber: String(2_000_000 + i), steps }] : []
      }),
    ])
    await columns.validate('42')
    expect(await entriesOf(columns)).toEqual(changed)
  },
)

test('removals while a group is filled are remembered in blocks of their own', HANGS, async () => {
  const nodes = memoryNodes({ limits: { nodes: 90 } })
  const columns = opened(nodes, 2)
  const all = Array.from({ length: 6_000 }, (_, i) => entryAt(i, 2, (n) => `v${n % 7}`))
  const filling = await columns.fill()
  await columns.apply('s', changes('remove', all.slice(0, 4_000), 0))
  const heads = nodes.rows(TREE).get(0) ?? []
  expect(heads.length).toBeGreaterThan(1)
  expect(Math.max(...heads.map(({ bytes }) => bytes.byteLength))).toBeLessThan(64_000)
  for (let i = 0; i < all.length; i += 5_000) await filling.add(all.slice(i, i + 5_000))
  await filling.finish()
  await columns.validate('42')
  expect(await entriesOf(columns)).toEqual(all.slice(4_000))
})

test('what changes waits for columns that can not be written, instead of growing without end', HANGS, async () => {
  const nodes = memoryNodes({ limits: { nodes: 90 } })
  let isRefused = true
  const store: NodeStore = {
    ...nodes,
    // Another write comes between each time that columns are written.
    commit: async (commit) => (isRefused && commit.mark === undefined ? new Again() : nodes.commit(commit)),
  }
  const columns = opened(store, 2)
  await columns.create()
  const all = Array.from({ length: 3_000 }, (_, i) => entryAt(i, 2, (n) => longText(`${n}`)))
  const whole = changes('add', all, 0)
  await expect(columns.apply('s', whole)).rejects.toMatchObject({ code: 'unavailable' })
  expect(nodes.rows(TREE).get(0)?.[0]?.bytes.byteLength).toBeLessThan(100_000)
  isRefused = false
  await columns.apply('s', whole)
  await columns.validate('42')
  expect(await entriesOf(columns)).toEqual(all)
})
