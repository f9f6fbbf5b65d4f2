import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type CliHome, openCliHome } from './run-cli.ts'

const ADMIN = 'the-admin-token-of-this-test'
let home: CliHome

beforeAll(async () => {
  home = await openCliHome()
})
afterAll(async () => home[Symbol.asyncDispose]())

/** Starts the command, and waits until it says where it listens. */
async function serve(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const child = home.start(['serve', '--port', '0', '--json', ...args], { env })
  const ended = once(child, 'close') as Promise<[number | null]>
  let stderr = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk
  })
  const [first] = await Promise.race([once(child.stdout ?? child, 'data'), ended])
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
  })
  const said = first instanceof Buffer ? JSON.parse(String(first)) : undefined
  return {
    url: String(said?.url),
    said: said as { readonly collections: readonly string[]; readonly adminToken?: string } | undefined,
    async stop() {
      child.kill('SIGTERM')
      const [code] = await ended
      return { code, stderr }
    },
    result: async () => ({ code: (await ended)[0], stderr }),
  }
}

describe('lapidary serve', () => {
  it('serves the collections of the configuration, reads for all and writes with a token, and ends by SIGTERM', async () => {
    const server = await serve([], { ADMIN_TOKEN: ADMIN })
    expect(server.said?.collections).toEqual(['comments'])
    expect(server.said).not.toHaveProperty('adminToken')
    const comment = { productId: '42', language: 'en', rating: 5, title: 'Fine', text: 'It works.', author: 'Ada' }
    const post = (headers: Record<string, string>): Promise<Response> =>
      fetch(`${server.url}/comments`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(comment),
      })
    expect((await post({})).status).toBe(401)
    const created = await post({ authorization: `Bearer ${ADMIN}` })
    expect(created.status).toBe(201)
    const page = await (await fetch(`${server.url}/comments?scope=42&rating=4,5`)).json()
    expect(page).toMatchObject({ items: [{ ...comment, text: undefined }].map(({ text: _, ...shown }) => shown) })
    expect((await fetch(`${server.url}${created.headers.get('location')}`)).status).toBe(200)
    for (const path of ['/openapi.json', '/docs', '/docs/errors', '/healthz', '/metrics'])
      expect((await fetch(server.url + path)).status, path).toBe(200)
    // Not before the runner has come to the table's changes.
    await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status).toBe(200)
    expect((await fetch(`${server.url}/comments`, { method: 'TRACE' }).catch(() => ({ status: 405 }))).status).toBe(405)
    const { code, stderr } = await server.stop()
    expect(code).toBe(0)
    expect(stderr).not.toContain(ADMIN)
  })

  it('makes a token where none is given, and says it', async () => {
    const server = await serve()
    expect(server.said?.adminToken).toMatch(/^[\w-]{24}$/)
    const { stderr } = await server.stop()
    expect(stderr).toContain(`admin token: ${server.said?.adminToken}`)
  })

  it('answers only as this machine', async () => {
    const server = await serve()
    const { hostname, port } = new URL(server.url)
    expect(hostname).toBe('127.0.0.1')
    const asked = request({ host: hostname, port, path: '/comments?scope=42', headers: { host: 'evil.example' } }).end()
    const [answer] = await once(asked, 'response')
    expect(answer.statusCode).toBe(403)
    answer.resume()
    await server.stop()
  })

  it('refuses a token that is too short, and a port that is taken', async () => {
    const weak = await serve([], { ADMIN_TOKEN: 'short' })
    expect(await weak.result()).toMatchObject({ code: 2 })
    const server = await serve()
    const other = await serve(['--port', new URL(server.url).port])
    const { code, stderr } = await other.result()
    expect(code).toBe(1)
    expect(stderr).toMatch(/is in use/)
    await server.stop()
  })

  it('serves several collections of a configuration', async () => {
    const config = home.file('several.config.mjs')
    writeFileSync(
      config,
      `import { anyOf, defineCollection } from ${JSON.stringify(import.meta.resolve('lapidary'))}
const any = { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } }
const of = (name) => defineCollection({ name, schema: any, id: 'id', scope: { name: 'PARENT', attribute: 'parent' }, order: 'at', facets: { kind: anyOf(['a', 'b']) } }); export default { tableName: 'several', collections: { first: of('FIRST'), second: of('SECOND') } }
`,
    )
    const server = await serve(['--config', config])
    expect(server.said?.collections).toEqual(['first', 'second'])
    for (const name of ['first', 'second'])
      expect((await fetch(`${server.url}/${name}?scope=x&kind=a`)).status).toBe(200)
    await server.stop()
  })
})
