import { importItems } from 'lapidary/transfer'
import { createFaultKit } from 'lapidary-testing'
import { expect, test, vi } from 'vitest'
import { PATIENCE } from '../../../../test/engines/patience.ts'
import { readCheckpoints } from '../../src/stream/checkpoint.ts'
import { listShards, streamArn } from '../../src/stream/shards.ts'
import { comment } from '../comments-fixture.ts'
import { type BuildProcess, buildSetting } from './build-setting.ts'

/** So many are not counted change by change. */
const IMPORTED = 1_100
const PACE = { idleMs: 5, quietMs: 5, gatherMs: 5, discoverMs: 50 } as const

const { streams, world } = buildSetting()

/** How often the backlog was skipped. */
async function skippedIn({ comments: made }: BuildProcess): Promise<number> {
  const { table } = made.context
  const shards = await listShards(streams, await streamArn(table))
  const checkpoints = await readCheckpoints(table, shards)
  return [...checkpoints.values()].reduce((sum, { gaps }) => sum + gaps, 0)
}

const items = () => Array.from({ length: IMPORTED }, (_, i) => comment({ id: `c${i}` }))

async function requireMade({ comments: made, derived, stream }: BuildProcess): Promise<void> {
  expect(await made.count({ scope: '42' })).toMatchObject({ total: IMPORTED })
  expect((await made.page(IMPORTED / 10, { scope: '42', limit: 10 })).items).toHaveLength(10)
  expect((await stream.report()).pending).toBe(0)
  expect(await derived.gaps()).toEqual([])
}

test('an import makes what is derived at its end, from one scan', async () => {
  const { open } = world()
  const lapidary = open()
  await lapidary.table.create()
  expect(await importItems(lapidary.comments, items(), { onConflict: 'replace', derived: 'now' })).toMatchObject({
    written: IMPORTED,
  })
  await requireMade(open())
  expect(await skippedIn(lapidary)).toBe(1)
})

test('an import leaves it to what follows the stream where that is asked for, and where it is interrupted or dry', async () => {
  for (const options of [{ derived: 'later' }, {}, { derived: 'now', dryRun: true }] as const) {
    const { open, transactions } = world()
    const lapidary = open()
    await lapidary.table.create()
    await importItems(lapidary.comments, [comment()], { onConflict: 'replace', ...options })
    expect(transactions()).toBe(0)
  }
  const { open, transactions } = world()
  const lapidary = open()
  await lapidary.table.create()
  const stop = AbortSignal.abort()
  const stopped = { onConflict: 'replace', derived: 'now', signal: stop } as const
  expect(await importItems(lapidary.comments, [comment()], stopped)).toMatchObject({ interrupted: true })
  expect(transactions()).toBe(0)
})

test('an import refuses a word that is none', async () => {
  const lapidary = world().open()
  await lapidary.table.create()
  await expect(importItems(lapidary.comments, [], { derived: 'soon' as 'now' })).rejects.toMatchObject({
    code: 'unprocessable',
    message: expect.stringContaining('must be now or later, not "soon"'),
  })
})

test('a process that is the first to follow the stream of a large table makes it from one scan, and counts on', async () => {
  const { open } = world()
  const importing = open()
  await importing.table.create()
  await importItems(importing.comments, items(), { onConflict: 'replace' })
  const following = open()
  await using _poller = await following.stream.start(PACE)
  await vi.waitFor(
    async () => expect(await following.comments.count({ scope: '42' })).toMatchObject({ total: IMPORTED }),
    PATIENCE,
  )
  await vi.waitFor(() => requireMade(open()), PATIENCE)
  expect(await skippedIn(following)).toBe(1)
  await importing.comments.create(comment({ id: 'later', productId: '7' }))
  await vi.waitFor(
    async () => expect(await following.comments.count({ scope: '7' })).toMatchObject({ total: 1 }),
    PATIENCE,
  )
})

test('an import that ends before it has made all leaves counts that are unknown or right', async () => {
  const { open } = world()
  const first = open()
  await first.table.create()
  const faults = createFaultKit({ seed: 1, killAt: 2 * IMPORTED })
  const importing = importItems(open(faults).comments, items(), { onConflict: 'replace', derived: 'now' })
  setTimeout(() => faults.kill(), 400)
  await importing.catch(() => undefined)
  const { total } = await open().comments.count({ scope: '42' })
  expect([null, IMPORTED]).toContain(total)
})
