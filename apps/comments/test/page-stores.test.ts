import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { createTestClient, dropTables, uniqueTableName } from '../../../test/engines/index.ts'
import { PATIENCE } from '../../../test/engines/patience.ts'
import { s3Client, startS3 } from '../../../test/engines/s3.ts'
import { readConfig } from '../src/config.ts'
import { type RunningServer, startServer } from '../src/server.ts'
import { silentLogger } from './silent-logger.ts'
import { CHOSEN, engineOf } from './test-app.ts'

const folder = mkdtempSync(join(tmpdir(), 'lapidary-test-'))
const tables: string[] = []
let server: RunningServer | undefined
afterEach(() => server?.close())
afterAll(async () => {
  await dropTables(createTestClient(engineOf(CHOSEN)), tables)
  rmSync(folder, { recursive: true })
})

/** Starts the application on a table of its own, or on the table of the start before. */
async function start(settings: Readonly<Record<string, string>>): Promise<string> {
  const config = readConfig([], {
    ...{ PORT: '0', DATA_DIR: folder, DEMO_COMMENTS: '400', LOG_LEVEL: 'silent' },
    ...{ DYNAMODB_ENDPOINT: engineOf(CHOSEN).endpoint, LAYOUT: CHOSEN.name, ...settings },
  })
  if (config === 'help') throw new Error('no configuration')
  server = await startServer(config, silentLogger)
  return server.address
}

function newTable(): string {
  const name = uniqueTableName()
  tables.push(name)
  return name
}

interface Answer {
  readonly status: number
  readonly retryAfter: string | null
  readonly body: { readonly items: readonly unknown[]; readonly cursors: { readonly next: string } }
}

async function pageOf(address: string, query: string): Promise<Answer> {
  const answer = await fetch(`${address}/products/42/comments?${query}`)
  const body = (await answer.json()) as Answer['body']
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body }
}

async function expectThirdPage(address: string): Promise<void> {
  const third = await pageOf(address, 'page=3&limit=5')
  expect(third).toMatchObject({ status: 200, body: { page: { number: 3, size: 5 } } })
  expect(third.body.items).toHaveLength(5)
}

/** Expects that pages by number say when to come again, and that first pages and cursors need no index. */
async function expectFirstPagesOnly(address: string): Promise<void> {
  const third = await pageOf(address, 'page=3&limit=5')
  expect(third).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  expect(Number(third.retryAfter)).toBeGreaterThan(0)
  const first = await pageOf(address, 'limit=5')
  expect(first).toMatchObject({ status: 200 })
  expect(await pageOf(address, `limit=5&cursor=${first.body.cursors.next}`)).toMatchObject({ status: 200 })
}

test(
  'PAGE_INDEX=file builds the files, reads pages from them, and does without when they are damaged',
  async () => {
    const settings = { PAGE_INDEX: 'file', TABLE_NAME: newTable() }
    await expectThirdPage(await start(settings))
    await server?.close()
    const files = join(folder, 'page-index', 'comments')
    const bases = readdirSync(files).filter((name) => name.endsWith('.lpb'))
    for (const name of bases) writeFileSync(join(files, name), 'not a base file')
    await expectFirstPagesOnly(await start(settings))
  },
  PATIENCE.timeout * 2,
)

test(
  'PAGE_INDEX=s3 builds the objects, reads pages from them, and does without when S3 is gone',
  async () => {
    const s3 = await startS3()
    onTestFinished(() => s3.kill())
    const client = await s3Client(s3, 'pages')
    client.destroy()
    vi.stubEnv('AWS_ENDPOINT_URL_S3', s3.url)
    vi.stubEnv('AWS_REGION', 'us-east-1')
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'test')
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test')
    onTestFinished(() => void vi.unstubAllEnvs())
    const address = await start({ PAGE_INDEX: 's3', PAGE_INDEX_BUCKET: 'pages', TABLE_NAME: newTable() })
    await expectThirdPage(address)
    await s3.kill()
    await expect.poll(async () => (await pageOf(address, 'page=3&limit=5')).status, PATIENCE).toBe(503)
    await expectFirstPagesOnly(address)
  },
  PATIENCE.timeout * 2,
)
