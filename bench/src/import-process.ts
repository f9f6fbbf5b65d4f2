import { setTimeout as sleep } from 'node:timers/promises'
import { importItems } from 'lapidary/transfer'
import { type Comment, generateComments } from './comments.ts'
import { seededRandom } from './random.ts'
import { entryOf, openCommentsTable, storeComments } from './stored-comments.ts'

/**
 * A process of its own, so that its memory is the import's: imports comments through the library and, between its chunks,
 * others by plain BatchWriteItem calls into the same table, and prints what that took as JSON.
 */

const CHUNK = 10_000
const PLAIN_CHUNK = 2_500
const PARALLELISM = 6

const [count = CHUNK, seed = 1] = process.argv.slice(2, 4).map(Number)
const onConflict = process.argv[4] === 'replace' ? 'replace' : 'skip'
const random = seededRandom(seed)
await using table = await openCommentsTable()
const ms = { library: 0, plain: 0 }
let written = 0
let plain = 0
let startedAt = performance.now()

async function* comments(): AsyncGenerator<Comment> {
  for (let first = 0; first < count; first += CHUNK) {
    const size = Math.min(CHUNK, count - first)
    const chunk = generateComments(size, random, { prefix: `c${first}-` })
    startedAt = performance.now()
    yield* chunk
    // Everything but a last part of a batch is on its way now; it has to arrive before the other one's turn.
    while (written < first + size - (size % 25)) await sleep(1)
    ms.library += performance.now() - startedAt
    const others = generateComments(PLAIN_CHUNK, random, { prefix: `p${first}-` })
    startedAt = performance.now()
    await storeComments(table.client, others.map(entryOf), PARALLELISM)
    ms.plain += performance.now() - startedAt
    plain += others.length
  }
}

const { written: total } = await importItems(table.lapidary.comments, comments(), {
  ...{ onConflict, concurrency: PARALLELISM },
  onProgress: (progress) => {
    written = progress.written
  },
})
if (total !== count) throw new Error(`${total} of ${count} comments were written`)
console.log(JSON.stringify({ count, plain, ms, peakBytes: process.resourceUsage().maxRSS * 1024 }))
