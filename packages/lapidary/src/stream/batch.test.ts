import { expect, test } from 'vitest'
import type { SumProjection } from '../derived/sum-projection.ts'
import { type Batch, chunksOf, inOrder, type Lane } from './batch.ts'
import type { DescribedChange } from './described-change.ts'

const projection = { name: 'counts' } as SumProjection
const lane = (shardId: string): Lane => ({ shardId, owner: undefined, sequenceNumber: undefined })
const change = (sequenceNumber: string) =>
  ({ key: { PK: 'X', SK: '~' }, sequenceNumber, at: 1, before: undefined, after: undefined }) as const

/** A change that adds to items of these names. */
const adding = (sequence: number, targets: readonly (string | number)[], problem?: string): DescribedChange => ({
  change: change(String(sequence)),
  additions: targets.map((SK) => ({ projection, target: { PK: '~', SK: String(SK) }, amounts: { n: 1 }, at: 1 })),
  problem,
  refusedBy: [],
})
const numbered = (from: number, count: number): number[] => Array.from({ length: count }, (_, i) => from + i)
const batchOf = (shardId: string, ...changes: DescribedChange[]): Batch => ({ lane: lane(shardId), changes })
const lengths = (...batches: Batch[]) => {
  const { chunks, writes } = chunksOf(batches)
  return { of: chunks.map(({ lane, changes }) => [lane.shardId, changes.length]), writes }
}

test('a transaction has a checkpoint for each lane, each target once and each dead letter', () => {
  const [a, b] = [batchOf('a', adding(1, [1, 2]), adding(2, [2, 3])), batchOf('b', adding(1, [3, 4], 'odd'))]
  expect(lengths(a, b)).toEqual({
    of: [
      ['a', 2],
      ['b', 1],
    ],
    writes: 1 + 3 + 1 + 1 + 1,
  })
})

test('a transaction is filled to 100 items, and no more', () => {
  expect(lengths(batchOf('a', adding(1, numbered(0, 98)), adding(2, [98])))).toEqual({ of: [['a', 2]], writes: 100 })
  expect(lengths(batchOf('a', adding(1, numbered(0, 98)), adding(2, [98, 99])))).toEqual({ of: [['a', 1]], writes: 99 })
  // A target that is there already takes no more room.
  expect(lengths(batchOf('a', adding(1, numbered(0, 99)), adding(2, [5])))).toEqual({ of: [['a', 2]], writes: 100 })
  expect(lengths(batchOf('a', adding(1, numbered(0, 99)), adding(2, [5], 'odd'))).of).toEqual([['a', 1]])
})

test('a lane for which there is no room is left for the next transaction, and later ones that fit are not', () => {
  const full = batchOf('a', adding(1, numbered(0, 97)))
  expect(lengths(full, batchOf('b', adding(1, [200, 201])), batchOf('c', adding(1, [5])))).toEqual({
    of: [
      ['a', 1],
      ['c', 1],
    ],
    writes: 99,
  })
})

test('the first change goes in, however much it adds to, and nothing beside it', () => {
  expect(lengths(batchOf('a', adding(1, numbered(0, 150)), adding(2, [1])))).toEqual({ of: [['a', 1]], writes: 151 })
  expect(lengths(batchOf('a'))).toEqual({ of: [], writes: 0 })
})

test('changes are put into order of sequence, each once', () => {
  const given = ['10', '9', '100', '9', '10'].map(change)
  expect(inOrder(given).map(({ sequenceNumber }) => sequenceNumber)).toEqual(['9', '10', '100'])
})
