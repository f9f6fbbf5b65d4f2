import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHttpServer } from '../src/http-server.ts'
import { ADMIN, newComment, useTestApp, WRITER } from './test-app.ts'

const SCHEMATHESIS = fileURLToPath(new URL('../../../.cache/python/bin/schemathesis', import.meta.url))
const CONFIG = fileURLToPath(new URL('schemathesis.toml', import.meta.url))
/** The draws are repeated by the seed. `OPENAPI_EXAMPLES=250` sends more than 10,000 requests in all, in every phase for each token. */
const SEED = process.env.OPENAPI_SEED ?? '1'
const { OPENAPI_EXAMPLES } = process.env
const EXAMPLES = OPENAPI_EXAMPLES ?? '6'
/** The other phases draw nothing, so that one token is enough for them. */
const SHORT = ['--phases', 'fuzzing']
const TOKENS = [
  ['the admin’s token', ADMIN],
  ['a writer’s token', WRITER],
  ['a token that is not known', 'a-token-that-is-not-known'],
  ['no token', undefined],
] as const

const { app, ask, send, log } = useTestApp()
const server = createHttpServer()
const folder = mkdtempSync(join(tmpdir(), 'openapi-'))
let address = ''

beforeAll(async () => {
  address = `http://127.0.0.1:${await server.listen(app.fetch, { host: '127.0.0.1', port: 0 })}`
  await send('POST', '/products/42/comments', newComment({ id: '100001' }))
})
afterAll(async () => {
  await server.drain()
  rmSync(folder, { recursive: true, force: true })
})

interface OpenApi {
  readonly paths: Record<string, Record<string, { parameters?: { readonly name: string }[]; security?: object[] }>>
}

/** The description as it is served, but for pages by number, which are answered 501 until they are there. */
async function describedApi(): Promise<string> {
  const description = (await ask('/openapi.json')).body as OpenApi
  for (const operation of Object.values(description.paths).flatMap((path) => Object.values(path))) {
    operation.parameters = (operation.parameters ?? []).filter(({ name }) => name !== 'page')
  }
  const file = join(folder, 'openapi.json')
  writeFileSync(file, JSON.stringify(description))
  return file
}

function runSchemathesis(options: readonly string[]): Promise<{ readonly code: number; readonly report: string }> {
  return new Promise((resolve) => {
    execFile(SCHEMATHESIS, options, { cwd: folder, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), report: `${stdout}${stderr}` }),
    )
  })
}

test.each(TOKENS)(
  'what is served is what /openapi.json says, for requests that it allows and for others, with %s',
  async (_, token) => {
    const { code, report } = await runSchemathesis([
      ...['--config-file', CONFIG, 'run', await describedApi(), '--url', address, '--no-color'],
      ...(token === undefined ? [] : ['--header', `Authorization: Bearer ${token}`]),
      ...(token === ADMIN || OPENAPI_EXAMPLES !== undefined ? [] : SHORT),
      ...['--seed', SEED, '--max-examples', EXAMPLES, '--continue-on-failure', '--request-timeout', '240'],
    ])
    console.info(report.slice(report.lastIndexOf('Test cases:')).trim())
    expect(report, report).toMatch(/Tested: +12/)
    expect(code, report).toBe(0)
    expect(log.filter((line) => line.includes('"status":500'))).toEqual([])
  },
  1_800_000,
)
