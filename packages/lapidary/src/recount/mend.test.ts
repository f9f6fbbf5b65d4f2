import { QueryCommand } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import { countedTable, values } from '../../test/memory-items/counted-table.ts'
import type { CopyProjection } from '../derived/copy-projection.ts'
import type { Projection } from '../derived/projection.ts'
import { noteGap, readCheckpoint } from '../stream/checkpoint.ts'
import { DEAD_LETTER_PARTITION, listDeadLetters } from '../stream/dead-letters.ts'
import { type MendOptions, rebuild, repair } from './mend.ts'

/** A minute passes in three seconds: what waits for nothing gives up. */
const started = Date.now()
const clock = (): number => started + 20 * (Date.now() - started)
const quick: MendOptions = { idleMs: 30, poll: false }

/** An older program, which can't count what is in `new`. */
const older: Projection = {
  ...values,
  contributions(image) {
    if (image.scope?.S === 'new') throw new TypeError('a scope that is not known')
    return values.contributions(image)
  },
}

test.each([
  ['repair', repair, 's'],
  ['repair', repair, 't'],
  ['rebuild', rebuild, 's'],
  ['rebuild', rebuild, 't'],
] as const)('a %s forgets no dead letter of what it has not read', async (_, mend, shardId) => {
  let open = 's'
  let isLate = true
  const table = countedTable({
    clock,
    shardOf: () => open,
    async before(command) {
      if (!isLate || !(command instanceof QueryCommand)) return
      if (!JSON.stringify(command.input).includes(DEAD_LETTER_PARTITION)) return
      isLate = false
      if (shardId === 't') {
        Object.assign(table.shards[0] ?? {}, { closed: true })
        table.shards.push({ shardId, parent: 's', records: [] })
        open = shardId
      }
      await table.write('9', 'q', 'new')
      await table.count({ projections: [older] })
    },
  })
  const { derived, items, write, count, counts } = table
  await write('1', 'q')
  await count()
  const { deadLettersForgotten } = await mend(derived, quick)
  expect(counts('new')).toEqual({ count_q: 1 })
  expect([isLate, deadLettersForgotten, (await listDeadLetters(items)).length]).toEqual([false, 1, 0])
})

test('a rebuild leaves a gap to copies that lack what was lost, and a repair makes it up', async () => {
  const { derived, items, write, count } = countedTable({ clock })
  await write('1', 'q')
  await count()
  await noteGap(items, 's', undefined)
  const cache: CopyProjection = { name: 'cache', concerns: () => true, apply: async () => {} }
  expect(await rebuild({ ...derived, copies: [cache] }, quick)).toMatchObject({ gaps: ['s'], gapsCleared: 0 })
  expect(await repair({ ...derived, copies: [cache] }, quick)).toMatchObject({ gaps: [], gapsCleared: 1 })
  await noteGap(items, 's', undefined)
  expect(await rebuild(derived, quick)).toMatchObject({ gaps: [], gapsCleared: 1 })
  expect((await readCheckpoint(items, 's')).gap).toBe(false)
})
