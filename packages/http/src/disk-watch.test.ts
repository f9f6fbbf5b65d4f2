import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, expect, test } from 'vitest'
import { watchDisk } from './disk-watch.ts'

let full = true
const engine = createServer((_, response) => {
  // The embedded engine's answer when its disk is full.
  const failure = {
    __type: 'com.amazonaws.dynamodb.v20120810#InternalServerError',
    message: 'commit failed (backend: database or disk is full)',
  }
  response.writeHead(full ? 500 : 200, { 'content-type': 'application/x-amz-json-1.0' })
  response.end(full ? JSON.stringify(failure) : '{}')
})
await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve))
const client = new DynamoDBClient({
  endpoint: `http://127.0.0.1:${(engine.address() as AddressInfo).port}`,
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  maxAttempts: 1,
})
afterAll(() => {
  client.destroy()
  engine.close()
})

test('a database without room makes the server unready, until a write gets through', async () => {
  const disk = watchDisk(client)
  const { signal } = new AbortController()
  const put = () => client.send(new PutItemCommand({ TableName: 'things', Item: { PK: { S: '1' } } }))
  expect(await disk(signal)).toEqual({ ok: true })
  await expect(put()).rejects.toThrow('disk is full')
  expect(await disk(signal)).toEqual({ ok: false, reason: 'the disk of the database is full' })
  full = false
  await put()
  expect(await disk(signal)).toEqual({ ok: true })
})
