import { once } from 'node:events'
import { Redis } from 'ioredis'
import { LapidaryError } from 'lapidary-pages/file'
import { createClient } from 'redis'
import { describe, expect, test } from 'vitest'
import { useServedLists } from './open-server.ts'
import { openRawClient, type RawReply } from './raw-client.ts'

const served = useServedLists()
const { start } = served

const words = (text: string): readonly string[] => text.split(' ')
const OK: RawReply = ['+', 'OK']
const QUEUED: RawReply = ['+', 'QUEUED']

describe('a transaction', () => {
  test('that is discarded, or refused, writes nothing', async () => {
    const client = await openRawClient((await start()).port)
    const discarded = ['ZADD m 1 a', 'MULTI', 'ZADD m 2 b', 'DISCARD', 'ZCARD m'].map(words)
    expect(await client.pipeline(discarded)).toEqual([[':', '1'], OK, QUEUED, OK, [':', '1']])
    const refused = ['MULTI', 'ZADD m 2 b', 'SET s 1', 'ZADD m 3 c', 'EXEC', 'ZCARD m'].map(words)
    const replies = await client.pipeline(refused)
    expect(replies[2]?.[1]).toMatch(/^ERR unknown command 'SET'/)
    expect(replies[4]).toEqual(['-', 'EXECABORT Transaction discarded because of previous errors.'])
    expect(replies[5]).toEqual([':', '1'])
    client.close()
  })

  test('has the replies of all of its commands, each as of its turn', async () => {
    const client = await openRawClient((await start()).port)
    const script = ['MULTI', 'ZADD m 1 a', 'ZRANGE m 0 -1', 'ZADD m nan b', 'ZADD m 2 b', 'ZRANGE m 0 -1', 'EXEC']
    const replies = await client.pipeline(script.map(words))
    expect(replies.at(-1)).toEqual([
      '*',
      [
        [':', '1'],
        ['*', [['$', 'a']]],
        ['-', 'ERR value is not a valid float'],
        [':', '1'],
        [
          '*',
          [
            ['$', 'a'],
            ['$', 'b'],
          ],
        ],
      ],
    ])
    client.close()
  })

  test('is made in one turn: others see all of it or nothing', async () => {
    const { port } = await start()
    const [writer, reader] = await Promise.all([openRawClient(port), openRawClient(port)])
    const adds = Array.from({ length: 300 }, (_, i) => ['ZADD', 'm', String(i), `m${i}`])
    const seen = new Set<string>()
    for (let round = 0; round < 20; round++) {
      const written = writer.pipeline([['DEL', 'm'], ['MULTI'], ...adds, ['EXEC']])
      const read = await reader.pipeline(Array.from({ length: 50 }, () => ['ZCARD', 'm']))
      for (const [, count] of read) seen.add(String(count))
      await written
    }
    expect([...seen].filter((count) => count !== '0' && count !== '300')).toEqual([])
    writer.close()
    reader.close()
  })

  test('is refused as a whole, with one error, when the disk does not take it', async () => {
    let isFull = false
    const full = new LapidaryError('unavailable', 'the disk of this test is full')
    const refusing = new Proxy(served.lists, {
      get: (target, name) => {
        if (name === 'durable' && isFull) return () => Promise.reject(full)
        const value: unknown = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const client = await openRawClient((await start({ lists: refusing })).port)
    await client.pipeline(['MULTI', 'ZADD m 1 a', 'ZADD m 2 b'].map(words))
    isFull = true
    expect(await client.send(['EXEC'])).toEqual(['-', 'MISCONF the disk of this test is full'])
    client.close()
  })

  test('is replied to once all of it is durable', async () => {
    let finish = (): void => {}
    let asked = 0
    const slow = new Proxy(served.lists, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name)
        if (name !== 'durable') return typeof value === 'function' ? value.bind(target) : value
        return () => {
          asked++
          if (target.count('m') < 2) return target.durable()
          return new Promise<void>((resolve) => {
            finish = resolve
          })
        }
      },
    })
    const client = await openRawClient((await start({ lists: slow })).port)
    await client.pipeline(['MULTI', 'ZADD m 1 a', 'ZADD m 2 b'].map(words))
    const before = asked
    const reply = client.send(['EXEC'])
    await expect.poll(() => asked).toBeGreaterThan(before)
    expect(client.hasReply()).toBe(false)
    finish()
    expect((await reply)[0]).toBe('*')
    client.close()
  })

  test('holds no more than one command may', async () => {
    const { port } = await start({ maxRequestBytes: 3_000, maxArgumentBytes: 1_000 })
    const client = await openRawClient(port)
    const add = ['ZADD', 'm', '1', 'x'.repeat(900)]
    const replies = await client.pipeline([['MULTI'], add, add, add, add, ['EXEC'], ['ZCARD', 'm']])
    expect(replies.slice(1, 4)).toEqual([QUEUED, QUEUED, QUEUED])
    expect(replies[4]?.[1]).toMatch(/^ERR the commands of a transaction have at most 3000 bytes/)
    expect(replies[5]?.[1]).toMatch(/^EXECABORT/)
    expect(replies[6]).toEqual([':', '0'])
    const watched = await client.pipeline(Array.from({ length: 4 }, (_, i) => ['WATCH', String(i).repeat(900)]))
    expect(watched[2]).toEqual(OK)
    expect(watched[3]?.[1]).toMatch(/^ERR a client watches at most \d+ keys of 3000 bytes/)
    client.close()
  })

  test('sends as much as one reply may have, and pops nothing that it could not send', async () => {
    const client = await openRawClient((await start({ maxReplyBytes: 100_000 })).port)
    await client.pipeline(Array.from({ length: 10 }, (_, i) => ['ZADD', 'm', '1', `${i}${'x'.repeat(1_000)}`]))
    const reads = Array.from({ length: 30 }, () => ['ZRANGE', 'm', '0', '-1'])
    const others = ['ZRANGE m 0 -1 WITHSCORES', 'ZPOPMIN m 9', 'ZUNION 1 m', 'ZRANDMEMBER m 9', 'KEYS *', 'ZCARD m']
    const replies = await client.pipeline([['MULTI'], ...reads, ...others.map(words), ['EXEC']])
    const [, items] = replies.at(-1) as readonly [string, readonly RawReply[]]
    const kinds = items.map(([kind]) => kind).join('')
    expect(kinds).toBe(`${'*'.repeat(9)}${'-'.repeat(25)}*:`)
    expect(items[9]?.[1]).toMatch(/^ERR the reply would have more than \d+ bytes/)
    for (const [, text] of items.slice(30, 34)) expect(text).toMatch(/^ERR members and keys of more than \d+ bytes/)
    expect(items.at(-1)).toEqual([':', '10'])
    client.close()
  })

  test('is over, with what was watched, when its client is gone', async () => {
    const { port } = await start()
    const [gone, other] = await Promise.all([openRawClient(port), openRawClient(port)])
    await gone.pipeline(['WATCH m', 'MULTI', 'ZADD m 1 a'].map(words))
    expect(String((await other.send(['INFO', 'clients']))[1])).toContain('total_watched_keys:1\r\n')
    gone.close()
    await expect
      .poll(async () => String((await other.send(['INFO', 'clients']))[1]))
      .toContain('total_watched_keys:0\r\n')
    expect(await other.send(['ZCARD', 'm'])).toEqual([':', '0'])
    other.close()
  })
})

describe('default pipelines', () => {
  test('of ioredis', async () => {
    const client = new Redis({ port: (await start()).port })
    expect(await client.multi().zadd('k', 1, 'a').zcard('k').exec()).toEqual([
      [null, 1],
      [null, 1],
    ])
    const refused = client.multi().zadd('k', 2, 'b').call('SET', 'k', 'v').exec()
    await expect(refused).rejects.toThrow('EXECABORT')
    expect(await client.zcard('k')).toBe(1)
    await client.quit()
  })

  test.each([2, 3] as const)('of node-redis, in version %s of the protocol', async (RESP) => {
    const { url } = await start()
    const client = createClient({ url, RESP })
    await client.connect()
    expect(await client.multi().zAdd('k', { value: 'a', score: 1 }).zRange('k', 0, -1).exec()).toEqual([1, ['a']])
    const refused = client.multi().zAdd('k', { value: 'b', score: 2 }).set('k', 'v').exec()
    await expect(refused).rejects.toThrow()
    expect(await client.zCard('k')).toBe(1)
    const other = createClient({ url, RESP })
    await other.connect()
    await client.watch('k')
    await other.zAdd('k', { value: 'c', score: 3 })
    await expect(client.multi().zRem('k', 'a').exec()).rejects.toThrow(/watched keys/i)
    expect(await client.zCard('k')).toBe(2)
    for (const one of [client, other]) await one.close()
  })
})

describe('CLIENT REPLY', () => {
  test('spares replies, of one command or of all until ON', async () => {
    const client = await openRawClient((await start()).port)
    for (const command of ['CLIENT REPLY SKIP', 'ZADD k 1 a', 'PING', 'CLIENT REPLY OFF', 'ZADD k 2 b', 'NOSUCH']) {
      client.write(`${command}\r\n`)
    }
    expect(await client.send(['CLIENT', 'REPLY', 'ON'])).toEqual(['+', 'PONG'])
    expect(await client.next()).toEqual(OK)
    expect(await client.send(['ZCARD', 'k'])).toEqual([':', '2'])
    client.close()
  })

  test('has no place in a transaction, whose reply has one for each command', async () => {
    const client = await openRawClient((await start()).port)
    const replies = await client.pipeline(['MULTI', 'CLIENT REPLY OFF', 'ZCARD k', 'EXEC'].map(words))
    expect(replies.at(-1)).toEqual([
      '*',
      [
        ['-', 'ERR CLIENT REPLY inside MULTI is not allowed'],
        [':', '0'],
      ],
    ])
    client.close()
  })
})

test('RESET forgets a transaction, the version of the protocol, the name and the password', async () => {
  const client = await openRawClient((await start({ password: 'a password of this test' })).port)
  await client.send(['HELLO', '3', 'AUTH', 'default', 'a password of this test', 'SETNAME', 'me'])
  await client.pipeline(['WATCH k', 'MULTI', 'ZADD k 1 a'].map(words))
  expect(await client.send(['RESET'])).toEqual(['+', 'RESET'])
  expect((await client.send(['EXEC']))[1]).toMatch(/NOAUTH/)
  await client.send(['AUTH', 'a password of this test'])
  expect(await client.send(['CLIENT', 'GETNAME'])).toEqual(['$', null])
  expect((await client.send(['EXEC']))[1]).toBe('ERR EXEC without MULTI')
  client.socket.end()
  await once(client.socket, 'close')
})
