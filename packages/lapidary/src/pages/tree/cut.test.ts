import { expect, test } from 'vitest'
import { cutBranch } from './cut-branch.ts'
import { cutLeaf } from './cut-leaf.ts'
import { foldTop } from './fold-top.ts'
import { branchBytes, branchFrom, type StoredNode, TOP } from './node.ts'
import { type Packed, packEntries, packedBytes } from './packing.ts'

const SIZES = { leafBytes: 100, fanout: 4, mostNodes: 6, mostTop: 5 }
/** Each takes 10 bytes, but the first, which takes 18. */
const entry = (i: number, member = 'm'.repeat(7)): Packed => ({ place: { score: i, member }, cell: 1 })
const entries = (from: number, to: number): Packed[] => Array.from({ length: to - from }, (_, i) => entry(from + i))
const lengths = (pieces: readonly (readonly unknown[])[]): number[] => pieces.map(({ length }) => length)

test('an entry has as many bytes as it takes after the one before', () => {
  const odd = [entry(0), entry(0.5, 'a'), entry(200, 'ü'), entry(2 ** 50), { ...entry(2 ** 50 + 7), cell: 300 }]
  const bytes = odd.map((each, i) => packedBytes(each, odd[i - 1]))
  for (let i = 1; i <= odd.length; i++) {
    const sum = bytes.slice(0, i).reduce((all, each) => all + each, 0)
    expect(packEntries(odd.slice(0, i)).byteLength).toBe(sum)
  }
})

test('a leaf is cut only when it is full', () => {
  expect(cutLeaf([], [], SIZES)).toEqual([])
  expect(lengths(cutLeaf(entries(0, 8), entries(0, 9), SIZES))).toEqual([9])
  expect(packEntries(entries(0, 9)).byteLength).toBe(98)
})

test('where only newer entries came, all leaves but the last are full', () => {
  const before = entries(0, 8)
  expect(lengths(cutLeaf(before, [...before, ...entries(8, 14)], SIZES))).toEqual([9, 5])
  expect(lengths(cutLeaf([], entries(0, 14), SIZES))).toEqual([9, 5])
})

test('where entries came in between, each leaf has room', () => {
  const [before, after] = [entries(10, 18), entries(5, 18)]
  expect(lengths(cutLeaf(before, after, SIZES))).toEqual([3, 4, 4, 2])
})

test('the leaves of a run are full to nine parts in ten', () => {
  expect(lengths(cutLeaf([], entries(0, 60), SIZES)).slice(0, 3)).toEqual([8, 9, 9])
})

test('an entry that is larger than a leaf has one of its own', () => {
  const large = entry(5, 'x'.repeat(200))
  expect(lengths(cutLeaf([], [entry(1), large, entry(9)], SIZES))).toEqual([1, 1, 1])
})

test('a branch is cut when it has too many nodes: at the end into whole ones, else into equal ones', () => {
  const nodes = Array.from({ length: 7 }, (_, i) => i)
  expect(lengths(cutBranch(nodes.slice(1), true, SIZES))).toEqual([6])
  expect(lengths(cutBranch(nodes, true, SIZES))).toEqual([4, 3])
  expect(lengths(cutBranch([...nodes, ...nodes], true, SIZES))).toEqual([4, 4, 4, 2])
  expect(lengths(cutBranch([...nodes, 7, 8], false, SIZES))).toEqual([3, 3, 3])
  expect(cutBranch(nodes, false, SIZES).flat()).toEqual(nodes)
})

const top = (levels: readonly number[]): StoredNode[] =>
  levels.map((level, i) => ({
    ...{ fence: `f${i}`, revision: String(i) },
    bytes: branchBytes({
      level,
      nodes: 2,
      counts: new Map([
        [0, 1],
        [i, 10],
      ]),
    }),
  }))

test('a top row that is not too long stays as it is, and so does one that no two nodes of a level are side by side in', () => {
  expect(foldTop(top([1, 1, 1, 1, 1]), SIZES)).toBeUndefined()
  expect(foldTop(top([1, 2, 1, 2, 1, 2]), SIZES)).toBeUndefined()
})

test('the oldest nodes of the level that has most go into a branch above them, at the fence of the first', () => {
  const row = top([2, 2, 1, 1, 1, 1])
  const writes = foldTop(row, SIZES) ?? []
  expect(writes.map(({ row: of, fence, before, bytes }) => [of, fence, before?.revision, bytes !== undefined])).toEqual(
    [
      [1, 'f2', undefined, true],
      [TOP, 'f2', '2', true],
      [1, 'f3', undefined, true],
      [TOP, 'f3', '3', false],
      [1, 'f4', undefined, true],
      [TOP, 'f4', '4', false],
    ],
  )
  expect(writes[0]?.bytes).toEqual(row[2]?.bytes)
  const made = branchFrom(TOP, { fence: 'f2', revision: '', bytes: writes[1]?.bytes ?? new Uint8Array() })
  expect(made).toMatchObject({ level: 2, nodes: 3 })
  expect([...made.counts]).toEqual([
    [0, 3],
    [2, 10],
    [3, 10],
    [4, 10],
  ])
})

test('of many nodes of a level no more go into a branch than it is to have, and of two levels alike the newer one is folded', () => {
  expect(foldTop(top([1, 1, 1, 1, 1, 1, 1, 1]), SIZES)).toHaveLength(8)
  expect(foldTop(top([2, 2, 2, 1, 1, 1]), SIZES)?.[0]).toMatchObject({ row: 1, fence: 'f3' })
})
