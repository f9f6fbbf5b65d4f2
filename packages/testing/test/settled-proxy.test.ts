import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { startHostileProxy } from 'lapidary-testing'
import { expect, test } from 'vitest'

test('what a caller has given up is carried out before the proxy has settled', async () => {
  let [isAsked, isAnswered] = [false, false]
  const slow = createServer(async (request, response) => {
    isAsked = true
    await sleep(300)
    isAnswered = true
    request.resume()
    response.end('{}')
  }).listen(0, '127.0.0.1')
  await once(slow, 'listening')
  const target = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`
  await using proxy = await startHostileProxy({ target, seed: 7, rates: {} })
  const headers = { 'x-amz-target': 'DynamoDB_20120810.PutItem' }
  const given = new AbortController()
  const asking = fetch(proxy.endpoint, { method: 'POST', headers, body: '{}', signal: given.signal })
  await expect.poll(() => isAsked).toBe(true)
  given.abort()
  await expect(asking).rejects.toThrow('aborted')
  await proxy.settled()
  expect(isAnswered).toBe(true)
  slow.close()
})
