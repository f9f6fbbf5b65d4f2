import { LapidaryError } from 'lapidary'
import { importItems } from 'lapidary/transfer'
import { createFaultKit, seededRandom } from 'lapidary-testing'
import { expect, test, vi } from 'vitest'
import { PATIENCE } from '../../../../test/engines/patience.ts'
import { type Comment, comment } from '../comments-fixture.ts'
import { type BuildProcess, buildSetting } from './build-setting.ts'

/** So many that a build skips them. */
const IMPORTED = 1_040
const KILLS = Number(process.env.KILLS ?? 4)
const SEED = 20_261_125
const PRODUCTS = ['1', '2', '3'] as const
const LIMIT = 5
const PACE = { idleMs: 5, quietMs: 5, gatherMs: 5, discoverMs: 50, leaseMs: 200 } as const
const BUILD = { idleMs: 2, leaseMs: 200 } as const

const { world } = buildSetting()

function imported(): readonly Comment[] {
  return Array.from({ length: IMPORTED }, (_, i) =>
    comment({ id: `c${i}`, productId: PRODUCTS[i % 3] ?? '1', rating: (1 + (i % 5)) as Comment['rating'] }),
  )
}

/** Writes comments while others are at work, and says how many each product has afterwards. */
async function writeMore(
  { comments: items }: BuildProcess,
  random: () => number,
  name: string,
): Promise<Map<string, number>> {
  const added = new Map<string, number>()
  for (let i = 0; i < 12; i++) {
    const productId = PRODUCTS[Math.floor(random() * 3)] ?? '1'
    await items.create(comment({ id: `${name}${i}`, productId, rating: 3 }))
    added.set(productId, (added.get(productId) ?? 0) + 1)
    await new Promise((resolve) => setTimeout(resolve, random() * 15))
  }
  return added
}

/** Follows the stream to its end, and makes nothing. */
async function follow({ stream }: BuildProcess): Promise<void> {
  await using _poller = await stream.start({ ...PACE, fill: false })
  await vi.waitFor(async () => expect((await stream.report()).pending).toBe(0), PATIENCE)
}

/** Every answer of a process that has just begun is right, or unknown. Returns how many were known. */
async function requireTrue({ comments: items }: BuildProcess, sizes: ReadonlyMap<string, number>): Promise<number> {
  let known = 0
  for (const [scope, size] of sizes) {
    const { total } = await items.count({ scope })
    if (total !== null) expect(total).toBe(size)
    const number = Math.floor(size / LIMIT)
    const page = await items.page(number, { scope, limit: LIMIT }).catch((error: unknown) => {
      if (error instanceof LapidaryError && error.code === 'unavailable') return undefined
      throw error
    })
    if (page !== undefined) expect(page.items).toHaveLength(LIMIT)
    known += (total === null ? 0 : 1) + (page === undefined ? 0 : 1)
  }
  return known
}

async function writePoints(): Promise<number> {
  const { open } = world()
  const first = open()
  await first.table.create()
  await importItems(first.comments, imported(), { onConflict: 'replace' })
  const faults = createFaultKit({ seed: SEED })
  await open(faults).derived.rebuild('all', BUILD)
  return faults.writePoints
}

test('a build that is killed anywhere leaves nothing wrong that is taken for known, and the next one makes all of it', async () => {
  const random = seededRandom(SEED)
  const points = await writePoints()
  let killed = 0
  for (let i = 0; i < KILLS; i++) {
    const { open } = world()
    const writer = open()
    await writer.table.create()
    await importItems(writer.comments, imported(), { onConflict: 'replace' })
    const sizes = new Map(PRODUCTS.map((scope, at) => [scope as string, Math.ceil((IMPORTED - at) / 3)]))
    const faults = createFaultKit({ seed: SEED + i, killAt: 1 + Math.floor(((i + random()) / KILLS) * points) })
    const [added] = await Promise.all([
      writeMore(writer, random, `w${i}-`),
      open(faults)
        .derived.rebuild('all', BUILD)
        .catch(() => {
          killed += 1
        }),
    ])
    for (const [scope, more] of added) sizes.set(scope, (sizes.get(scope) ?? 0) + more)
    await faults.landed()
    await follow(open())
    await requireTrue(open(), sizes)
    const next = open()
    expect(await next.derived.rebuild('all', BUILD)).toMatchObject({ gaps: [], deadLetters: 0 })
    expect(await next.derived.verify({ idleMs: 2 })).toMatchObject({
      differences: [],
      gaps: [],
      pending: 0,
      notVerified: [],
    })
    expect(await requireTrue(open(), sizes)).toBe(2 * PRODUCTS.length)
  }
  expect(killed).toBeGreaterThanOrEqual(KILLS / 2)
})
