import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { attack } from '../../../bench/src/schemathesis.ts'
import { createHttpServer } from '../src/internal-server.ts'
import { ADMIN, useServedApi, WRITER } from './served-api.ts'

/** The seed repeats the draws. */
const SEED = Number(process.env.OPENAPI_SEED ?? 1)
const EXAMPLES = Number(process.env.OPENAPI_EXAMPLES ?? 4)
const CONFIG = fileURLToPath(new URL('schemathesis.toml', import.meta.url))

const api = useServedApi({ items: 8, columns: true })
const server = createHttpServer()
let address = ''

beforeAll(async () => {
  address = `http://127.0.0.1:${await server.listen(api.app.fetch, { host: '127.0.0.1', port: 0 })}`
})
afterAll(() => server.drain())

test.each([
  ['the admin’s token', ADMIN],
  ['a writer’s token', WRITER],
  ['no token', undefined],
] as const)(
  'what is served of three collections is what /openapi.json says, with %s',
  async (_, token) => {
    // The other phases draw nothing, so one token is enough for them.
    const phases = token === ADMIN ? {} : { phases: ['fuzzing'] as const }
    const { code, report } = await attack({ address, token, seed: SEED, examples: EXAMPLES, config: CONFIG, ...phases })
    console.info(report.slice(report.lastIndexOf('Test cases:')).trim())
    expect(report, report).toMatch(/Tested: +24/)
    expect(code, report).toBe(0)
    expect(api.errors.map(String)).toEqual([])
  },
  1_800_000,
)
