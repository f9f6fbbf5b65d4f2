import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { CreateBucketCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import { createLapidary, type SortedLists } from 'lapidary'
import { s3Lists } from 'lapidary-pages/s3'
import type { BenchContext } from './bench.ts'
import { comments, generateComments, PRODUCT } from './comments.ts'
import { mean, rounded } from './measure.ts'
import { anywhere, lifelike, newest, type TreeChanges } from './page-changes.ts'
import { type BenchServer, started } from './redis-process.ts'
import type { Report } from './report.ts'
import { entryOf as stored } from './stored-comments.ts'

const SIZES = [1_000, 10_000, 100_000]
const QUICK_SIZES = [1_000, 10_000]
const PAGES = 40
const CHANGES = 500
const BATCH = 25
const AT_ONCE = 50_000
const BUCKET = 'pages'
/** Five lists: one language, and each rating. */
const isAsked = (cell: string): boolean => cell.startsWith('en#')

interface Requests {
  readonly reads: number
  readonly writes: number
}

interface Measured {
  readonly size: number
  readonly bytes: number
  readonly cold: { readonly requests: number; readonly rounds: number }
  readonly warm: { readonly requests: number; readonly rounds: number }
  readonly newest: Requests
  readonly lifelike: Requests
  readonly anywhere: Requests
}

/** What a page by number takes from a bucket, and what keeping the page index there takes for each batch of changes. */
export async function pageS3({ random, quick }: BenchContext): Promise<Report> {
  await using server = await startS3()
  const measured: Measured[] = []
  for (const size of quick ? QUICK_SIZES : SIZES) measured.push(await measure(server, size, random))
  const both = ({ reads, writes }: Requests): readonly number[] => [rounded(reads, 1), rounded(writes, 1)]
  return {
    tables: [
      {
        title: `The place of a page anywhere, five lists of one product; mean of ${PAGES}`,
        columns: ['comments', 'bytes a comment', 'cold: requests', 'rounds', 'again: requests', 'rounds'],
        rows: measured.map(({ size, bytes, cold, warm }) => [
          ...[size, rounded(bytes, 1), rounded(cold.requests, 1), rounded(cold.rounds, 1)],
          ...[rounded(warm.requests, 1), rounded(warm.rounds, 1)],
        ]),
      },
      {
        title: `Requests for a batch of ${BATCH} changes, by a process that has no part of the base in memory at first`,
        columns: ['comments', 'newest only: GET', 'PUT', 'nine in ten newest: GET', 'PUT', 'anywhere: GET', 'PUT'],
        rows: measured.map((each) => [each.size, ...both(each.newest), ...both(each.lifelike), ...both(each.anywhere)]),
      },
    ],
    targets: [],
    figures: measured.map((each) => ({ ...each })),
  }
}

async function measure(server: BenchServer, size: number, random: BenchContext['random']): Promise<Measured> {
  const credentials = { accessKeyId: 'bench', secretAccessKey: 'bench' }
  const endpoint = `http://127.0.0.1:${server.port}`
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials })
  const database = new DynamoDBClient({ region: 'us-east-1', credentials })
  const counted = { reads: 0, writes: 0 }
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      (args) => {
        if (commandName === 'GetObjectCommand') counted.reads++
        if (commandName === 'PutObjectCommand') counted.writes++
        return next(args)
      },
    { step: 'initialize' },
  )
  try {
    await client.send(new CreateBucketCommand({ Bucket: BUCKET }))
    const prefix = `${size}/`
    /** A process of its own, which has nothing in memory. */
    const open = () => {
      const pages = s3Lists({ client, bucket: BUCKET, prefix, refreshMs: 0 })
      const options = { client: database, tableName: 'comments', collections: { comments } }
      const lapidary = createLapidary({ ...options, cursorSecret: 'a secret of the bench', derived: { pages } })
      const [index] = lapidary.comments.context.pages
      if (index === undefined) throw new Error('there is no page index')
      return index
    }
    const { entriesOf } = open()
    const entries = generateComments(size, random).flatMap((comment) => entriesOf(stored(comment)))
    const { lists } = open()
    const filling = await lists.fill()
    for (let i = 0; i < size; i += AT_ONCE) await filling.add(entries.slice(i, i + AT_ONCE))
    await filling.finish()
    await lists.close()
    const total = entries.filter(({ cell }) => isAsked(cell)).length
    const bytes = (await bytesUnder(client, prefix)) / size

    const [cold, warm] = [[], []] as { requests: number; rounds: number }[][]
    for (let i = 0; i < PAGES; i++) {
      const offset = Math.floor(random() * total)
      const process = open().lists
      for (const took of [cold, warm]) {
        const before = counted.reads
        const { rounds, place } = await process.select({
          ...{ groups: [PRODUCT], includes: isAsked, lower: undefined, upper: undefined, ascending: false, offset },
        })
        if (place === undefined) throw new Error(`no place at ${offset}`)
        took?.push({ requests: counted.reads - before, rounds })
      }
    }
    const of = (took: typeof cold = []) => ({
      requests: mean(took.map(({ requests }) => requests)),
      rounds: mean(took.map(({ rounds }) => rounds)),
    })
    return {
      ...{ size, bytes, cold: of(cold), warm: of(warm) },
      newest: await requestsOf(open().lists, counted, newest(entries, CHANGES)),
      lifelike: await requestsOf(open().lists, counted, lifelike(entries, CHANGES, random)),
      anywhere: await requestsOf(open().lists, counted, anywhere(entries, CHANGES, random)),
    }
  } finally {
    client.destroy()
    database.destroy()
  }
}

async function requestsOf(lists: SortedLists, counted: Requests, { shardId, changes }: TreeChanges): Promise<Requests> {
  const before = { ...counted }
  for (let i = 0; i < changes.length; i += BATCH) await lists.apply(shardId, changes.slice(i, i + BATCH))
  await lists.close()
  const batches = changes.length / BATCH
  return { reads: (counted.reads - before.reads) / batches, writes: (counted.writes - before.writes) / batches }
}

async function bytesUnder(client: S3Client, prefix: string): Promise<number> {
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: BUCKET, Prefix: prefix }))
  return Contents.reduce((sum, { Size = 0 }) => sum + Size, 0)
}

/** Moto's server, which `node scripts/provision.mjs` has installed. */
function startS3(): Promise<BenchServer> {
  const program = fileURLToPath(new URL('../../.cache/moto/bin/moto_server', import.meta.url))
  const port = 20_000 + Math.floor(Math.random() * 12_000)
  return started(spawn(program, ['-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' }), port)
}
