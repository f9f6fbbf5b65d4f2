import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { DiskLists } from 'lapidary-pages/file'
import type { RespServerOptions } from 'lapidary-resp'
import { afterEach, describe, expect, test } from 'vitest'
import { useServedLists } from './open-server.ts'
import { openRawClient, type RawClient, request } from './raw-client.ts'

const PASSWORD = 'a password of this test'
const WRONG = '*1\r\nfoo\r\n'
const served = useServedLists()
const sockets: Socket[] = []

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

async function start(options: Partial<RespServerOptions> = {}): Promise<number> {
  return (await served.start(options)).port
}

/** A client that never closes by itself, and reads only when it is told to. */
async function openStubborn(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  sockets.push(socket)
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** Resolves when a socket is closed, by a reset too. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => void socket.once('close', () => resolve()))
}

async function logIn(port: number): Promise<RawClient> {
  const client = await openRawClient(port)
  sockets.push(client.socket)
  expect(await client.send(['AUTH', PASSWORD])).toEqual(['+', 'OK'])
  return client
}

describe('a stranger takes no place from those who know the password, who', () => {
  const write = (text: string) => (socket: Socket) => void socket.write(text)
  test.each<readonly [string, (socket: Socket, port: number) => unknown]>([
    ['says nothing', () => {}],
    ['breaks the protocol, and stays', write(WRONG)],
    ['quits, and stays', write('QUIT\r\n')],
    ['stops in the middle of a command', write('*2\r\n$4\r\nAUTH\r\n$10\r\nabc')],
    ['is refused without end, and reads nothing', write('*1\r\n$1\r\nx\r\n'.repeat(20_000))],
    [
      'reads the error, sends one byte more, and closes',
      async (socket) => {
        socket.write(WRONG)
        await once(socket, 'data')
        socket.end('x')
      },
    ],
    [
      'quits, sends one byte more, and closes',
      async (socket) => {
        socket.write('QUIT\r\n')
        await once(socket, 'data')
        socket.end('x')
      },
    ],
    [
      'floods after an error',
      (socket) => {
        const flood = (): void => {
          while (!socket.destroyed && socket.write('x'.repeat(100_000)));
        }
        socket.on('drain', flood)
        socket.write(WRONG)
        flood()
      },
    ],
  ])('%s', async (_, attack) => {
    const port = await start({ password: PASSWORD, maxClients: 3 })
    const first = await logIn(port)
    for (let i = 0; i < 20; i++) await attack(await openStubborn(port), port)
    const second = await logIn(port)
    for (let i = 0; i < 20; i++) await attack(await openStubborn(port), port)
    await logIn(port)
    for (const client of [first, second]) expect(await client.send(['PING'])).toEqual(['+', 'PONG'])
    // Clients that know the password have all places now.
    const late = await openRawClient(port)
    expect(await late.rest()).toBe('-ERR max number of clients reached\r\n')
  })

  test('takes long to give it', async () => {
    const port = await start({ password: PASSWORD, loginMs: 100 })
    const known = await logIn(port)
    const slow = await openRawClient(port)
    expect(await slow.rest()).toBe('-NOAUTH no password came within 0.1 seconds\r\n')
    expect(await known.send(['PING'])).toEqual(['+', 'PONG'])
  })
})

test('whoever has had its last reply is let go of, though it neither closes nor reads', async () => {
  const port = await start({ maxClients: 1 })
  const open = await openRawClient(port)
  sockets.push(open.socket)
  await open.send(['PING'])
  // One client beyond the limit, and one that ends.
  const refused = await openStubborn(port)
  open.write('QUIT\r\n')
  const quiet = open.socket.pause()
  await Promise.all([refused, quiet].map((socket) => once(socket.resume(), 'end')))
  // The kernel resets a socket that the other side closed when something is sent to it.
  const gone = Promise.all([refused, quiet].map(closed))
  const sending = setInterval(() => {
    for (const socket of [refused, quiet]) if (!socket.destroyed) socket.write('x')
  }, 100)
  await gone
  clearInterval(sending)
})

describe('a client that is still sending', () => {
  test('reads what is wrong with a command that has too many arguments', async () => {
    const port = await start()
    const client = await openStubborn(port)
    let received = ''
    // The client reads nothing before all is sent.
    const pairs = Array.from({ length: 600_000 }, (_, i) => [String(i), `member ${i}`]).flat()
    await new Promise<void>((resolve) => void client.write(request(['ZADD', 'k', ...pairs]), () => resolve()))
    client.on('data', (bytes: Buffer) => {
      received += bytes.toString('latin1')
    })
    await once(client, 'end')
    expect(received).toMatch(/^-ERR Protocol error: invalid multibulk length: 1200002 arguments, and at most 1048576/)
  })

  test('without end is cut off', async () => {
    const port = await start({ maxRequestBytes: 1_000_000 })
    const client = await openStubborn(port)
    const flood = (): void => {
      while (!client.destroyed && client.write('x'.repeat(100_000)));
    }
    client.on('drain', flood)
    client.write(WRONG)
    flood()
    await closed(client)
  })
})

describe('bytes of a reply', () => {
  const LONG = 20_000
  const MEMBERS = 100
  const BYTES = 1_000_000
  const member = (i: number): string => String(i).padEnd(LONG, '.')

  async function startWithLong(): Promise<RawClient> {
    const members = Array.from({ length: MEMBERS }, (_, i) => i)
    await served.lists.apply(members.map((i) => ({ type: 'set', list: 'k', member: member(i), score: 0 })))
    await served.lists.apply(members.map((i) => ({ type: 'set', list: member(i), member: 'm', score: i })))
    const client = await openRawClient(await start({ maxReplyBytes: BYTES }))
    sockets.push(client.socket)
    return client
  }

  test.each([
    [['ZRANGE', 'k', '0', '-1']],
    [['ZRANGE', 'k', '0', '-2', 'REV']],
    [['ZRANGE', 'k', '0', '-1', 'WITHSCORES']],
    [['ZREVRANGEBYSCORE', 'k', '+inf', '-inf', 'WITHSCORES']],
    [['ZRANGEBYLEX', 'k', '-', '+']],
    [['ZPOPMIN', 'k', '60']],
    [['ZPOPMAX', 'k', '100']],
    [['ZREMRANGEBYRANK', 'k', '0', '-2']],
    [['KEYS', '*']],
  ])('are bounded: %j', async (command) => {
    const client = await startWithLong()
    const replies = await client.pipeline([['PING'], command, ['ZCARD', 'k'], ['ZRANGE', 'k', '0', '1']])
    expect(replies[0]).toEqual(['+', 'PONG'])
    expect(replies[1]?.[0]).toBe('-')
    expect(replies[1]?.[1]).toMatch(/^ERR .*more than 1000000 bytes, which is the most .*; ask for less at a time$/)
    // No entry was removed, and smaller replies are unchanged.
    expect(replies[2]).toEqual([':', String(MEMBERS)])
    expect(replies[3]?.[1]).toHaveLength(2)
  })

  test.each([['SCAN'], ['ZSCAN', 'k']])('are bounded in a walk, which comes to its end: %s', async (...name) => {
    const client = await startWithLong()
    const seen = new Set<string>()
    let cursor = '0'
    do {
      const [kind, value] = await client.send([...name, cursor, 'COUNT', '1000'])
      expect(kind).toBe('*')
      const [next, items] = value as unknown as [[string, string], [string, [string, string][]]]
      for (const [, text] of items[1]) seen.add(text)
      cursor = next[1]
    } while (cursor !== '0')
    for (let i = 0; i < MEMBERS; i++) expect(seen.has(member(i))).toBe(true)
  })

  test('that is never made takes no memory: entries are read in pieces', async () => {
    const members = Array.from({ length: 5_000 }, (_, i) => String(i).padEnd(1_000, '.'))
    await served.lists.apply(members.map((each, score) => ({ type: 'set', list: 'k', member: each, score })))
    let most = 0
    const watched = watching(served.lists, 'slice', (_list, from, to) => {
      most = Math.max(most, Number(to) - Number(from))
    })
    const client = await openRawClient(await start({ lists: watched, maxReplyBytes: BYTES }))
    sockets.push(client.socket)
    expect((await client.send(['ZRANGE', 'k', '0', '-1', 'REV']))[0]).toBe('-')
    expect(most).toBe(1_000)
  })
})

describe('commands that take long', () => {
  const busy = (ms: number): void => {
    const until = performance.now() + ms
    while (performance.now() < until);
  }

  test.each([
    ['in a pipeline', (command: string) => [command.repeat(200)]],
    ['in pieces that come one by one', (command: string) => Array.from({ length: 200 }, () => command)],
  ])('give others their turn in between, %s', async (_, pieces) => {
    await served.lists.apply([{ type: 'set', list: 'k', member: 'a', score: 1 }])
    let made = 0
    const slow = watching(served.lists, 'copyMembers', () => {
      made++
      busy(10)
    })
    const port = await start({ lists: slow })
    const quick = await openRawClient(port)
    const heavy = await Promise.all([openRawClient(port), openRawClient(port)])
    sockets.push(quick.socket, ...heavy.map(({ socket }) => socket))
    for (const client of heavy) {
      for (const piece of pieces(request(['ZRANGE', 'k', '0', '-1']))) client.write(piece)
    }
    await expect.poll(() => made, { interval: 1 }).toBeGreaterThan(0)
    for (let i = 1; i <= 5; i++) {
      const before = made
      expect(await quick.send(['PING'])).toEqual(['+', 'PONG'])
      // This process is the client too, and its turns come in between.
      expect(made - before).toBeLessThan(40)
    }
    for (const client of heavy) for (let i = 0; i < 200; i++) expect((await client.next())[0]).toBe('*')
  })

  test('wait while changes wait for a slow disk, so that memory does not grow', async () => {
    let unsynced = 0
    let sync = (): void => {}
    const slowDisk = new Proxy(served.lists, {
      get: (target, name) => {
        if (name === 'unsyncedBytes') return unsynced
        if (name === 'durable') return () => (unsynced === 0 ? undefined : durable)
        const value: unknown = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const durable = new Promise<void>((resolve) => {
      sync = () => {
        unsynced = 0
        resolve()
      }
    })
    const port = await start({ lists: slowDisk })
    const client = await openRawClient(port)
    sockets.push(client.socket)
    await client.send(['PING'])
    unsynced = 2_000_000
    const reply = client.send(['ZADD', 'k', '1', 'a'])
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(served.lists.count('k')).toBe(0)
    sync()
    expect(await reply).toEqual([':', '1'])
  })
})

/** The same lists; a function hears of the calls of one method, before they are made. */
function watching(lists: DiskLists, method: keyof DiskLists, tell: (...args: unknown[]) => void): DiskLists {
  return new Proxy(lists, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      if (name !== method) return value.bind(target)
      return (...args: unknown[]) => {
        tell(...args)
        return value.apply(target, args)
      }
    },
  })
}
