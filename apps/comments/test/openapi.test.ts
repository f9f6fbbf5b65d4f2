import { createHttpServer } from 'lapidary-http/internal/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { attack } from '../../../bench/src/schemathesis.ts'
import { memoryPhotos } from './photos/test-photos.ts'
import { ADMIN, newComment, useTestApp, WRITER } from './test-app.ts'

/** The seed repeats the draws; `npm run bench -- attack` sends many more. */
const SEED = Number(process.env.OPENAPI_SEED ?? 1)
const EXAMPLES = Number(process.env.OPENAPI_EXAMPLES ?? 6)
const TOKENS = [
  ['the admin’s token', ADMIN],
  ['a writer’s token', WRITER],
  ['a token that is not known', 'a-token-that-is-not-known'],
  ['no token', undefined],
] as const

const { app, ask, send, log } = useTestApp(undefined, undefined, undefined, { photos: memoryPhotos().photos })
const server = createHttpServer()
let address = ''
/** The operations that are described. */
let operations: readonly { readonly responses: object }[] = []

beforeAll(async () => {
  address = `http://127.0.0.1:${await server.listen(app.fetch, { host: '127.0.0.1', port: 0 })}`
  const { paths } = (await ask('/openapi.json')).body as {
    paths: Record<string, Record<string, { responses: object }>>
  }
  operations = Object.values(paths).flatMap((path) => Object.values(path))
  await send('POST', '/products/42/comments', newComment({ id: '100001' }))
})
afterAll(() => server.drain())

test.each(TOKENS)(
  'what is served is what /openapi.json says, for requests that it allows and for others, with %s',
  async (_, token) => {
    // The other phases draw nothing, so one token is enough for them.
    const phases = token === ADMIN ? {} : { phases: ['fuzzing'] as const }
    const { code, report } = await attack({ address, token, seed: SEED, examples: EXAMPLES, ...phases })
    console.info(report.slice(report.lastIndexOf('Test cases:')).trim())
    expect(report, report).toMatch(new RegExp(`Tested: +${operations.length}`))
    expect(code, report).toBe(0)
    expect(log.filter((line) => line.includes('"status":500'))).toEqual([])
  },
  1_800_000,
)

test('each operation says what any request can meet, before the application sees it too', () => {
  expect(operations.length).toBeGreaterThanOrEqual(14)
  for (const { responses } of operations) {
    for (const status of ['400', '408', '431', '500']) expect(responses).toHaveProperty(status)
  }
})
