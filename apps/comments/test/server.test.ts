import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../test/engines/index.ts'
import { DEMO_DATA } from '../src/demo/fill-demo-data.ts'
import { generateComments } from '../src/demo/generate-comments.ts'
import { MAIN, run, type Started, start } from './server-process.ts'
import { newComment, readAnswer } from './test-app.ts'

/** Enough for a start to be killed in the middle. */
const DEMO = { DEMO: '1', DEMO_COMMENTS: '300' }
const ADMIN = 'the-admin-token-1'
const JSON_WITH_TOKEN = { authorization: `Bearer ${ADMIN}`, 'content-type': 'application/json' }

function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'comments-server-'))
}

/** Starts a database that answers until it is told to hang: then it takes connections and requests, and answers nothing. */
async function hangingDatabase(): Promise<{ readonly endpoint: string; hang(): void }> {
  const [engine] = testEngines()
  const { hostname, port } = new URL(engine?.endpoint ?? '')
  const sockets = new Set<Socket>()
  let hanging = false
  const proxy = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    if (hanging) return
    const upstream = connect(Number(port), hostname).on('error', () => {})
    socket.pipe(upstream).pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    proxy.close()
  })
  return {
    endpoint: `http://127.0.0.1:${(proxy.address() as { port: number }).port}`,
    hang() {
      hanging = true
      for (const socket of sockets) socket.unpipe()
    },
  }
}

/** Sends bytes on a connection of its own, and returns the whole answer when the server closes it. */
async function exchange(address: string, request: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(address)
  const socket = connect(Number(port), hostname)
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  socket.on('error', () => {})
  socket.write(request)
  await new Promise((resolve) => socket.once('close', resolve))
  return Buffer.concat(chunks).toString()
}

describe('a running server', () => {
  let dataDir: string
  let server: Started
  beforeAll(async () => {
    dataDir = temporaryFolder()
    server = await start({ DATA_DIR: dataDir, ADMIN_TOKEN: ADMIN })
  })
  afterAll(async () => {
    await server.end('SIGKILL')
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  })

  const get = async (path: string) => readAnswer(await fetch(`${server.address}${path}`))
  const post = async (path: string, body: unknown) =>
    readAnswer(
      await fetch(`${server.address}${path}`, { method: 'POST', headers: JSON_WITH_TOKEN, body: JSON.stringify(body) }),
    )
  const raw = (line: string, headers = '') =>
    exchange(server.address, Buffer.from(`${line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}\r\n`))

  test('the given admin token is not printed', () => {
    expect(server.output()).toBe(`listening on ${server.address}\n`)
  })

  test.each(['a/b', '#', '~', '.', '..', '%', '%2F', '%252F', '?a=1&b', '😀', ' ', 'a b+c', '/../x', '\\', 'é', '"<>'])(
    'id and product %j work in paths, and reach no other',
    async (id) => {
      const segment = /^\.+$/.test(id) ? id.replaceAll('.', '%2E') : encodeURIComponent(id)
      const body = JSON.stringify(newComment({ id, text: id }))
      const created = await raw(
        `POST /products/${segment}/comments`,
        `Authorization: Bearer ${ADMIN}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      )
      expect(created).toMatch(/^HTTP\/1.1 201 /)
      expect(created).toContain(`location: /comments/${segment}\r\n`)
      expect(await raw(`GET /comments/${segment}`)).toContain(JSON.stringify(id))
      const list = await raw(`GET /products/${segment}/comments/en/5?limit=2`)
      expect(JSON.parse(list.slice(list.indexOf('\r\n\r\n')).trim()).items).toMatchObject([{ id, productId: id }])
      if (/^\.+$/.test(id)) return
      expect((await get(`/comments/${segment}`)).body).toMatchObject({ id })
      expect((await get(`/products/${segment}/comments`)).body.items).toMatchObject([{ id }])
    },
  )

  test('following next, then previous, over the socket gives each comment exactly once', async () => {
    for (let i = 0; i < 7; i++) {
      await post(
        '/products/walk/comments',
        newComment({ id: `w${i}`, createdAt: '2020-01-01T00:00:00Z', rating: (i % 5) + 1 }),
      )
    }
    const seen: string[] = []
    let path: string | undefined = '/products/walk/comments?rating=1,2,3&limit=2'
    let last = path
    while (path !== undefined) {
      const { body, headers } = await get(path)
      seen.push(...body.items.map((item: { id: string }) => item.id))
      last = path
      path = /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
    }
    expect(seen).toEqual(['w6', 'w5', 'w2', 'w1', 'w0'])
    const back: string[][] = []
    for (path = last; path !== undefined; ) {
      const { body, headers } = await get(path)
      back.unshift(body.items.map((item: { id: string }) => item.id))
      path = /<([^>]*)>; rel="prev"/.exec(headers.get('link') ?? '')?.[1]
    }
    expect(back.flat()).toEqual(seen)
  })

  test.each([
    ['/products/1/comments', 'application/json'],
    ['/p/1/comments', 'application/x-www-form-urlencoded'],
  ])('a body of 10 MB to %s is refused, with and without its length', async (path, type) => {
    const body = Buffer.alloc(10 * 1024 * 1024, 0x20)
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ${ADMIN}\r\nContent-Type: ${type}\r\n`
    const announced = await exchange(
      server.address,
      Buffer.concat([Buffer.from(`${head}Content-Length: ${body.length}\r\n\r\n`), body]),
    )
    expect(announced).toMatch(/^HTTP\/1.1 413 [\s\S]*"code":"too_large"/)
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), body.subarray(0, 0x10000), Buffer.from('\r\n')])
    const chunks = Array.from({ length: 160 }, () => chunk)
    const streamed = await exchange(
      server.address,
      Buffer.concat([Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n`), ...chunks, Buffer.from('0\r\n\r\n')]),
    )
    expect(streamed).toMatch(/^HTTP\/1.1 413 [\s\S]*"code":"too_large"/)
    const waiting = await exchange(server.address, `${head}Content-Length: ${body.length}\r\n\r\n{`)
    expect(waiting).toMatch(/^HTTP\/1.1 413 [\s\S]*"code":"too_large"/)
    const fetched = await readAnswer(
      await fetch(`${server.address}${path}`, {
        method: 'POST',
        headers: { ...JSON_WITH_TOKEN, 'content-type': type },
        body,
      }),
    )
    expect(fetched).toMatchObject({ status: 413, body: { code: 'too_large' } })
    expect((await get('/healthz')).status).toBe(200)
  })

  test('a body that ends before it is whole does no harm', async () => {
    const { hostname, port } = new URL(server.address)
    const socket = connect(Number(port), hostname)
    socket.write(
      `POST /products/1/comments HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ADMIN}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a"`,
    )
    await delay(50)
    socket.destroy()
    expect((await get('/healthz')).status).toBe(200)
  })

  test.each([
    ['GET /comments/%zz', '', 400],
    ['GET /comments/\\x', '', 400],
    ['GET /comments/grün', '', 400],
    ['NONSENSE', '', 400],
    [`GET /comments/${'x'.repeat(20_000)}`, '', 431],
    ['GET /healthz', `X-Long: ${'x'.repeat(20_000)}\r\n`, 431],
  ])('%.30s… is answered with a problem', async (line, headers, status) => {
    const answer = await raw(line, headers)
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(answer.toLowerCase()).toContain('content-type: application/problem+json')
  })
})

describe('the life of a server', () => {
  test('a restart keeps data, cursors and the admin token that was made', async () => {
    const dataDir = temporaryFolder()
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
    const tokenOf = ({ output }: Started) => /^admin token: (\S+)/m.exec(output())?.[1]
    const first = await start({ DATA_DIR: dataDir })
    const token = tokenOf(first)
    expect(token).toMatch(/^[\w-]{32}$/)
    for (const id of ['1', '2', '3']) {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const body = JSON.stringify(newComment({ id, createdAt: `2020-01-0${id}T00:00:00Z` }))
      const answer = await fetch(`${first.address}/products/42/comments`, { method: 'POST', headers, body })
      expect(answer.status).toBe(201)
    }
    const page = await readAnswer(await fetch(`${first.address}/products/42/comments?limit=1`))
    expect(await first.end()).toBe(0)

    const second = await start({ DATA_DIR: dataDir })
    onTestFinished(async () => void (await second.end('SIGKILL')))
    expect(tokenOf(second)).toBe(token)
    const next = await readAnswer(
      await fetch(`${second.address}/products/42/comments?limit=2&cursor=${page.body.cursors.next}`),
    )
    expect(next.body.items.map(({ id }: { id: string }) => id)).toEqual(['2', '1'])
    expect(await second.end('SIGINT')).toBe(0)
  })

  test('demo data is filled in the first time, also after a crash in the middle, and not again', async () => {
    const dataDir = temporaryFolder()
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
    const crashed = run({ DATA_DIR: dataDir, ...DEMO })
    while (!crashed.stderr().includes('filling in demo data')) await delay(5)
    crashed.process.kill('SIGKILL')
    await once(crashed.process, 'close')
    expect(crashed.stdout()).toBe('')

    const stopped = run({ DATA_DIR: dataDir, ...DEMO })
    while (!stopped.stderr().includes('filling in demo data')) await delay(5)
    stopped.process.kill('SIGTERM')
    expect(await once(stopped.process, 'close')).toEqual([0, null])
    expect(stopped.stdout()).toBe('')

    const server = await start({ DATA_DIR: dataDir, ...DEMO, ADMIN_TOKEN: ADMIN })
    const page = async (address: string) => readAnswer(await fetch(`${address}/products/42/comments?limit=1`))
    const { body } = await page(server.address)
    // The server counts before it says that it listens.
    const expected = [...generateComments({ ...DEMO_DATA, comments: Number(DEMO.DEMO_COMMENTS) })].filter(
      ({ productId }) => productId === '42',
    ).length
    expect(body.page.total).toBe(expected)
    expect((await fetch(`${server.address}/readyz`)).status).toBe(200)
    const [newest] = body.items
    expect(newest).toMatchObject({ productId: '42' })
    const headers = { authorization: `Bearer ${ADMIN}` }
    await fetch(`${server.address}/comments/${newest.id}`, { method: 'DELETE', headers })
    expect(await server.end()).toBe(0)

    const again = await start({ DATA_DIR: dataDir, ...DEMO })
    onTestFinished(async () => void (await again.end('SIGKILL')))
    expect((await page(again.address)).body.items).not.toEqual([newest])
  })

  test('SIGTERM lets a request under way finish, accepts no other, and ends with 0', async () => {
    const dataDir = temporaryFolder()
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
    const server = await start({ DATA_DIR: dataDir, ADMIN_TOKEN: ADMIN })
    const { hostname, port } = new URL(server.address)
    const socket = connect(Number(port), hostname)
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    const body = JSON.stringify(newComment())
    socket.write(
      `POST /products/42/comments HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ADMIN}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
    )
    await delay(200)
    const ended = server.end()
    await delay(200)
    await expect(fetch(`${server.address}/healthz`)).rejects.toThrow()
    socket.write(body.slice(10))
    await once(socket, 'close')
    expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1.1 201 /)
    expect(await ended).toBe(0)
  })

  test('a database that hangs costs a reader some seconds, and does not keep the process', async () => {
    const database = await hangingDatabase()
    const TABLE_NAME = uniqueTableName()
    const server = await start({
      ...{ DYNAMODB_ENDPOINT: database.endpoint, TABLE_NAME },
      ADMIN_TOKEN: ADMIN,
      CURSOR_SECRET: 'a secret of the tests',
    })
    const path = `${server.address}/products/42/comments`
    expect((await fetch(path)).status).toBe(200)
    database.hang()
    const writing = fetch(path, { method: 'POST', headers: JSON_WITH_TOKEN, body: JSON.stringify(newComment()) })
    for (const answer of [await readAnswer(await fetch(path)), await readAnswer(await writing)]) {
      expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' } })
      expect(answer.headers.get('retry-after')).toBe('1')
    }
    expect(await server.end()).toBe(0)
    expect(server.log()).toContain('ending with work unfinished')
    const [engine] = testEngines()
    if (engine !== undefined) await dropTables(createTestClient(engine), [TABLE_NAME])
  })

  test('a store of page numbers without its address is a wrong setting', async () => {
    const { process: child, stderr } = run({ PAGE_INDEX: 'redis' })
    const [code] = await once(child, 'close')
    expect(stderr()).toBe('PAGE_INDEX is redis, and REDIS_URL is not set; give it, like redis://127.0.0.1:6379\n')
    expect(code).toBe(2)
  })

  test('a port that is taken is named, with what to do', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    onTestFinished(() => void other.close())
    const { port } = other.address() as { port: number }
    const { process: child, stderr } = run({ PORT: String(port), DATA_DIR: join(tmpdir(), 'never-made') })
    const [code] = await once(child, 'close')
    expect(code).toBe(1)
    expect(stderr()).toBe(
      `127.0.0.1:${port} is in use; stop what uses it, or choose another (PORT=0 takes any free one)\n`,
    )
  })

  test.each([
    [{ PORT: 'http' }, 2, /^PORT is "http"; allowed: /],
    [{ LAYOUT: 'native-keys' }, 1, /embedded engine can't query.* native-keys.* DYNAMODB_ENDPOINT/],
    [
      { DATA_DIR: '/dev/null' },
      1,
      /^The data folder "\/dev\/null" can't be used: it is no folder.* Set DATA_DIR .*\n$/,
    ],
    [
      { DATA_DIR: '/proc/x' },
      1,
      /^The data folder "\/proc\/x" can't be used: no folder can be made there\. Set DATA_DIR .*\n$/,
    ],
    [
      { DATA_DIR: `${MAIN}/below` },
      1,
      /^The data folder .* can't be used: it is no folder, or its path leads through .* Set DATA_DIR .*\n$/,
    ],
    [{ DYNAMODB_ENDPOINT: 'http://127.0.0.1:1' }, 1, /^DynamoDB at http:\/\/127.0.0.1:1 does not answer/],
    [{ DYNAMODB_ENDPOINT: 'http://me:word@127.0.0.1:1' }, 1, /^DynamoDB at http:\/\/…@127.0.0.1:1 does not answer/],
  ])('%j ends with %i', async (settings, expected, message) => {
    const dataDir = temporaryFolder()
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
    const { process: child, stderr } = run({ DATA_DIR: dataDir, ...settings })
    const [code] = await once(child, 'close')
    expect(code).toBe(expected)
    expect(stderr()).toMatch(message)
    expect(stderr().trim().split('\n')).toHaveLength(1)
  })
})

test('the secrets of a data folder are for its owner alone', async () => {
  const dataDir = temporaryFolder()
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  const server = await start({ DATA_DIR: dataDir })
  const token = readFileSync(join(dataDir, 'admin-token'), 'utf8').trim()
  expect(server.output()).toContain(`admin token: ${token} `)
  expect(await server.end()).toBe(0)
})
