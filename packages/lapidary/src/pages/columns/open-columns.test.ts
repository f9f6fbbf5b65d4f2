import { oneOf } from 'lapidary'
import { describeSortedListsConformance } from 'lapidary-testing'
import { describe, expect, it, test } from 'vitest'
import { memoryNodes } from '../../../test/pages/memory-nodes.ts'
import { type Condition, term } from '../../model/condition.ts'
import { type ListChange, type SortedLists, STATE_AGE_MS } from '../sorted-lists.ts'
import type { NodeStore } from '../tree/node-store.ts'
import { BLOCKS, FIRST_COLUMN, unpackBlock } from './block.ts'
import type { ColumnSizes } from './column-sizes.ts'
import { openColumns } from './open-columns.ts'

const waiting = { random: () => 0.5, sleep: async () => undefined }
const SMALL: ColumnSizes = {
  ...{ blockRows: 6, blockBytes: 1_000, columnBytes: 200, buriedBytes: 60 },
  ...{ deltaBytes: 40, chunkBytes: 40, mostChunks: 5 },
}
const FACETS = ['language', 'rating'].map((name) => ({ name, facet: oneOf() }))
let now = 0
const opened = (store: NodeStore, sizes: ColumnSizes | undefined): SortedLists => ({
  ...openColumns(store, { namespace: 'T', waiting, clock: () => ++now, facets: FACETS, ...(sizes && { sizes }) }),
  name: 'columns in memory nodes',
  close: async () => undefined,
})

for (const [name, sizes] of [
  ['columns of the usual size', undefined],
  ['small columns', SMALL],
] as const) {
  describeSortedListsConformance({
    ...{ name, describe, it, runs: 30, most: 1_200 },
    open: async () => opened(memoryNodes({ limits: { nodes: 90 } }), sizes),
  })
}

test('columns that another process fills anew say that they lack entries', async () => {
  const nodes = memoryNodes()
  let time = 0
  const open = () => openColumns(nodes, { namespace: 'T', waiting, clock: () => time, facets: FACETS })
  const columns = open()
  await columns.create()
  const isReady = async (): Promise<readonly boolean[]> => {
    const asked = { group: '42', condition: { all: [] }, lower: undefined, upper: undefined }
    const found = await columns.search({ ...asked, ascending: true, offset: 0, size: 1, blocks: 1 })
    return [found.isReady, (await columns.tally({ ...asked, by: [] })).isReady]
  }
  expect(await isReady()).toEqual([true, true])
  const filling = await open().fill()
  time += STATE_AGE_MS
  expect(await isReady()).toEqual([false, false])
  await filling.finish()
  expect(await isReady()).toEqual([true, true])
})

test('texts that look like numbers are compared as texts', async () => {
  const facets = [
    { name: 'postcode', facet: oneOf() },
    { name: 'floor', facet: oneOf('number') },
  ]
  const columns = openColumns(memoryNodes(), { namespace: 'T', waiting, clock: () => 0, facets })
  await columns.create()
  const codes = Array.from({ length: 300 }, (_, i) => String(10_000 + ((i * 7_919) % 300)))
  const changes = codes.map((code, i): ListChange => {
    const place = { score: i, member: `m${i}` }
    return { sequenceNumber: String(100 + i), steps: [{ op: 'add', group: '42', cell: `${code}#${code}`, place }] }
  })
  // So many at once that they are written into columns.
  for (let i = 0; i < changes.length; i += 100) await columns.apply('shard', changes.slice(i, i + 100))
  const count = async (condition: Condition): Promise<number> => {
    const asked = { group: '42', condition, lower: undefined, upper: undefined, by: [] }
    return (await columns.tally(asked)).total
  }
  expect(await count(term('postcode', ['10115', '10117']))).toBe(2)
  expect(await count(term('postcode', { from: '10115', to: '10125' }))).toBe(10)
  expect(await count(term('floor', { from: 10_115, to: 10_125 }))).toBe(10)
  expect(await count(term('floor', [10_115]))).toBe(1)
})

test('columns that lack a node say what to do', async () => {
  const nodes = memoryNodes()
  const columns = openColumns(nodes, { namespace: 'T', waiting, clock: () => 0, facets: FACETS, sizes: SMALL })
  await columns.create()
  const changes = Array.from({ length: 30 }, (_, i): ListChange => {
    const place = { score: i, member: `m${i}` }
    return { sequenceNumber: String(100 + i), steps: [{ op: 'add', group: '42', cell: 'en#5', place }] }
  })
  await columns.apply('shard', changes)
  const tree = { generation: 1, group: '42' }
  const [lost] = nodes.rows(tree).get(FIRST_COLUMN) ?? []
  const write = { row: FIRST_COLUMN, fence: lost?.fence ?? '', before: lost, bytes: undefined }
  await nodes.commit({ edits: [{ tree, writes: [write] }], trees: { state: 'ready', generation: 1 } })
  const condition = { all: [term('language', ['en'])] }
  const asked = { group: '42', condition, lower: undefined, upper: undefined, by: [] }
  await expect(columns.tally(asked)).rejects.toMatchObject({
    code: 'page_index_damaged',
    message: expect.stringContaining('the columns T are damaged'),
  })
  await expect(columns.tally(asked)).rejects.toThrow('run lapidary rebuild columns')
})

test('a block that is made again where one was removed has another number', async () => {
  const nodes = memoryNodes()
  const sizes = { ...SMALL, deltaBytes: 1 }
  const columns = openColumns(nodes, { namespace: 'T', waiting, clock: () => 0, facets: FACETS, sizes })
  await columns.create()
  let sequence = 1_000
  const blocks = async (op: 'add' | 'remove', order: 1 | -1): Promise<readonly string[]> => {
    for (let i = 0; i < 60; i++) {
      const score = order === 1 ? i : 59 - i
      const step = { op, group: '42', cell: 'en#5', place: { score, member: 'm' } } as const
      await columns.apply('shard', [{ sequenceNumber: String(sequence++), steps: [step] }])
    }
    await columns.validate('42')
    const all = (nodes.rows({ generation: 1, group: '42' }).get(BLOCKS) ?? []).map(unpackBlock)
    return all.slice(1).map(({ fence, born }) => `${fence} ${born}`)
  }
  const before = new Set(await blocks('add', 1))
  expect(before.size).toBeGreaterThan(3)
  expect((await blocks('remove', -1)).length).toBeLessThan(3)
  const left = (nodes.rows({ generation: 1, group: '42' }).get(BLOCKS) ?? []).map(unpackBlock)
  const given = [...before].map((each) => Number(each.split(' ').at(-1)))
  expect(Math.max(...left.map(({ latest }) => latest))).toBeGreaterThanOrEqual(Math.max(...given))
  const again = await blocks('add', 1)
  expect(again.filter((each) => before.has(each))).toEqual([])
})
