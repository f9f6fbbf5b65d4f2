import { gunzipSync } from 'node:zlib'
import { CreateSecretCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { Hono } from 'hono'
import { clientConfig } from 'lapidary-engine'
import { addressOf, type Bindings, requestTarget } from 'lapidary-http/internal'
import { lambdaHandler, lambdaLog, rotatedSecret } from 'lapidary-http/lambda'
import { describe, expect, test, vi } from 'vitest'
import { startS3 } from '../../../test/engines/s3.ts'
import { type EventKind, eventOf, type SentRequest } from './lambda-events.ts'

/** Tells what the application was asked. */
const app = new Hono<{ Bindings: Bindings }>()
app.all('*', async ({ req, env, json, header }) => {
  header('set-cookie', 'a=1', { append: true })
  header('set-cookie', 'b=2', { append: true })
  const { path, query } = requestTarget(req.raw, env)
  const { authorization, cookie, 'if-none-match': tag } = req.header()
  const body = req.method === 'GET' ? undefined : await req.text()
  return json({
    method: req.method,
    path,
    query,
    address: addressOf(env),
    host: new URL(req.url).host,
    authorization,
    cookie,
    tag,
    body,
  })
})
const handler = lambdaHandler(() => app)

interface Answer {
  readonly statusCode: number
  readonly body: string
  readonly isBase64Encoded: boolean
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[]>>
  readonly cookies?: readonly string[]
}

async function told(kind: EventKind, sent: SentRequest): Promise<Readonly<Record<string, unknown>>> {
  const { statusCode, body } = (await handler(eventOf(kind, sent))) as Answer
  expect(statusCode).toBe(200)
  return JSON.parse(body)
}

const KINDS: readonly EventKind[] = ['function-url', 'http-api', 'rest-api', 'load-balancer', 'load-balancer-several']

describe.each(KINDS)('an event of %s', (kind) => {
  test('is answered with what was asked', async () => {
    const headers = { authorization: 'Bearer a-token', cookie: 'plans=first', 'if-none-match': '"1"' }
    expect(await told(kind, { target: '/orders?scope=c%201&status=OPEN,PAID&tag=a&tag=b', headers })).toMatchObject({
      ...{ method: 'GET', path: '/orders', address: '203.0.113.7', host: 'shop.example' },
      ...{ authorization: 'Bearer a-token', cookie: 'plans=first', tag: '"1"' },
    })
    const { query } = await told(kind, { target: '/orders?scope=c%201&status=OPEN,PAID&tag=a&tag=b' })
    // A load balancer of one value for each parameter takes the last.
    const tags = kind === 'load-balancer' ? ['b'] : ['a', 'b']
    const asked = [...new URLSearchParams(String(query))]
    expect(asked).toEqual([['scope', 'c 1'], ['status', 'OPEN,PAID'], ...tags.map((tag) => ['tag', tag])])
  })

  test('has its body, as text and as base64', async () => {
    const body = '{"text":"Größe"}'
    expect(await told(kind, { method: 'POST', target: '/orders', body })).toMatchObject({ method: 'POST', body })
    expect(await told(kind, { method: 'PUT', target: '/orders/1', body, isBase64Encoded: true })).toMatchObject({
      body,
    })
  })

  test('keeps an id of two dots, and one with an encoded letter', async () => {
    expect(await told(kind, { target: '/orders/%2E%2E' })).toMatchObject({
      path: kind === 'http-api' || kind === 'rest-api' ? '/' : '/orders/%2E%2E',
    })
    const { path } = await told(kind, { target: '/orders/Gr%C3%B6%C3%9Fe' })
    expect(decodeURIComponent(String(path))).toBe('/orders/Größe')
  })

  test('is answered with several cookies and compressed, in the form that its sender reads', async () => {
    const answer = (await handler(eventOf(kind, { target: '/', headers: { 'accept-encoding': 'gzip' } }))) as Answer
    const cookies =
      answer.cookies ?? answer.multiValueHeaders?.['set-cookie'] ?? [answer.headers?.['set-cookie']].flat()
    // A load balancer of one value for each header takes one cookie.
    expect(cookies).toEqual(kind === 'load-balancer' ? ['a=1'] : ['a=1', 'b=2'])
    const big = lambdaHandler(() => new Hono().get('/', ({ text }) => text('x'.repeat(5_000))))
    const packed = (await big(eventOf(kind, { target: '/', headers: { 'accept-encoding': 'gzip' } }))) as Answer
    expect(packed.isBase64Encoded).toBe(true)
    expect(gunzipSync(Buffer.from(packed.body, 'base64')).toString()).toHaveLength(5_000)
  })
})

test('behind a load balancer the address is the one that it saw, whatever the client says', async () => {
  const headers = { 'x-forwarded-for': '198.51.100.1, 203.0.113.7' }
  expect(await told('load-balancer', { target: '/', headers })).toMatchObject({ address: '203.0.113.7' })
})

test('the headers of a distribution count where one is, and nowhere else', async () => {
  const headers = {
    'x-viewer-authorization': 'Bearer a-token',
    'x-viewer-host': 'orders.example',
    'x-viewer-address': '198.51.100.9',
  }
  const event = eventOf('function-url', {
    target: '/orders',
    headers: { ...headers, authorization: 'AWS4-HMAC-SHA256 …' },
  })
  const behind = lambdaHandler(() => app, { behindCloudFront: true })
  expect(JSON.parse(((await behind(event)) as Answer).body)).toMatchObject({
    ...{ authorization: 'Bearer a-token', host: 'orders.example', address: '198.51.100.9', path: '/orders' },
  })
  const without = eventOf('function-url', { target: '/orders', headers: { authorization: 'AWS4-HMAC-SHA256 …' } })
  expect(JSON.parse(((await behind(without)) as Answer).body).authorization).toBeUndefined()
  expect(await told('function-url', { target: '/orders', headers })).toMatchObject({
    address: '203.0.113.7',
    host: 'shop.example',
  })
})

test('a secret of Secrets Manager is rotated under a process that runs', async () => {
  await using moto = await startS3()
  const client = new SecretsManagerClient(clientConfig(moto.url, {}))
  let now = Date.now()
  const secret = rotatedSecret({ secretId: 'cursor', client, clock: () => now })
  await expect(secret.values()).rejects.toMatchObject({ name: 'ResourceNotFoundException' })
  const [old, young] = ['the first cursor secret', 'the second cursor secret']
  await client.send(new CreateSecretCommand({ Name: 'cursor', SecretString: old }))
  expect(await secret.values()).toEqual([old])
  await client.send(new PutSecretValueCommand({ SecretId: 'cursor', SecretString: young }))
  now += 301_000
  expect(await secret.values()).toEqual([old, young])
  now += 601_000
  expect(await secret.values()).toEqual([young, old])
  client.destroy()
})

test('a line of the log is JSON, with the cause of an error', () => {
  const written: string[] = []
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((line) => written.push(String(line)) > 0)
  const log = lambdaLog('warn')
  log.info({ id: 1 }, 'a request')
  log.error({ id: 2, err: new Error('the page failed', { cause: new Error('the table is away') }) }, 'refused')
  write.mockRestore()
  expect(written.map((line) => JSON.parse(line))).toEqual([
    {
      ...{ level: 'error', id: 2, msg: 'refused', time: expect.any(Number) },
      err: expect.objectContaining({
        message: 'the page failed',
        cause: expect.objectContaining({ message: 'the table is away' }),
      }),
    },
  ])
})
