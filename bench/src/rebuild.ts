import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { CreateTableCommand, DynamoDBClient, paginateScan, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { tableFor } from 'lapidary'
import { createTableInput } from 'lapidary/schema'
import { clientConfig } from 'lapidary-engine'
import { startBare } from './bare-dynoxide.ts'
import type { BenchContext } from './bench.ts'
import { comments, generateComments } from './comments.ts'
import { rounded, timed } from './measure.ts'
import type { Random } from './random.ts'
import type { Report } from './report.ts'
import { entryOf, storeComments, TABLE_NAME } from './stored-comments.ts'

/** Comments of a product, as many as a shop's product has when lists are worth an index. */
const OF_A_PRODUCT = 200
/** Small enough that garbage is collected and what is left shows. */
const HEAP = '--max-old-space-size=128'
const MEGABYTE = 2 ** 20
/** Of a rebuild of the page index alone before it was made from sorted entries, on the same machine (2026-11-25). */
const BEFORE = { itemsASecond: 373, writeUnits: 19.7 }

interface Step {
  readonly ms: number
  readonly cpuMs: number
  readonly writeUnits: number
  readonly scanned: number
  readonly requests: number
}

interface Figures {
  readonly taken: Readonly<Record<'import' | 'rebuild' | 'verify' | 'follow', Step>>
  readonly bytesBefore: number
  /** Bytes of the process, ten times a second. */
  readonly memory: readonly number[]
  readonly longestSilenceMs: number
}

/** What a table takes from an import to everything being counted, verified and followed; and what the engine takes of that by itself. */
export async function rebuild({ random, seed, quick }: BenchContext): Promise<Report> {
  const count = quick ? 2_000 : 20_000
  const more = count / 5
  const folder = mkdtempSync(join(tmpdir(), 'lapidary-bench-'))
  const program = fileURLToPath(new URL('rebuild-process.ts', import.meta.url))
  const words = [folder, count, more, count / OF_A_PRODUCT, seed].map(String)
  const { stdout } = await promisify(execFile)(process.execPath, [HEAP, ...process.execArgv, program, ...words], {
    maxBuffer: 16 * MEGABYTE,
  }).finally(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  const { taken, bytesBefore, memory, longestSilenceMs } = JSON.parse(stdout) as Figures
  const bare = await measureBare(count / 4, random)
  const row = (name: string, items: number, step: Step): (string | number)[] => [
    name,
    rounded((items / step.ms) * 1000, 0),
    rounded(step.cpuMs / items, 2),
    rounded(step.writeUnits / items, 2),
    rounded(step.scanned / items, 1),
    rounded(step.requests / items, 2),
  ]
  const rate = (count / taken.rebuild.ms) * 1000
  const peak = Math.max(bytesBefore, ...memory)
  return {
    tables: [
      {
        title: `${count} comments of ${count / OF_A_PRODUCT} products, then ${more} more, in a process of its own with a heap of 128 MB at most`,
        columns: [
          'step',
          'items a second',
          'ms of its processor an item',
          'write units an item',
          'times an item is read',
          'requests an item',
        ],
        rows: [
          row('import', count, taken.import),
          row('counts, leaderboard and page index together', count, taken.rebuild),
          row('verify', count, taken.verify),
          row('following the change stream', more, taken.follow),
        ],
      },
      {
        title: 'The embedded engine by itself, with its change stream on, in a file',
        columns: ['what', 'items a second'],
        rows: [
          ['BatchWriteItem of 25 comments, 6 in flight', rounded(bare.written, 0)],
          ['Scan in pages of 500', rounded(bare.scanned, 0)],
          ['TransactWriteItems of 100 items of 1 KB', rounded(bare.transacted, 0)],
        ],
      },
    ],
    targets: [
      {
        name: 'items a second, counts and page index together',
        value: rate,
        limit: 5 * BEFORE.itemsASecond,
        kind: 'at least',
      },
      { name: 'write units an item', value: taken.rebuild.writeUnits / count, limit: 0.3, kind: 'at most' },
      { name: 'times that a verify reads an item', value: taken.verify.scanned / count, limit: 1, kind: 'at most' },
      {
        name: 'import with everything counted, over the import alone',
        value: (taken.import.ms + taken.rebuild.ms) / taken.import.ms,
        limit: 1.5,
        kind: 'at most',
      },
      {
        name: 'ms of processor a change that is followed',
        value: taken.follow.cpuMs / more,
        limit: 1,
        kind: 'at most',
      },
      {
        name: 'changes a second that are followed',
        value: (more / taken.follow.ms) * 1000,
        limit: 2_000,
        kind: 'at least',
      },
      { name: 'ms between reports of progress, at most', value: longestSilenceMs, limit: 1000, kind: 'at most' },
      {
        name: 'MB that the rebuild added to its process',
        value: (peak - bytesBefore) / MEGABYTE,
        limit: 150,
        kind: 'at most',
      },
    ],
    figures: { taken, bare, before: BEFORE },
  }
}

/** What the engine gives without the library: the same items by plain calls. */
async function measureBare(
  count: number,
  random: Random,
): Promise<{ readonly written: number; readonly scanned: number; readonly transacted: number }> {
  await using bare = await startBare({ inMemory: false })
  const client = new DynamoDBClient(clientConfig(bare.endpoint))
  const definition = tableFor({ tableName: TABLE_NAME, collections: { comments } })
  await client.send(new CreateTableCommand(createTableInput(definition)))
  const entries = generateComments(count, random).map(entryOf)
  const rate = (items: number, { ms }: { readonly ms: number }): number => (items / ms) * 1000
  const written = rate(count, await timed(() => storeComments(client, entries, 6)))
  const scanning = await timed(async () => {
    let items = 0
    const input = { TableName: TABLE_NAME, ConsistentRead: true, Limit: 500 }
    for await (const { Count = 0 } of paginateScan({ client }, input)) items += Count
    return items
  })
  const B = new Uint8Array(1_000)
  const transactions = count / 100
  const transacting = await timed(async () => {
    for (let i = 0; i < transactions; i++) {
      const puts = Array.from({ length: 100 }, (_, at) => ({
        Put: { TableName: TABLE_NAME, Item: { PK: { S: `~bench#${i}` }, SK: { S: String(at) }, '~e': { B } } },
      }))
      await client.send(new TransactWriteItemsCommand({ TransactItems: puts }))
    }
  })
  client.destroy()
  return { written, scanned: rate(scanning.value, scanning), transacted: rate(transactions * 100, transacting) }
}
