import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../test/engines/index.ts'
import { PATIENCE } from '../../../test/engines/patience.ts'
import { readConfig } from '../src/config.ts'
import { type RunningServer, startServer } from '../src/server.ts'
import { silentLogger } from './silent-logger.ts'

const folder = mkdtempSync(join(tmpdir(), 'lapidary-test-'))
const files = join(folder, 'page-index', 'comments')
const tableName = uniqueTableName()
let server: RunningServer | undefined
afterEach(() => server?.close())
afterAll(async () => {
  const [engine] = testEngines()
  if (engine !== undefined) await dropTables(createTestClient(engine), [tableName])
  rmSync(folder, { recursive: true })
})

async function start(): Promise<string> {
  const [engine] = testEngines()
  const config = readConfig([], {
    ...{ PORT: '0', DATA_DIR: folder, TABLE_NAME: tableName, PAGE_INDEX: 'file', DEMO_COMMENTS: '400' },
    ...{ DYNAMODB_ENDPOINT: engine?.endpoint, LOG_LEVEL: 'silent' },
  })
  if (config === 'help') throw new Error('no configuration')
  server = await startServer(config, silentLogger)
  return server.address
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

test(
  'the server builds the files, reads pages from them, and goes on with first pages when they are damaged',
  async () => {
    const address = await start()
    const third = await pageOf(address, 'page=3&limit=5')
    expect(third).toMatchObject({ status: 200, body: { page: { number: 3, size: 5 } } })
    expect(third.body.items).toHaveLength(5)
    await server?.close()

    for (const name of readdirSync(files))
      if (name.endsWith('.lpb')) writeFileSync(join(files, name), 'not a base file')
    const again = await start()
    const damaged = await pageOf(again, 'page=3&limit=5')
    expect(damaged).toMatchObject({ status: 503, body: { code: 'unavailable' } })
    expect(Number(damaged.retryAfter)).toBeGreaterThan(0)
    const first = await pageOf(again, 'limit=5')
    expect(first).toMatchObject({ status: 200 })
    expect(await pageOf(again, `limit=5&cursor=${first.body.cursors.next}`)).toMatchObject({ status: 200 })
  },
  PATIENCE.timeout * 4,
)
