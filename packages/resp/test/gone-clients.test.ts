import { once } from 'node:events'
import { connect } from 'node:net'
import type { RespServer } from 'lapidary-resp'
import { beforeEach, expect, test } from 'vitest'
import { useServedLists } from './open-server.ts'
import { openRawClient, request } from './raw-client.ts'

const MEMBERS = 10_000
const WHOLE = request(['ZRANGE', 'k', '0', '-1'])
const served = useServedLists()
let server: RespServer
/** How many replies with members were made. */
let made: number

beforeEach(async () => {
  const { lists } = served
  lists.change(Array.from({ length: MEMBERS }, (_, i) => ({ type: 'set', list: 'k', member: `m${i}`, score: i })))
  made = 0
  const counting = new Proxy(lists, {
    get: (target, name) => {
      if (name === 'copyMembers') made++
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  server = await served.start({ lists: counting })
})

test('commands of a client that is gone are run no more', async () => {
  const client = await openRawClient(server.port)
  client.socket.pause()
  client.write(WHOLE.repeat(1_000))
  await expect.poll(() => made).toBeGreaterThan(0)
  client.close()
  const other = await openRawClient(server.port)
  for (let i = 0; i < 10; i++) await other.send(['PING'])
  expect(made).toBeLessThan(500)
  other.close()
})

test('commands of a client that says no more are all run, and have their replies', async () => {
  const client = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true })
  let received = ''
  client.on('data', (bytes: Buffer) => {
    received = received.slice(-10) + bytes.toString('latin1')
  })
  client.end(WHOLE.repeat(100) + request(['ZADD', 'k', '-1', 'last']))
  await once(client, 'end')
  expect(received.slice(-4)).toBe(':1\r\n')
  expect(served.lists.count('k')).toBe(MEMBERS + 1)
  client.destroy()
})
