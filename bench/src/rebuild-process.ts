import { setTimeout as sleep } from 'node:timers/promises'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { type Collection, createLapidary, segments } from 'lapidary'
import { importItems } from 'lapidary/transfer'
import { openEngine } from 'lapidary-engine'
import { type Comment, comments, generateComments } from './comments.ts'
import { seededRandom } from './random.ts'
import { countRequests } from './request-units.ts'
import { TABLE_NAME } from './stored-comments.ts'

/**
 * A process of its own, so that its memory and its processor time are the library's: imports comments into a table in a folder, makes everything
 * that is derived, verifies it, imports more and counts that change by change. Prints what each took as JSON.
 */

const SAMPLE_MS = 100
const CHUNK = 1_000

const [dataDir, count = 0, more = 0, products = 1, seed = 1] = process.argv
  .slice(2)
  .map((word, i) => (i === 0 ? word : Number(word))) as [string, ...number[]]
await using engine = await openEngine({ dataDir })
const client = new DynamoDBClient(engine.clientConfig)
const units = countRequests(client)
const ledComments = {
  ...comments,
  leaderboards: [{ name: 'five-star', where: { rating: [5] }, shards: 4 }],
} as typeof comments
const lapidary = createLapidary({
  ...{ client, tableName: TABLE_NAME, cursorSecret: 'a secret that only the bench knows' },
  collections: { comments: ledComments as Collection<Comment, typeof comments.facets> },
  ...{ derived: { counts: true, pages: segments() }, stream: { immediate: true } },
})
await lapidary.table.create()
const random = seededRandom(seed)

function* made(items: number, prefix: string): Generator<Comment> {
  for (let first = 0; first < items; first += CHUNK) {
    for (const comment of generateComments(Math.min(CHUNK, items - first), random, { prefix: `${prefix}${first}-` })) {
      yield { ...comment, productId: `p${Math.floor(random() * products)}` }
    }
  }
}

const taken: Record<string, { ms: number; cpuMs: number; writeUnits: number; scanned: number; requests: number }> = {}

async function take(name: string, work: () => Promise<unknown>): Promise<void> {
  const requests = (): number => Object.values(units.requests).reduce((sum, each) => sum + each, 0)
  const before = {
    at: performance.now(),
    cpu: process.cpuUsage(),
    writeUnits: units.writeUnits,
    scanned: units.scanned,
    requests: requests(),
  }
  await work()
  const { user, system } = process.cpuUsage(before.cpu)
  taken[name] = {
    ms: performance.now() - before.at,
    cpuMs: (user + system) / 1000,
    writeUnits: units.writeUnits - before.writeUnits,
    scanned: units.scanned - before.scanned,
    requests: requests() - before.requests,
  }
}

const importAll = (items: number, prefix: string) =>
  importItems(lapidary.comments, made(items, prefix), { onConflict: 'replace' })
await take('import', () => importAll(count, 'a'))
const memory: number[] = []
const sampling = setInterval(() => memory.push(process.memoryUsage.rss()), SAMPLE_MS)
const bytesBefore = process.memoryUsage.rss()
let toldAt = performance.now()
let longestSilenceMs = 0
await take('rebuild', async () => {
  const { items, pending } = await lapidary.derived.rebuild('all', {
    onProgress: () => {
      longestSilenceMs = Math.max(longestSilenceMs, performance.now() - toldAt)
      toldAt = performance.now()
    },
  })
  if (items !== count || pending > 0) throw new Error(`${items} of ${count} comments were counted, ${pending} wait`)
})
clearInterval(sampling)
await take('verify', async () => {
  const { differenceCount } = await lapidary.derived.verify()
  if (differenceCount > 0) throw new Error(`${differenceCount} differences`)
})
await take('import more', () => importAll(more, 'b'))
await take('follow', async () => {
  const from = Date.now()
  await using poller = await lapidary.stream.start({ fill: false })
  while ((poller.status().caughtUpAt ?? 0) <= from) await sleep(10)
})
client.destroy()
console.log(JSON.stringify({ taken, bytesBefore, memory, longestSilenceMs }))
