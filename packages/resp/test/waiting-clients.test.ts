import { once } from 'node:events'
import { connect } from 'node:net'
import type { RespServer } from 'lapidary-resp'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useServedLists } from './open-server.ts'
import { openRawClient, type RawClient, type RawReply, request } from './raw-client.ts'

const NONE: RawReply = ['*', null]
const popped = (key: string, member: string, score: string): RawReply => [
  '*',
  [
    ['$', key],
    ['$', member],
    ['$', score],
  ],
]
const words = (text: string): readonly string[] => text.split(' ')
const served = useServedLists()
let server: RespServer
let other: RawClient
const clients: RawClient[] = []

beforeEach(async () => {
  server = await served.start({ maxRequestBytes: 100_000, maxArgumentBytes: 50_000 })
  other = await newClient()
})
afterEach(() => {
  for (const client of clients.splice(0)) client.close()
})

async function newClient(): Promise<RawClient> {
  const client = await openRawClient(server.port)
  clients.push(client)
  return client
}

async function waiting(count: number): Promise<void> {
  await expect
    .poll(async () => String((await other.send(['INFO', 'clients']))[1]))
    .toContain(`blocked_clients:${count}\r\n`)
}

/** A client that waits already. */
async function waiter(command: string, before: number): Promise<RawClient> {
  const client = await newClient()
  client.write(request(words(command)))
  await waiting(before + 1)
  return client
}

describe('a client that waits for a list', () => {
  test('is served in the order of arrival, whatever gives the list entries', async () => {
    await other.send(words('ZADD source 1 m'))
    const fillers = [
      'ZADD k 1 m',
      'ZINCRBY k 1 m',
      'ZUNIONSTORE k 1 source',
      'ZINTERSTORE k 1 source',
      'ZDIFFSTORE k 2 source none',
      'ZRANGESTORE k source 0 -1',
      'RENAME source k',
    ]
    const waiters: RawClient[] = []
    for (const [i] of fillers.entries()) waiters.push(await waiter('BZPOPMIN none k 0', i))
    for (const [i, filler] of fillers.entries()) {
      await other.send(words(filler))
      expect(await waiters[i]?.next()).toEqual(popped('k', 'm', '1'))
      expect(waiters.slice(i + 1).some((client) => client.hasReply())).toBe(false)
      expect(served.lists.count('k')).toBe(0)
    }
  })

  test('has nothing when its time is up, and goes on with what it sent meanwhile', async () => {
    const client = await newClient()
    const began = performance.now()
    expect(await client.pipeline(['BZPOPMAX k 0.05', 'BZMPOP 0.05 2 k none MAX', 'PING'].map(words))).toEqual([
      NONE,
      NONE,
      ['+', 'PONG'],
    ])
    expect(performance.now() - began).toBeGreaterThan(99)
  })

  test('is dropped when it is gone', async () => {
    const client = await waiter('BZPOPMIN k 0', 0)
    client.close()
    await waiting(0)
    await other.send(words('ZADD k 1 m'))
    expect(served.lists.count('k')).toBe(1)
  })

  test('that says no more waits no more', async () => {
    const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true })
    let received = ''
    socket.on('data', (bytes: Buffer) => {
      received += bytes.toString('latin1')
    })
    socket.write(request(words('BZPOPMIN k 0')) + request(words('BZPOPMIN k 0')) + request(words('ZADD k 1 m')))
    await waiting(1)
    socket.end()
    await once(socket, 'end')
    expect(received).toBe('*-1\r\n*-1\r\n:1\r\n')
    socket.destroy()
  })

  test('waits for nothing inside a transaction', async () => {
    const client = await newClient()
    const replies = await client.pipeline(['MULTI', 'BZPOPMIN k 0', 'BZMPOP 0 1 k MIN', 'EXEC'].map(words))
    expect(replies.at(-1)).toEqual(['*', [NONE, NONE]])
  })

  test('is served after a whole transaction, not in the middle of one', async () => {
    const client = await waiter('BZPOPMIN k 0', 0)
    await other.pipeline(['MULTI', 'ZADD k 2 b', 'ZADD k 1 a', 'EXEC'].map(words))
    expect(await client.next()).toEqual(popped('k', 'a', '1'))
    await waiter('BZPOPMIN k2 0', 0)
    await other.pipeline(['MULTI', 'ZADD k2 2 b', 'DEL k2', 'EXEC'].map(words))
    await waiting(1)
  })

  test('may send more meanwhile, but no more than one command may have', async () => {
    const client = await waiter('BZPOPMIN k 0', 0)
    client.write(request(['ECHO', 'x'.repeat(40_000)]).repeat(2))
    await other.send(words('ZADD k 1 m'))
    expect(await client.next()).toEqual(popped('k', 'm', '1'))
    for (let i = 0; i < 2; i++) expect((await client.next())[1]).toHaveLength(40_000)
    client.write(request(words('BZPOPMIN k 0')))
    await waiting(1)
    client.write(request(['ECHO', 'x'.repeat(40_000)]).repeat(3))
    expect(await client.rest()).toBe('')
    await waiting(0)
  })

  test('is let go by CLIENT UNBLOCK, with an error if that is asked for', async () => {
    for (const [reason, expected] of [
      ['TIMEOUT', NONE],
      ['ERROR', ['-', 'UNBLOCKED client unblocked via CLIENT UNBLOCK']],
    ] as const) {
      const client = await newClient()
      const [, id] = await client.send(['CLIENT', 'ID'])
      client.write(request(words('BZPOPMIN k 0')))
      await waiting(1)
      expect(await other.send(['CLIENT', 'UNBLOCK', String(id), reason])).toEqual([':', '1'])
      expect(await client.next()).toEqual(expected)
      expect(await other.send(['CLIENT', 'UNBLOCK', String(id), reason])).toEqual([':', '0'])
    }
  })

  test('is cut off by CLIENT KILL, as any other is', async () => {
    const client = await newClient()
    const [, id] = await client.send(['CLIENT', 'ID'])
    client.write(request(words('BZPOPMIN k 0')))
    await waiting(1)
    expect(await other.send(['CLIENT', 'KILL', 'ID', String(id)])).toEqual([':', '1'])
    expect(await client.rest()).toBe('')
    await waiting(0)
    expect(await other.send(['CLIENT', 'KILL', 'ID', String(id)])).toEqual([':', '0'])
    const [, own] = await other.send(['CLIENT', 'ID'])
    expect(await other.send(['CLIENT', 'KILL', 'ID', String(own)])).toEqual([':', '0'])
    expect(await other.send(['CLIENT', 'KILL', 'ID', String(own), 'SKIPME', 'no'])).toEqual([':', '1'])
    expect(await other.rest()).toBe('')
  })

  test('has a reply when the server ends', async () => {
    const client = await waiter('BZPOPMIN k 0', 0)
    const closed = server.close()
    expect(await client.next()).toEqual(NONE)
    await closed
  })
})
