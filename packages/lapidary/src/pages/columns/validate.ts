import assert from 'node:assert/strict'
import { compareBytes } from '../../model/key-text.ts'
import { comparePlaces, placeText } from '../place.ts'
import type { NodeStore, TreeName } from '../tree/node-store.ts'
import { BLOCKS, FIRST_COLUMN, PLACES, rowsIn, unpackBlock } from './block.ts'
import { rowsOf } from './fold-block.ts'
import { loadBlock } from './load-block.ts'

const CONSISTENT = { consistent: true } as const

/** Checks the columns of a group that nothing is written to meanwhile. @throws {Error} that names the first invariant that is broken. */
export async function validateColumns(store: NodeStore, tree: TreeName, facets: number): Promise<void> {
  const read = async (row: number) => (await store.range(tree, { row, from: '' }, CONSISTENT)).nodes
  const blocks = (await read(BLOCKS)).map(unpackBlock)
  assert(blocks.length === 0 || blocks[0]?.fence === '', 'the first block begins behind the first place')
  let chunks = 0
  for (const [i, block] of blocks.entries()) {
    const next = blocks[i + 1]?.fence
    assert.equal(block.next, next, `where the block ${block.fence} ends`)
    assert(block.born <= block.latest, `the number of the block ${block.fence}`)
    const whole = await loadBlock(store, tree, block, facets)
    const rows = rowsOf(whole)
    assert.equal(whole.places.length, block.rows, `rows of the block ${block.fence}`)
    assert.equal(rows.length, rowsIn(block), `entries of the block ${block.fence}`)
    chunks += block.chunks.length
    for (const [j, { place }] of rows.entries()) {
      const before = rows[j - 1]
      assert(before === undefined || comparePlaces(before.place, place) < 0, `rows out of order in ${block.fence}`)
      assert(compareBytes(placeText(place), block.fence) >= 0, `a row below its block ${block.fence}`)
      assert(next === undefined || compareBytes(placeText(place), next) < 0, `a row above its block ${block.fence}`)
    }
  }
  assert.equal((await read(PLACES)).length, chunks, 'places that no block has')
  const inColumns = blocks.filter(({ rows }) => rows > 0).map(({ fence }) => fence)
  for (let i = 0; i < facets; i++) {
    const fences = (await read(FIRST_COLUMN + i)).map(({ fence }) => fence)
    assert.deepEqual(fences, inColumns, `the blocks of column ${i}`)
  }
}
