import fc from 'fast-check'
import { chosenSeed, memoryLists } from 'lapidary-testing'
import { expect, test } from 'vitest'
import {
  type MemoryNodes,
  type MemoryNodesOptions,
  memoryNodes,
  SMALL_SIZES,
} from '../../../test/pages/memory-nodes.ts'
import type { LoadedLists } from '../loaded-lists.ts'
import type { ListChange, ListEntry, RankQuestion } from '../sorted-lists.ts'
import { TOP } from './node.ts'
import { openTrees } from './open-trees.ts'

const seed = chosenSeed(process.env.FC_SEED)
const waiting = { random: () => 0.5, sleep: async () => new Promise<void>((resolve) => void setImmediate(resolve)) }
const CELLS = ['en#5', 'en#4', 'de#5'] as const
const TREE = { generation: 1, group: '42' }

function opened(options: MemoryNodesOptions = {}): { readonly lists: LoadedLists; readonly nodes: MemoryNodes } {
  const nodes = memoryNodes({ sizes: SMALL_SIZES, ...options })
  return { nodes, lists: openTrees(nodes, { namespace: 'T', waiting, clock: () => 0 }) }
}

const entryAt = (i: number): ListEntry => ({
  ...{ group: '42', cell: CELLS[(i * 7) % 3] as string },
  place: { score: 1_000 + i, member: `m${String(i).padStart(6, '0')}` },
})

function changesOf(op: 'add' | 'remove', numbers: readonly number[], first = 1_000_000): readonly ListChange[] {
  return numbers.map((n, i) => ({ sequenceNumber: String(first + i), steps: [{ op, ...entryAt(n) }] }))
}

const question = (more: Partial<RankQuestion>): RankQuestion => ({
  ...{ groups: ['42'], includes: () => true, lower: undefined, upper: undefined, ascending: true, offset: 0 },
  ...more,
})

const levelsOf = (nodes: MemoryNodes): number =>
  Math.max(0, ...[...nodes.rows(TREE).keys()].map((row) => (row === TOP ? 0 : row)))

test('trees of any height answer as the naive lists do, whatever order entries come and go in', async () => {
  const drawn = fc.record({
    size: fc.integer({ min: 1, max: 600 }),
    mix: fc.constantFrom('newest last', 'newest first', 'anywhere'),
    batch: fc.integer({ min: 1, max: 40 }),
    left: fc.double({ min: 0, max: 1, noNaN: true }),
    draw: fc.integer(),
  })
  let highest = 0
  await fc.assert(
    fc.asyncProperty(drawn, async ({ size, mix, batch, left, draw }) => {
      const { lists, nodes } = opened()
      const truth = memoryLists()
      for (const each of [lists, truth]) await each.create()
      const shuffled = (numbers: readonly number[]): readonly number[] =>
        [...numbers].sort((a, b) => ((a * 7919 + draw) % 1009) - ((b * 7919 + draw) % 1009))
      const all = Array.from({ length: size }, (_, i) => i)
      const coming = mix === 'newest last' ? all : mix === 'newest first' ? all.toReversed() : shuffled(all)
      const going = shuffled(all).slice(0, Math.floor(size * left))
      let first = 1_000_000
      for (const [op, numbers] of [
        ['add', coming],
        ['remove', going],
      ] as const) {
        for (let i = 0; i < numbers.length; i += batch) {
          const changes = changesOf(op, numbers.slice(i, i + batch), first)
          first += batch
          for (const each of [lists, truth]) await each.apply('shard', changes)
        }
        await lists.validate('42')
        highest = Math.max(highest, levelsOf(nodes))
        for (const offset of [0, 1, Math.floor(size / 3), size - 1, size]) {
          for (const asked of [
            question({ offset }),
            question({ offset, ascending: false, includes: (cell) => cell === 'en#4' }),
          ]) {
            const [{ total, place }, expected] = await Promise.all([lists.select(asked), truth.select(asked)])
            expect({ total, place }).toEqual({ total: expected.total, place: expected.place })
          }
        }
      }
    }),
    { seed, numRuns: 60, examples: [[{ size: 600, mix: 'newest last', batch: 20, left: 0.5, draw: 1 }]] },
  )
  expect(highest).toBeGreaterThanOrEqual(3)
})

/** Lets others come between reads as chance has it. */
function interleaving(draws: readonly number[]): () => Promise<void> {
  let i = 0
  return async () => {
    for (let left = draws[i++ % Math.max(1, draws.length)] ?? 0; left > 0; left--) {
      await new Promise<void>((resolve) => void setImmediate(resolve))
    }
  }
}

test('several writers of one tree come to what they are one after the other', async () => {
  const drawn = fc.record({
    pauses: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 40 }),
    writers: fc.array(fc.array(fc.integer({ min: 0, max: 59 }), { maxLength: 40 }), { minLength: 2, maxLength: 4 }),
  })
  await fc.assert(
    fc.asyncProperty(drawn, async ({ pauses, writers }) => {
      const { lists } = opened({ pause: interleaving(pauses) })
      const truth = memoryLists()
      for (const each of [lists, truth]) await each.create()
      // Each has entries of its own, which it adds and removes in turn, among those of the others.
      const histories = writers.map((numbers, w) => {
        const there = new Set<number>()
        return numbers.map((n, i): ListChange => {
          const own = n * writers.length + w
          const op = there.has(own) ? 'remove' : 'add'
          if (op === 'add') there.add(own)
          else there.delete(own)
          return { sequenceNumber: String(100 + i), steps: [{ op, ...entryAt(own) }] }
        })
      })
      await Promise.all(
        histories.map(async (changes, w) => {
          for (let i = 0; i < changes.length; i += 5) await lists.apply(`shard-${w}`, changes.slice(i, i + 5))
        }),
      )
      for (const [w, changes] of histories.entries()) await truth.apply(`shard-${w}`, changes)
      await lists.validate('42')
      const [{ total }, expected] = await Promise.all([lists.select(question({})), truth.select(question({}))])
      expect(total).toBe(expected.total)
      for (let offset = 0; offset < total; offset++) {
        const asked = question({ offset })
        expect((await lists.select(asked)).place).toEqual((await truth.select(asked)).place)
      }
    }),
    { seed, numRuns: 60 },
  )
})

/** Items that are filled in chunks, and those that changes touch meanwhile. */
interface Filling {
  pauses: number[]
  size: number
  chunk: number
  touched: [number, boolean][]
  isSorted: boolean
}

/** A removal reads the names before the filling writes the first ones, and the leaf after that. */
const BURIED_FIRST: Filling = { pauses: [0, 0, 0, 0, 1], size: 1, chunk: 1, touched: [[0, false]], isSorted: false }
/** A leaf is cut between two reads of one edit. */
const CUT_BETWEEN_READS: Filling = {
  ...{ pauses: [0, 1], size: 139, chunk: 6, isSorted: false },
  touched: [
    [27, false],
    [59, true],
  ],
}

test('a filling in order, with changes in between, comes to what the items are', async () => {
  const drawn = fc.record({
    pauses: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 40 }),
    size: fc.integer({ min: 1, max: 400 }),
    chunk: fc.integer({ min: 1, max: 400 }),
    /** Items that a change adds, removes or moves meanwhile. */
    touched: fc.array(fc.tuple(fc.integer({ min: 0, max: 450 }), fc.boolean()), { maxLength: 60 }),
    isSorted: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(drawn, async ({ pauses, size, chunk, touched, isSorted }) => {
      const { lists } = opened({ pause: interleaving(pauses) })
      const truth = memoryLists()
      await truth.create()
      const items = Array.from({ length: size }, (_, i) => i)
      await truth.apply('before', changesOf('add', items))
      const scanned = (isSorted ? items : [...items].sort((a, b) => ((a * 7919) % 1009) - ((b * 7919) % 1009))).map(
        entryAt,
      )
      const there = new Set(items)
      const changes = touched.map(([n, isMoved], i): ListChange => {
        const entry = entryAt(n)
        const sequenceNumber = String(100 + i)
        if (!there.has(n)) {
          there.add(n)
          return { sequenceNumber, steps: [{ op: 'add', ...entry }] }
        }
        if (isMoved)
          return {
            sequenceNumber,
            steps: [
              { op: 'remove', ...entry },
              { op: 'add', ...entry },
            ],
          }
        there.delete(n)
        return { sequenceNumber, steps: [{ op: 'remove', ...entry }] }
      })
      const filling = await lists.fill()
      await Promise.all([
        (async () => {
          for (let i = 0; i < scanned.length; i += chunk) await filling.add(scanned.slice(i, i + chunk))
        })(),
        (async () => {
          for (let i = 0; i < changes.length; i += 3) await lists.apply('shard', changes.slice(i, i + 3))
        })(),
      ])
      await filling.finish()
      await truth.apply('shard', changes)
      await lists.validate('42')
      const { total } = await lists.select(question({}))
      expect(total).toBe(there.size)
      for (let offset = 0; offset < total; offset++) {
        const asked = question({ offset })
        expect((await lists.select(asked)).place).toEqual((await truth.select(asked)).place)
      }
    }),
    { seed, numRuns: 80, examples: [[BURIED_FIRST], [CUT_BETWEEN_READS]] },
  )
})

test('a filling in order writes each leaf once, and few branches', async () => {
  const nodes = memoryNodes({ limits: { nodes: 90 } })
  const lists = openTrees(nodes, { namespace: 'T', waiting, clock: () => 0 })
  const filling = await lists.fill()
  const size = 100_000
  for (let i = 0; i < size; i += 10_000) {
    await filling.add(Array.from({ length: 10_000 }, (_, j) => entryAt(i + j)))
  }
  await filling.finish()
  await lists.validate('42')
  const leaves = nodes.rows(TREE).get(0)?.length ?? 0
  expect(nodes.counted.written / leaves).toBeLessThan(1.15)
  expect(nodes.counted.reads / nodes.counted.commits).toBeLessThan(7)
  const asked = question({ offset: 54_321 })
  expect((await lists.select(asked)).place).toEqual(entryAt(54_321).place)
})

test('a tree that lacks a branch says that it is damaged, and does not take the entry in', async () => {
  const { lists, nodes } = opened()
  await lists.create()
  const all = Array.from({ length: 300 }, (_, i) => i)
  for (let i = 0; i < all.length; i += 20)
    await lists.apply('shard', changesOf('add', all.slice(i, i + 20), 1_000_000 + i))
  const [lost] = nodes.rows(TREE).get(1) ?? []
  const write = { row: 1, fence: lost?.fence ?? '', before: lost, bytes: undefined }
  await nodes.commit({ edits: [{ tree: TREE, writes: [write] }], trees: { state: 'ready', generation: 1 } })
  await expect(lists.validate('42')).rejects.toThrow(/nodes of the branch/)
  const late = { ...entryAt(0), place: { score: 1_000, member: 'late' } }
  await expect(lists.apply('late', [{ sequenceNumber: '1', steps: [{ op: 'add', ...late }] }])).rejects.toMatchObject({
    code: 'page_index_damaged',
    message: expect.stringContaining('run lapidary rebuild page-index'),
  })
})
