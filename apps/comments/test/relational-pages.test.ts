import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createTestClient, dropTables, uniqueTableName } from '../../../test/engines/index.ts'
import { PATIENCE } from '../../../test/engines/patience.ts'
import { startPostgres } from '../../../test/engines/postgres.ts'
import { readConfig } from '../src/config.ts'
import { startServer } from '../src/server.ts'
import { silentLogger } from './silent-logger.ts'
import { CHOSEN, engineOf, newComment } from './test-app.ts'

const ADMIN = 'the-admin-token-1'
const LIST = '/products/42/comments'
const TOTAL = 12

interface PageBody {
  readonly items: readonly { readonly id: string }[]
  readonly page: { readonly number: number; readonly total: number }
  readonly cursors: { readonly next: string | null }
}

/** Starts the application on a table of its own, as a user does. */
async function serve(settings: Readonly<Record<string, string>>) {
  const engine = engineOf(CHOSEN)
  const tableName = uniqueTableName()
  const dataDir = mkdtempSync(join(tmpdir(), 'lapidary-test-'))
  const place = { DYNAMODB_ENDPOINT: engine.endpoint, LAYOUT: CHOSEN.name, TABLE_NAME: tableName, DATA_DIR: dataDir }
  const config = readConfig([], { PORT: '0', DEMO: '0', ADMIN_TOKEN: ADMIN, ...place, ...settings })
  if (config === 'help') throw new TypeError('no help was asked for')
  const starting = startServer(config, silentLogger)
  onTestFinished(async () => {
    const started = await starting.catch(() => undefined)
    await started?.close()
    if (started !== undefined) await dropTables(createTestClient(engine), [tableName])
    rmSync(dataDir, { recursive: true, force: true })
  })
  const server = await starting
  const ask = (path: string): Promise<Response> => fetch(`${server.address}${path}`)
  return {
    ask,
    /** Posts some comments, a second apart. */
    async post(from: number, to: number): Promise<void> {
      for (let i = from; i < to; i++) {
        const createdAt = new Date(1_700_000_000_000 + i * 1000).toISOString()
        const { status } = await fetch(`${server.address}${LIST}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${ADMIN}`, 'content-type': 'application/json' },
          body: JSON.stringify(newComment({ id: `n${i}`, createdAt })),
        })
        expect(status).toBe(201)
      }
    },
    /** Waits until the page index has all comments, and returns page 3 of 5 each. */
    async third(total: number): Promise<PageBody> {
      return vi.waitFor(async () => {
        const response = await ask(`${LIST}?page=3&limit=5`)
        expect(response.status).toBe(200)
        const body = (await response.json()) as PageBody
        expect(body.page).toMatchObject({ number: 3, total })
        return body
      }, PATIENCE)
    },
  }
}

test('page numbers from PostgreSQL; while it is away they are 503, and first pages and cursors go on', async () => {
  await using server = await startPostgres()
  const { ask, post, third } = await serve({ PAGE_INDEX: 'postgres', DATABASE_URL: server.url })
  await post(0, TOTAL)
  expect((await third(TOTAL)).items.map(({ id }) => id)).toEqual(['n1', 'n0'])

  await server.kill()
  const refused = await ask(`${LIST}?page=900&limit=5`)
  expect(refused.status).toBe(503)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await refused.json()).toMatchObject({ code: 'unavailable', detail: expect.stringContaining('postgres') })
  const first = (await (await ask(`${LIST}?limit=5&page=1`)).json()) as PageBody
  expect(first.items.map(({ id }) => id)).toEqual(['n11', 'n10', 'n9', 'n8', 'n7'])
  const next = (await (await ask(`${LIST}?limit=5&cursor=${first.cursors.next}`)).json()) as PageBody
  expect(next.items.map(({ id }) => id)).toEqual(['n6', 'n5', 'n4', 'n3', 'n2'])
  await post(TOTAL, TOTAL + 2)

  await server.restart()
  expect((await third(TOTAL + 2)).items.map(({ id }) => id)).toEqual(['n3', 'n2', 'n1', 'n0'])
})

test('page numbers from PGlite, in the folder of the server', async () => {
  const { post, third } = await serve({ PAGE_INDEX: 'pglite' })
  await post(0, TOTAL)
  expect((await third(TOTAL)).items.map(({ id }) => id)).toEqual(['n1', 'n0'])
})

test('a server without the address of its database does not start', async () => {
  await expect(serve({ PAGE_INDEX: 'postgres' })).rejects.toThrow('PAGE_INDEX is postgres, and DATABASE_URL is not set')
})
