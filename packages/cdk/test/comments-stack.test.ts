import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { PutItemCommand, ScanCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type VotedComment, voteKeys } from '../../../apps/comments/src/votes/vote-keys.ts'
import { startFaultyProxy } from '../../../test/engines/faulty-proxy.ts'
import { type Deployed, deploy, TABLE_NAME } from './deployed.ts'
import { type Synthesized, synthesized } from './synthesized.ts'
import { type Viewer, viewerOf } from './viewer.ts'

const ADMIN_TOKEN = 'the admin token of a test'.replaceAll(' ', '-')
const CURSOR_SECRET = 'the cursor secret of a test'

let stack: Synthesized
let deployed: Deployed
let sent: Viewer

beforeAll(async () => {
  stack = (await synthesized()).stack('Comments')
  ;[deployed, sent] = await Promise.all([
    deploy(stack, { CommentsSiteAdminToken: ADMIN_TOKEN, CommentsSiteCursorSecret: CURSOR_SECRET }),
    viewerOf(stack),
  ])
})
afterAll(async () => {
  await deployed[Symbol.asyncDispose]()
})

interface HttpAnswer {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly isBase64Encoded: boolean
}

const HTTP = 'CommentsSiteFunction'

test('the functions answer, count and number, with the rights that they have', async () => {
  await using upkeep = await deployed.start('CommentsUpkeep')
  await using http = await deployed.start(HTTP)
  await using stream = await deployed.start('CommentsStream')
  expect(await deployed.prepare(upkeep)).toMatchObject({ Status: 'SUCCESS', PhysicalResourceId: 'Prepared' })

  const authorization = `Bearer ${ADMIN_TOKEN}`
  for (let i = 0; i < 25; i++) {
    const body = { rating: 1 + (i % 5), language: 'en', title: '', text: `Comment ${i}`, author: 'Ada' }
    const event = await sent('/products/42/comments', { method: 'POST', headers: { authorization }, body })
    expect((await http.invoke<HttpAnswer>(event)).statusCode).toBe(201)
  }
  for (const event of await deployed.streamEvents())
    expect(await stream.invoke(event)).toEqual({ batchItemFailures: [], state: {} })
  const counted = await http.invoke<HttpAnswer>(await sent('/products/42/statistics'))
  expect(JSON.parse(counted.body)).toMatchObject({ total: 25, counts: { 1: 5, 5: 5 } })
  const third = await http.invoke<HttpAnswer>(await sent('/products/42/comments?rating=4,5&limit=4&page=3'))
  expect(JSON.parse(third.body)).toMatchObject({ page: { number: 3, count: 3, total: 10 } })
  expect(JSON.parse(third.body).items).toHaveLength(2)
  const { items } = JSON.parse((await http.invoke<HttpAnswer>(await sent('/products/42/comments?limit=1'))).body)
  const one = `/comments/${items[0].id}`
  const changed = { method: 'PATCH', headers: { authorization }, body: { text: 'Better' } }
  expect((await http.invoke<HttpAnswer>(await sent(one, changed))).statusCode).toBe(200)
  await vote(deployed, items[0])
  const gone = { method: 'DELETE', headers: { authorization } }
  expect((await http.invoke<HttpAnswer>(await sent(one, gone))).statusCode).toBe(204)
  for (const event of await deployed.streamEvents()) await stream.invoke(event)
  expect(await votesIn(deployed)).toEqual([])

  await upkeep.invoke({})
  const refused = Object.entries({ upkeep, http, stream }).map(([name, { guard }]) => [name, guard.refused])
  expect(Object.fromEntries(refused)).toEqual({ upkeep: [], http: [], stream: [] })
})

test('changes of comments, and of those that a moderator holds, invoke the function of the stream, and no others', () => {
  const { Properties } = stack.only('AWS::Lambda::EventSourceMapping')
  const { Filters } = Properties.FilterCriteria as { readonly Filters: readonly { readonly Pattern: string }[] }
  const prefixes = Filters.map(({ Pattern }) => JSON.parse(Pattern).dynamodb.Keys.PK.S)
  expect(prefixes).toEqual([[{ prefix: 'COMMENT#' }], [{ prefix: 'CASE#' }]])
})

/** Stores a vote, which a shop whose people sign in has. */
async function vote({ client }: Deployed, comment: VotedComment): Promise<void> {
  for (const Key of voteKeys('ann', comment))
    await client.send(
      new PutItemCommand({
        TableName: TABLE_NAME,
        Item: { ...Key, c: { S: comment.createdAt }, p: { S: comment.productId } },
      }),
    )
  expect(await votesIn(deployed)).toHaveLength(2)
}

async function votesIn({ client }: Deployed): Promise<readonly unknown[]> {
  const { Items = [] } = await client.send(new ScanCommand({ TableName: TABLE_NAME, ConsistentRead: true }))
  return Items.filter(({ PK }) => /^VOTE/.test(PK?.S ?? ''))
}

test('a moderator hides a comment, answers it and shows it again, with the rights that the function has', async () => {
  await using http = await deployed.start(HTTP)
  const authorization = `Bearer ${ADMIN_TOKEN}`
  const ask = async (path: string, method = 'GET', body?: object) =>
    http.invoke<HttpAnswer>(await sent(path, { method, headers: { authorization }, ...(body && { body }) }))
  const made = await ask('/products/moderated/comments', 'POST', {
    ...{ rating: 5, language: 'en', title: '', text: 'Loud', author: 'Ada' },
  })
  const { id } = JSON.parse(made.body)
  expect((await ask(`/comments/${id}/place`, 'PUT', { place: 'hidden' })).statusCode).toBe(200)
  expect((await ask(`/comments/${id}`)).statusCode).toBe(404)
  expect(JSON.parse((await ask('/moderation/cases?state=hidden')).body).items).toMatchObject([{ id, state: 'hidden' }])
  expect((await ask(`/comments/${id}/answer`, 'PUT', { text: 'Sorry' })).statusCode).toBe(204)
  expect((await ask(`/comments/${id}/place`, 'PUT', { place: 'shown' })).statusCode).toBe(200)
  expect(JSON.parse((await ask(`/comments/${id}`)).body)).toMatchObject({ answer: { text: 'Sorry' } })
  // Nothing has registered the index of the cases; the function looks whether it may, and goes on without.
  expect(http.guard.refused.filter((refused) => !refused.startsWith('Scan'))).toEqual([])
  // Nobody signs in by a name alone on AWS.
  expect((await ask('/sign-in')).statusCode).toBe(404)
})

test('the upkeep mends what differs, and fills what a declaration lacks, with the rights that it has', async () => {
  await using upkeep = await deployed.start('CommentsUpkeep')
  // A shard that has lost changes: every count is unknown until it was made up for.
  const Key = { PK: { S: '~DERIVED' }, SK: { S: 'gap#shardId-lost' } }
  const TableName = 'table-of-a-stack'
  await deployed.client.send(
    new UpdateItemCommand({
      TableName,
      Key,
      UpdateExpression: 'SET lost = :yes',
      ExpressionAttributeValues: { ':yes': { BOOL: true } },
    }),
  )
  await upkeep.invoke({})
  expect(upkeep.guard.refused).toEqual([])
  expect(upkeep.guard.asked.some(({ action }) => action === 'Scan')).toBe(true)
  await using http = await deployed.start(HTTP)
  const counted = await http.invoke<HttpAnswer>(await sent('/products/42/statistics'))
  expect(JSON.parse(counted.body)).toMatchObject({ total: 24 })
})

test('a stack that goes is told so, and its table is left as it is', async () => {
  await using upkeep = await deployed.start('CommentsUpkeep')
  expect(await deployed.prepare(upkeep, 'Delete')).toMatchObject({ Status: 'SUCCESS' })
  expect(upkeep.guard.asked).toEqual([])
})

test('a deployment whose table can not be used fails, and says why', async () => {
  await using upkeep = await deployed.start('CommentsUpkeep', { endpoint: 'http://127.0.0.1:9' })
  expect(await deployed.prepare(upkeep)).toMatchObject({
    Status: 'FAILED',
    Reason: expect.stringContaining("DynamoDB can't be reached"),
  })
})

test('a function whose transactions are throttled answers as ever', async () => {
  let transactions = 0
  await using proxy = await startFaultyProxy(deployed.endpoint, ({ operation }) =>
    operation === 'TransactWriteItems' && transactions++ % 3 !== 2 ? 'throttle' : 'forward',
  )
  await using http = await deployed.start(HTTP, { endpoint: proxy.endpoint })
  const body = { rating: 5, language: 'en', title: '', text: 'Once', author: 'Ada' }
  for (const key of ['first', 'second', 'third']) {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'idempotency-key': key }
    const event = await sent('/products/once/comments', { method: 'POST', headers, body })
    const [made, again] = [await http.invoke<HttpAnswer>(event), await http.invoke<HttpAnswer>(event)]
    expect([made.statusCode, again.statusCode]).toEqual([201, 201])
    expect(again.body).toBe(made.body)
  }
  const { body: list } = await http.invoke<HttpAnswer>(await sent('/products/once/comments'))
  expect(JSON.parse(list).items).toHaveLength(3)
  expect(proxy.befallen.TransactWriteItems).toBeGreaterThanOrEqual(6)
  expect(http.guard.refused).toEqual([])
})

test('pages come with their style, compressed where that is understood; a stranger writes nothing', async () => {
  await using http = await deployed.start(HTTP)
  const page = await http.invoke<HttpAnswer>(await sent('/p/42', { headers: { 'accept-encoding': 'gzip' } }))
  expect(page).toMatchObject({ statusCode: 200, isBase64Encoded: true, headers: { 'content-encoding': 'gzip' } })
  const html = gunzipSync(Buffer.from(page.body, 'base64')).toString()
  const style = /href="(\/assets\/[^"]+\.css)"/.exec(html)?.[1] ?? ''
  expect(await http.invoke<HttpAnswer>(await sent(style))).toMatchObject({ statusCode: 200 })
  const refused = await sent('/products/42/comments', { method: 'POST', body: {} })
  expect(await http.invoke<HttpAnswer>(refused)).toMatchObject({ statusCode: 401 })
  // An id of two dots is an id, not a folder.
  const dots = await http.invoke<HttpAnswer>(await sent('/products/%2E%2E/comments'))
  expect(JSON.parse(dots.body)).toMatchObject({ items: [] })
})

test('a viewer can not pass for another: neither by the headers of the distribution, nor by its signature', async () => {
  await using http = await deployed.start(HTTP)
  const forged = { 'x-viewer-authorization': `Bearer ${ADMIN_TOKEN}`, 'x-viewer-address': '198.51.100.1' }
  const post = { method: 'POST', headers: forged, body: {} }
  const event = (await sent('/products/42/comments', post)) as { readonly headers: Readonly<Record<string, string>> }
  expect(event.headers).toMatchObject({ 'x-viewer-address': '203.0.113.7', 'x-viewer-host': 'comments.example' })
  expect(event.headers['x-viewer-authorization']).toBeUndefined()
  expect(await http.invoke<HttpAnswer>(event)).toMatchObject({ statusCode: 401 })
})

test('the hash of a body is that of its bytes, whatever the viewer says', async () => {
  const body = 'text=Größe&rating=5'
  const headers = { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' }
  const event = (await sent('/p/42/comments', { method: 'POST', headers, body })) as { readonly headers: object }
  expect(event.headers).toMatchObject({ 'x-amz-content-sha256': createHash('sha256').update(body).digest('hex') })
  expect(((await sent('/p/42', { headers })) as { readonly headers: object }).headers).not.toHaveProperty(
    'x-amz-content-sha256',
  )
})
