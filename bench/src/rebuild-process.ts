import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { createLapidary } from 'lapidary'
import { openEngine } from 'lapidary-engine'
import { comments } from './comments.ts'
import { TABLE_NAME } from './stored-comments.ts'

/**
 * A process of its own, so that its memory is the rebuild's: rebuilds the statistics of the table in a data folder, and
 * prints what that took as JSON.
 */

const SAMPLE_MS = 100

const [dataDir] = process.argv.slice(2)
if (dataDir === undefined) throw new Error('the data folder is missing')
await using engine = await openEngine({ dataDir })
const client = new DynamoDBClient(engine.clientConfig)
const lapidary = createLapidary({
  client,
  tableName: TABLE_NAME,
  collections: { comments },
  cursorSecret: 'a secret that only the bench knows',
  stream: { immediate: true },
})
// What the first request loads is not the rebuild's.
await lapidary.comments.list({ scope: 'nothing' })

const memory: number[] = []
const sampling = setInterval(() => memory.push(process.memoryUsage.rss()), SAMPLE_MS)
const bytesBefore = process.memoryUsage.rss()
const startedAt = performance.now()
let reports = 0
let toldAt = startedAt
let longestSilenceMs = 0
const { items, mended, differenceCount, capacity } = await lapidary.derived.rebuild(undefined, {
  onProgress: () => {
    const now = performance.now()
    longestSilenceMs = Math.max(longestSilenceMs, now - toldAt)
    toldAt = now
    reports += 1
  },
})
const ms = performance.now() - startedAt
clearInterval(sampling)
client.destroy()
console.log(
  JSON.stringify({ items, mended, differenceCount, capacity, ms, reports, longestSilenceMs, bytesBefore, memory }),
)
