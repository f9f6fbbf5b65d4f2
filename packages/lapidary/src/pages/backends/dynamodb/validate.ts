import assert from 'node:assert/strict'
import { entryBytes } from '../../../model/entry.ts'
import { compareBytes } from '../../../model/key-text.ts'
import type { TableClient } from '../../../table/table-client.ts'
import { comparePlaces, placeText } from '../../place.ts'
import { MOST_LEAVES } from './edit.ts'
import { countsOf } from './nodes.ts'
import { fenceAfter, readLeaves, readUpper } from './read-tree.ts'

const READING = { consistent: true } as const

/** Checks a tree that nothing is written to meanwhile. */
export async function validateTree(table: TableClient, partition: string): Promise<void> {
  const { names, branches } = await readUpper(table, partition, READING)
  const { leaves: all } = await readLeaves(table, partition, '', undefined, READING)
  assert.equal(new Set(names.cells).size, names.cells.length, 'a list has two numbers')
  if (branches.length === 0) assert.equal(all.length, 0, 'there are leaves and no branch')
  let seen = 0
  for (const [i, branch] of branches.entries()) {
    const { leaves } = await readLeaves(table, partition, branch.fence, fenceAfter(branches, i), READING)
    seen += leaves.length
    assert.equal(leaves.length, branch.leaves, `leaves of the branch ${branch.fence}`)
    assert(branch.leaves > 0 && branch.leaves <= 2 * MOST_LEAVES, `${branch.leaves} leaves in a branch`)
    assert.deepEqual(sorted(countsOf(leaves)), sorted(branch.counts), `counts of the branch ${branch.fence}`)
  }
  assert.equal(seen, all.length, 'leaves before the first branch')
  for (const [i, { fence, entries, stored = {} }] of all.entries()) {
    const next = all[i + 1]?.fence
    // Its keys are as long as a scope and an id are.
    const { PK: _, SK: __, ...held } = stored
    assert(entryBytes(held) <= 1024 || entries.length === 1, `a leaf of ${entryBytes(held)} bytes`)
    for (const [j, { place, cell }] of entries.entries()) {
      const own = placeText(place)
      assert(compareBytes(own, fence) >= 0, `an entry below the fence of its leaf ${fence}`)
      assert(next === undefined || compareBytes(own, next) < 0, `an entry above its leaf ${fence}`)
      assert(cell < names.cells.length, `a list without a name: ${cell}`)
      const before = entries[j - 1]
      assert(before === undefined || comparePlaces(before.place, place) < 0, `entries out of order in ${fence}`)
    }
  }
}

function sorted(counts: ReadonlyMap<number, number>): readonly (readonly [number, number])[] {
  return [...counts].filter(([, count]) => count !== 0).sort(([a], [b]) => a - b)
}
