import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { seededRandom } from '../../packages/lapidary/src/model/seeded-random.ts'
import { type Comment, listAll, read } from './comment-api.ts'
import { type CommentServer, killWhileStarting, startCommentServer } from './comment-server.ts'
import { CommentWriter, LANGUAGES, PRODUCTS } from './comment-writer.ts'
import { derivedItemsOf, leadersOf, readTable, statisticsOf, verify } from './recount.ts'

/** A longer run by hand: `npm run test:long -- test/kill`, or `KILL_TIMES=200 KILL_SEED=7 npx vitest run test/kill`. */
const SEED = Number(process.env.KILL_SEED ?? Date.now() % 1_000_000)
const KILLS = Number(process.env.KILL_TIMES ?? 5)
const WRITES_PER_SECOND = Number(process.env.KILL_WRITES_PER_SECOND ?? 50)
/** The server is killed at any moment up to this long after it began to listen. */
const LONGEST_LIFE_MS = 5_000
const LONGEST_START_MS = 1_500
const MINUTE = 60_000

test(`no write is lost and every count is exact after ${KILLS} kills under ${WRITES_PER_SECOND} writes a second (seed ${SEED})`, {
  timeout: 10 * MINUTE + KILLS * MINUTE,
}, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'comments-killed-'))
  const random = seededRandom(SEED)
  const writer = new CommentWriter(random)
  let server: CommentServer | undefined
  onTestFinished(async () => {
    await server?.kill()
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  })

  for (let kill = 0; kill < KILLS; kill++) {
    if (random() < 0.3) await killWhileStarting(dataDir, random() * LONGEST_START_MS)
    server = await startCommentServer(dataDir)
    await writer.settle(server.address)
    await writeUntilKilled(server, writer, random() * LONGEST_LIFE_MS)
  }
  server = await startCommentServer(dataDir)
  const { address } = server
  await writer.settle(address)
  for (const comment of ofProduct(writer.known.values(), 'rare')) await writer.delete(address, comment)
  await counted(address)
  console.log(`seed ${SEED}: ${JSON.stringify(writer.counts)}, ${writer.known.size} comments are left`)

  expect(writer.wrong).toEqual([])
  const listed = (await Promise.all(PRODUCTS.map((productId) => listAll(address, productId)))).flat()
  expect(listed.toSorted(byId)).toEqual([...writer.known.values()].sort(byId))
  for (const language of [undefined, ...LANGUAGES]) {
    const query = language === undefined ? '' : `?language=${language}`
    for (const productId of PRODUCTS) {
      const { asOf, ...statistics } = await read<{ asOf: string }>(address, `/products/${productId}/statistics${query}`)
      expect(statistics).toEqual(statisticsOf(listed, productId, language))
    }
    const board = await read<{ entries: unknown }>(address, `/leaderboards/five-star${query}`)
    expect(board.entries).toEqual(leadersOf(listed, language))
  }
  const table = await readTable(dataDir)
  expect(table.ids.toSorted()).toEqual([...writer.known.keys()].sort())
  expect(table.derived).toEqual(derivedItemsOf(listed))
  expect(table.deadLetters).toBe(0)
  expect(await verify(dataDir)).toMatchObject({ differences: [], items: listed.length, deadLetters: 0, gaps: [] })
})

/** Writes at a steady rate, whatever the answers do, and kills the server while they are under way. */
async function writeUntilKilled(server: CommentServer, writer: CommentWriter, lifeMs: number): Promise<void> {
  const underWay: Promise<void>[] = []
  const startedAt = performance.now()
  let begun = 0
  for (let now = 0; now < lifeMs; now = performance.now() - startedAt) {
    for (; begun < (now * WRITES_PER_SECOND) / 1000; begun++) underWay.push(writer.write(server.address))
    await sleep(5)
  }
  await server.kill()
  await Promise.all(underWay)
}

/** Waits until the server says that it has counted all that was written by now. A lag of 0 would only be true a moment ago. */
async function counted(address: string): Promise<void> {
  const writtenBy = new Date().toISOString()
  for (const deadline = Date.now() + 4 * MINUTE; Date.now() < deadline; await sleep(20)) {
    const { asOf } = await read<{ asOf: string | null }>(address, `/products/${PRODUCTS[0]}/statistics`)
    if (asOf !== null && asOf > writtenBy) return
  }
  throw new Error('the counts did not catch up within four minutes')
}

function ofProduct(comments: Iterable<Comment>, productId: string): Comment[] {
  return [...comments].filter((comment) => comment.productId === productId)
}

function byId(a: Comment, b: Comment): number {
  return a.id < b.id ? -1 : 1
}
