import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Redis } from 'ioredis'
import { type DiskLists, LapidaryError, openDiskLists } from 'lapidary-pages/file'
import { createClient } from 'redis'
import { describe, expect, test, vi } from 'vitest'
import { redisProgram } from '../../../test/engines/redis.ts'
import { useServedLists } from './open-server.ts'
import { openRawClient, request } from './raw-client.ts'

const PASSWORD = 'a password of this test'
const served = useServedLists()
const { start } = served

describe('clients connect unchanged:', () => {
  test.each([undefined, PASSWORD])('redis-cli, with the password %s', async (password) => {
    const { port } = await start(password === undefined ? {} : { password })
    const cli = async (...args: string[]): Promise<string> => {
      const login = password === undefined ? [] : ['-a', password, '--no-auth-warning']
      const { stdout } = await promisify(execFile)(redisProgram('redis', 'cli'), [
        '-p',
        String(port),
        ...login,
        ...args,
      ])
      return stdout
    }
    expect(await cli('ZADD', 'k', '1', 'a', '2.5', 'b')).toBe('2\n')
    expect(await cli('-3', 'ZRANGE', 'k', '0', '-1', 'REV', 'WITHSCORES')).toBe('b\n2.5\na\n1\n')
    expect(await cli('--scan')).toBe('k\n')
    expect(await cli('INFO', 'keyspace')).toContain('db0:keys=1,')
    expect((await cli('COMMAND', 'COUNT')).trim()).toMatch(/^\d+$/)
    expect(await cli('CLIENT', 'LIST')).toMatch(/^id=\d+ addr=127\.0\.0\.1:\d+ /)
    expect(await cli('CLIENT', 'WHAT')).toContain('Try CLIENT HELP')
    expect(await cli('CLIENT', 'HELP')).toContain('SETINFO <option> <value>')
    expect(await cli('COMMAND', 'HELP')).toContain('COUNT')
  })

  test.each([2, 3] as const)('node-redis, in version %s of the protocol', async (RESP) => {
    const { url } = await start({ password: PASSWORD })
    const client = createClient({ url, password: PASSWORD, RESP })
    await client.connect()
    expect(
      await client.zAdd('k', [
        { value: 'a', score: 1 },
        { value: 'b', score: Number.POSITIVE_INFINITY },
      ]),
    ).toBe(2)
    expect(await client.zRangeWithScores('k', 0, -1)).toEqual([
      { value: 'a', score: 1 },
      { value: 'b', score: Number.POSITIVE_INFINITY },
    ])
    expect(await client.zPopMax('k')).toEqual({ value: 'b', score: Number.POSITIVE_INFINITY })
    expect(await client.zScore('k', 'none')).toBe(null)
    const keys: string[] = []
    for await (const page of client.scanIterator()) keys.push(...page)
    expect(keys).toEqual(['k'])
    await expect(client.sendCommand(['SET', 'k', 'v'])).rejects.toThrow(/^ERR unknown command 'SET'/)
    await client.close()
  })

  test('ioredis', async () => {
    const { port } = await start({ password: PASSWORD })
    const client = new Redis({ port, password: PASSWORD })
    const pipeline = client.pipeline()
    for (let i = 0; i < 5_000; i++) pipeline.zadd('k', i, `member ${i}`)
    await pipeline.exec()
    expect(await client.zcard('k')).toBe(5_000)
    expect(await client.zrange('k', '(4990', '+inf', 'BYSCORE', 'LIMIT', 0, 2)).toEqual(['member 4991', 'member 4992'])
    expect(await client.zrank('k', 'member 7')).toBe(7)
    await client.quit()
  })
})

describe('a stranger', () => {
  test('learns nothing before the password, and wrong ones are refused', async () => {
    const { port } = await start({ password: PASSWORD })
    await served.lists.apply([{ type: 'set', list: 'k', member: 'a', score: 1 }])
    const client = await openRawClient(port)
    for (const args of [['PING'], ['ZRANGE', 'k', '0', '-1'], ['INFO'], ['KEYS', '*'], ['CLIENT', 'ID'], ['COMMAND']]) {
      expect(await client.send(args)).toEqual(['-', 'NOAUTH Authentication required.'])
    }
    expect((await client.send(['HELLO', '3']))[1]).toMatch(/^NOAUTH HELLO must be called/)
    for (const wrong of ['', 'x', `${PASSWORD} `]) expect((await client.send(['AUTH', wrong]))[1]).toMatch(/^WRONGPASS/)
    expect((await client.send(['AUTH', 'other', PASSWORD]))[1]).toMatch(/^WRONGPASS/)
    expect(await client.send(['AUTH', 'default', PASSWORD])).toEqual(['+', 'OK'])
    expect(await client.send(['ZCARD', 'k'])).toEqual([':', '1'])
    client.close()
  })

  test.each([
    ['too many arguments before the password', '*11\r\n', 'unauthenticated multibulk length'],
    ['too long a one', '*2\r\n$4\r\nAUTH\r\n$20000\r\n', 'unauthenticated bulk length'],
    [
      'far too many',
      '*1048577\r\n',
      'invalid multibulk length: 1048577 arguments, and at most 1048576 are taken; send them in several commands',
    ],
    ['a count that is none', '*x\r\n', 'invalid multibulk length'],
    ['something else than an argument', '*1\r\n+PING\r\n', "expected '$', got '+'"],
    ['a length below zero', '*1\r\n$-1\r\n', 'invalid bulk length'],
    [
      'a length above the limit',
      '*1\r\n$99999999\r\n',
      'invalid bulk length: 99999999 bytes, and an argument has at most 1048576',
    ],
    ['an open quote', 'ECHO "open\r\n', 'unbalanced quotes in request'],
    ['a line without end', 'x'.repeat(70_000), 'too big inline request'],
    ['a count without end', `*${'1'.repeat(70_000)}`, 'too big mbulk count string'],
  ])('that sends %s is told so, and the connection ends', async (_, bytes, message) => {
    const { port } = await start({ password: PASSWORD })
    const client = await openRawClient(port)
    client.write(bytes)
    expect(await client.rest()).toBe(`-ERR Protocol error: ${message}\r\n`)
  })

  test('that is trusted has limits too', async () => {
    const { port } = await start({ maxArgumentBytes: 1_000, maxRequestBytes: 3_000, maxReplyEntries: 3 })
    const client = await openRawClient(port)
    const five = ['1', 'a', '2', 'b', '3', 'c', '4', 'd', '5', 'e']
    const equal = ['0', 'a', '0', 'b', '0', 'c', '0', 'd', '0', 'e']
    await client.send(['ZADD', 'k', ...five])
    await client.send(['ZADD', 'equal', ...equal])
    expect((await client.send(['ZRANGE', 'k', '0', '-1']))[1]).toMatch(/^ERR the reply would have 5 members/)
    expect((await client.send(['ZPOPMIN', 'k', '9']))[1]).toMatch(/^ERR at most 3/)
    for (const [by, ...range] of [
      ['RANK', '0', '3'],
      ['RANK', '-4', '-1'],
      ['SCORE', '-inf', '(5'],
      ['LEX', '-', '[d'],
    ] as const) {
      const refused = /^ERR 4 members would be removed, and at most 3 are at once/
      const list = by === 'LEX' ? 'equal' : 'k'
      expect((await client.send([`ZREMRANGEBY${by}`, list, ...range]))[1]).toMatch(refused)
    }
    expect((await client.send(['ZCARD', 'k']))[1]).toBe('5')
    expect(await client.send(['ZREMRANGEBYRANK', 'k', '0', '1'])).toEqual([':', '2'])
    // A whole list is one change, however long it is.
    for (const [by, ...range] of [
      ['RANK', '0', '-1'],
      ['SCORE', '1', '5'],
      ['LEX', '[a', '+'],
    ] as const) {
      await client.send(['ZADD', 'k', ...(by === 'LEX' ? equal : five)])
      expect(await client.send([`ZREMRANGEBY${by}`, 'k', ...range])).toEqual([':', '5'])
      expect(await client.send(['EXISTS', 'k'])).toEqual([':', '0'])
    }
    client.write(request(['ZADD', 'k', ...Array.from({ length: 4 }, (_, i) => ['1', `${i}`.repeat(900)]).flat()]))
    expect(await client.rest()).toBe(
      '-ERR Protocol error: too big request: more than 3000 bytes of arguments; send them in several commands\r\n',
    )
  })

  test('does not stop the others by a removal of many members', async () => {
    const { port } = await start()
    const members = Array.from({ length: 200_000 }, (_, score) => ({ member: `member ${score}`, score }))
    for (const list of ['k', 'whole']) {
      for (let i = 0; i < members.length; i += 10_000) {
        await served.lists.apply(members.slice(i, i + 10_000).map((entry) => ({ type: 'set', list, ...entry })))
      }
    }
    const client = await openRawClient(port)
    for (const args of [
      ['ZREMRANGEBYRANK', 'k', '0', '100000'],
      ['ZREMRANGEBYSCORE', 'k', '(0', '+inf'],
      ['ZPOPMAX', 'k', '100001'],
    ]) {
      expect((await client.send(args))[1]).toMatch(/^ERR \d+ members would be removed, and at most 100000 are at once/)
    }
    expect(await client.send(['ZCARD', 'k'])).toEqual([':', '200000'])
    expect(await client.send(['ZREMRANGEBYRANK', 'k', '0', '99999'])).toEqual([':', '100000'])
    expect(await client.send(['ZREMRANGEBYRANK', 'k', '0', '-1'])).toEqual([':', '100000'])
    // The members are neither read nor removed one by one.
    const slice = vi.spyOn(served.lists, 'slice')
    const change = vi.spyOn(served.lists, 'change')
    expect(await client.send(['ZREMRANGEBYSCORE', 'whole', '-inf', '+inf'])).toEqual([':', '200000'])
    expect(slice).not.toHaveBeenCalled()
    expect(change.mock.calls).toEqual([[[{ type: 'drop', list: 'whole' }]]])
    expect(served.lists.count('whole')).toBe(0)
    client.close()
  })

  test('beyond the number of clients is told so', async () => {
    const { port } = await start({ maxClients: 1 })
    const first = await openRawClient(port)
    await first.send(['PING'])
    const second = await openRawClient(port)
    expect(await second.rest()).toBe('-ERR max number of clients reached\r\n')
    expect(await first.send(['PING'])).toEqual(['+', 'PONG'])
    first.close()
  })
})

describe('commands', () => {
  test('are told apart from those before them by every byte', async () => {
    const { port } = await start()
    const client = await openRawClient(port)
    const member = 'm'.repeat(64)
    const others = Array.from(member, (_, i) => `${member.slice(0, i)}n${member.slice(i + 1)}`)
    const members = [member, ...others.flatMap((other) => [other, member])]
    await client.pipeline(members.map((each, i) => ['ZADD', 'k', String(i), each]))
    expect(served.lists.count('k')).toBe(65)
    for (const [i, other] of others.entries()) expect(served.lists.score('k', other)).toBe(2 * i + 1)
    client.close()
  })

  test('may come in any pieces, many at a time, and inline', async () => {
    const { port } = await start()
    const client = await openRawClient(port)
    for (const byte of request(['ZADD', 'k', '1', 'a\r\nb'])) {
      client.write(byte)
      await sleep(1)
    }
    expect(await client.next()).toEqual([':', '1'])
    client.write('ZADD k 2 "quoted \\x41\\n"\r\nzrange k 0 -1\n\r\n*0\r\nPING\r\n')
    expect(await client.next()).toEqual([':', '1'])
    expect(await client.next()).toEqual([
      '*',
      [
        ['$', 'a\r\nb'],
        ['$', 'quoted A\n'],
      ],
    ])
    expect(await client.next()).toEqual(['+', 'PONG'])
    const many = Array.from({ length: 20_000 }, (_, i) => ['ZADD', 'many', String(i), `m${i}`])
    expect((await client.pipeline(many)).every(([, value]) => value === '1')).toBe(true)
    client.close()
  })

  test('of a client that does not read its replies wait, and those of others do not', async () => {
    const { port } = await start()
    const client = await openRawClient(port)
    await client.send(['ZADD', 'k', ...Array.from({ length: 10_000 }, (_, i) => [String(i), `member ${i}`]).flat()])
    const slow = connect(port, '127.0.0.1')
    await once(slow, 'connect')
    slow.pause()
    // Replies of some 2 GB.
    const before = process.memoryUsage.rss()
    slow.write(request(['ZRANGE', 'k', '0', '-1', 'WITHSCORES']).repeat(7_000))
    await sleep(300)
    expect(await client.send(['PING'])).toEqual(['+', 'PONG'])
    expect(process.memoryUsage.rss() - before).toBeLessThan(300_000_000)
    slow.destroy()
    client.close()
  })

  test('have the whole of their reply, or what is wrong alone', async () => {
    await served.lists.apply([{ type: 'set', list: 'k', member: 'a', score: 1 }])
    const failing = new Proxy(served.lists, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name)
        if (name !== 'copyMembers') return typeof value === 'function' ? value.bind(target) : value
        return (...[, , , into]: Parameters<DiskLists['copyMembers']>) => {
          into.takeText('a')
          throw new LapidaryError('page_index_damaged', 'a block of this test')
        }
      },
    })
    const { port } = await start({ lists: failing })
    const client = await openRawClient(port)
    const replies = await client.pipeline([
      ['ZCARD', 'k'],
      ['ZRANGE', 'k', '0', '-1'],
      ['ZCARD', 'k'],
    ])
    expect(replies).toEqual([
      [':', '1'],
      ['-', 'ERR a block of this test'],
      [':', '1'],
    ])
    client.close()
  })

  test('that came before the server was told to end are answered', async () => {
    const server = await start()
    const client = await openRawClient(server.port)
    await client.send(['PING'])
    const replies = client.pipeline(Array.from({ length: 500 }, (_, i) => ['ZADD', 'k', String(i), `m${i}`]))
    await expect.poll(() => served.lists.count('k')).toBeGreaterThan(0)
    await server.close()
    expect(await replies).toHaveLength(500)
    await expect(openRawClient(server.port)).rejects.toThrow('ECONNREFUSED')
  })
})

describe('what was acknowledged', () => {
  test('is not what the disk refused: every reply that could say so is an error', async () => {
    const refused = new LapidaryError('unavailable', 'the disk of this test is full')
    const refusing = new Proxy(served.lists, {
      get: (target, name) => {
        if (name === 'durable') return () => Promise.reject(refused)
        const value: unknown = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const { port } = await start({ lists: refusing })
    const client = await openRawClient(port)
    const replies = await client.pipeline([
      ['ZADD', 'k', '1', 'a'],
      ['ZCARD', 'k'],
    ])
    expect(replies).toEqual(Array(2).fill(['-', 'MISCONF the disk of this test is full']))
    client.close()
  })

  test('is there after SIGKILL', async () => {
    await served.lists.close()
    const acknowledged = new Map<string, number>()
    let sent = 0
    for (let round = 0; round < 4; round++) {
      const child = await startProcess(served.folder)
      const client = await openRawClient(child.port)
      const stored = await client.send(['ZCARD', 'k'])
      expect(Number(stored[1])).toBeGreaterThanOrEqual(acknowledged.size)
      for (const [member, score] of acknowledged) {
        expect(await client.send(['ZSCORE', 'k', member])).toEqual(['$', String(score)])
      }
      let isOver = false
      const writing = (async () => {
        while (!isOver) {
          const batch = Array.from({ length: 20 }, () => ({ member: `m${sent % 5_000}`, score: sent++ }))
          const replies = await client.pipeline(batch.map(({ member, score }) => ['ZADD', 'k', String(score), member]))
          for (const [i, { member, score }] of batch.entries())
            if (replies[i]?.[0] === ':') acknowledged.set(member, score)
        }
      })()
      // A slow machine acknowledges little in a while.
      const before = sent
      await expect.poll(() => sent).toBeGreaterThan(before + 200)
      await sleep(50 * round)
      const exit = once(child.process, 'exit')
      child.process.kill('SIGKILL')
      await expect(writing).rejects.toThrow('the connection ended')
      isOver = true
      // A process that dies keeps its lock until it is gone, which is after its connections.
      await exit
      // The batch that was under way may be there too, so the replies prove nothing about these members.
      const last = sent
      for (const [member, score] of acknowledged) if (score >= last - 40) acknowledged.delete(member)
      for (let i = last - 40; i < last; i++) acknowledged.delete(`m${i % 5_000}`)
    }
    expect(acknowledged.size).toBeGreaterThan(100)
    served.lists = await openDiskLists({ folder: served.folder })
    expect((await served.lists.validate()).problems).toEqual([])
  })
})

async function startProcess(folder: string): Promise<{ readonly process: ChildProcess; readonly port: number }> {
  const script = fileURLToPath(new URL('./resp-process.ts', import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', script, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  served.open.push({
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await once(child, 'exit')
    },
  })
  const [port] = (await once(child.stdout ?? child, 'data')) as [Buffer]
  return { process: child, port: Number(port) }
}
