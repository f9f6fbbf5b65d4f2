import { expect, test } from 'vitest'
import { memoryNodes, SMALL_SIZES } from '../../../test/pages/memory-nodes.ts'
import { Again } from '../../table/retrying.ts'
import type { ListEntry } from '../sorted-lists.ts'
import { fillTrees } from './fill.ts'
import type { CommitResult } from './node-store.ts'

const waiting = { random: () => 0.5, sleep: async () => undefined }
const entryAt = (i: number): ListEntry => ({ group: '42', cell: 'en#5', place: { score: i, member: `m${i}` } })
const entries = Array.from({ length: 2_000 }, (_, i) => entryAt(i))

test('what a refused commit had taken is taken once, by the commit that is made', async () => {
  const nodes = memoryNodes({ sizes: SMALL_SIZES, limits: { nodes: 300 } })
  const trees = { state: 'filling', generation: await nodes.begin() } as const
  let [refuses, commits] = [false, 0]
  const taken: number[] = []
  const fill = (part: readonly ListEntry[]): Promise<void> =>
    fillTrees(nodes, { waiting, namespace: 'T' }, trees, part, async (edits): Promise<CommitResult> => {
      commits += 1
      if (refuses && commits % 2 === 1) return new Again(new Error('another write came between'))
      const result = await nodes.commit({ edits, trees, mark: undefined })
      if (refuses && result === 'made') taken.push(...edits.map((edit) => edit.taken))
      return result
    })
  // One commit reads so many leaves at once, and takes no more of what falls between them.
  await fill(entries.filter((_, i) => i % 10 !== 5))
  refuses = true
  await fill(entries.filter((_, i) => i % 10 === 5))
  expect(taken.length).toBeGreaterThan(1)
  expect(taken.reduce((sum, count) => sum + count, 0)).toBe(entries.length / 10)
})
