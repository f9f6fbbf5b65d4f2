import assert from 'node:assert/strict'
import type { TableClient } from '../../../table/table-client.ts'
import { comparePlaces } from '../../place.ts'
import { readNames } from '../dynamodb/nodes.ts'
import { countsAfter, readNewest } from './blocks.ts'

/** Checks the blocks of a group that nothing is written to meanwhile. */
export async function validateBlocks(table: TableClient, partition: string, every: number): Promise<void> {
  const { cells } = await readNames(table, partition)
  assert.equal(new Set(cells).size, cells.length, 'a list has two numbers')
  const { blocks } = await readNewest(table, partition, Number.MAX_SAFE_INTEGER, { consistent: true })
  let counts = new Map<number, number>()
  for (const [i, block] of blocks.toReversed().entries()) {
    assert.equal(block.number, i, 'a block is missing')
    const isLast = i === blocks.length - 1
    assert(isLast ? block.entries.length > 0 : block.entries.length === every, `${block.entries.length} in block ${i}`)
    assert.deepEqual(sorted(block.before), sorted(counts), `the stamp of block ${i}`)
    const before = blocks[blocks.length - i]?.entries.at(-1)
    for (const [j, { place, cell }] of block.entries.entries()) {
      assert(cell < cells.length, `a list without a name: ${cell}`)
      const previous = j === 0 ? before : block.entries[j - 1]
      assert(previous === undefined || comparePlaces(previous.place, place) < 0, `entries out of order in block ${i}`)
    }
    counts = countsAfter(counts, block.entries)
  }
}

function sorted(counts: ReadonlyMap<number, number>): readonly (readonly [number, number])[] {
  return [...counts].sort(([a], [b]) => a - b)
}
