import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { tableFor } from 'lapidary'
import { createTableInput } from 'lapidary/schema'
import { importItems } from 'lapidary/transfer'
import { clientConfig, type EngineOptions, openEngine } from 'lapidary-engine'
import { startBare } from './bare-dynoxide.ts'
import type { BenchContext } from './bench.ts'
import { comments, generateComments } from './comments.ts'
import { rounded, timed } from './measure.ts'
import type { Random } from './random.ts'
import type { Report } from './report.ts'
import { createCommentsTable, openLapidary, TABLE_NAME } from './stored-comments.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

interface Rates {
  /** Items a second. */
  readonly whole: number
  readonly firstQuarter?: number
  readonly lastQuarter?: number
}

/** How fast comments get into the embedded engine, with its change stream on, and whether it slows down. */
export async function embeddedWrites({ random, quick }: BenchContext): Promise<Report> {
  const count = quick ? 1_000 : 20_000
  const folder = mkdtempSync(join(tmpdir(), 'lapidary-bench-'))
  const rows: [string, Rates][] = []
  try {
    rows.push(['lapidary generate, in a folder', await byCommand(count, ['generate'], join(folder, 'a'))])
    const file = join(folder, 'comments.jsonl')
    await command(['generate', '--comments', String(count), '--output', file], folder)
    rows.push(['lapidary import, in a folder', await byCommand(count, ['import', file], join(folder, 'b'))])
    rows.push(['importItems, in a folder', await byLibrary(count, random, { dataDir: join(folder, 'c') })])
    rows.push(['importItems, without a folder', await byLibrary(count, random, {})])
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
  await using bare = await startBare({ inMemory: true })
  const client = new DynamoDBClient(clientConfig(bare.endpoint))
  await createCommentsTable(client)
  rows.push(['importItems, dynoxide in memory, without its change stream', await imported(client, count, random)])
  client.destroy()
  return {
    tables: [
      {
        title: `${count} comments into the embedded engine, its change stream on, in items a second`,
        columns: ['way', 'all', 'first quarter', 'last quarter'],
        rows: rows.map(([way, { whole, firstQuarter, lastQuarter }]) => [
          way,
          rounded(whole, 0),
          firstQuarter === undefined ? '' : rounded(firstQuarter, 0),
          lastQuarter === undefined ? '' : rounded(lastQuarter, 0),
        ]),
      },
    ],
    targets: [],
    figures: Object.fromEntries(rows),
  }
}

/** Measures with the start of the command and the engine. */
async function byCommand(count: number, words: readonly string[], dataDir: string): Promise<Rates> {
  const made = words[0] === 'generate' ? ['--comments', String(count)] : []
  const { ms } = await timed(() => command([...words, ...made], dataDir))
  return { whole: (count / ms) * 1000 }
}

async function command(words: readonly string[], dataDir: string): Promise<void> {
  const { DYNAMODB_ENDPOINT: _, ...env } = process.env
  const program = join(ROOT, 'node_modules/.bin/lapidary')
  await promisify(execFile)(program, words, { cwd: ROOT, env: { ...env, DATA_DIR: dataDir, NODE_NO_WARNINGS: '1' } })
}

async function byLibrary(count: number, random: Random, options: EngineOptions): Promise<Rates> {
  await using engine = await openEngine(options)
  const client = new DynamoDBClient(engine.clientConfig)
  await client.send(
    new CreateTableCommand(createTableInput(tableFor({ tableName: TABLE_NAME, collections: { comments } }))),
  )
  const rates = await imported(client, count, random)
  client.destroy()
  return rates
}

async function imported(client: DynamoDBClient, count: number, random: Random): Promise<Rates> {
  const items = generateComments(count, random)
  const { comments: into } = openLapidary(client)
  const quarter = count / 4
  let firstAt = 0
  let lastFrom = { written: 0, at: 0 }
  const startedAt = performance.now()
  const elapsed = (): number => (performance.now() - startedAt) / 1000
  await importItems(into, items, {
    onProgress: ({ written }) => {
      if (firstAt === 0 && written >= quarter) firstAt = elapsed() / written
      if (lastFrom.at === 0 && written >= 3 * quarter) lastFrom = { written, at: elapsed() }
    },
  })
  const seconds = elapsed()
  return {
    whole: count / seconds,
    firstQuarter: 1 / firstAt,
    lastQuarter: (count - lastFrom.written) / (seconds - lastFrom.at),
  }
}
