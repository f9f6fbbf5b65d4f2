import type { RespServer } from 'lapidary-resp'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startRedis } from '../../../test/engines/redis.ts'
import { useServedLists } from './open-server.ts'
import { openRawClient, type RawClient, type RawReply } from './raw-client.ts'

const served = useServedLists()
let server: RespServer
let client: RawClient

beforeEach(async () => {
  server = await served.start()
  client = await openRawClient(server.port)
})
afterEach(() => client.close())

const words = (text: string): readonly string[] => text.split(' ')
const textOf = async (command: string): Promise<string> => String((await client.send(words(command)))[1])
const valuesOf = ([, items]: RawReply): string[] => (items as readonly RawReply[]).map(([, value]) => String(value))

describe('INFO', () => {
  test('has the fields that clients and exporters look at, each of which a real Redis has too', async () => {
    await using redis = await startRedis('valkey', ['--appendonly', 'yes'])
    const theirs = await openRawClient(redis.port)
    for (const one of [client, theirs]) {
      for (const args of [['ZADD', 'k', '1', 'a'], ['NOSUCH']]) await one.send(args)
    }
    const fieldsOf = (reply: RawReply): string[] =>
      String(reply[1])
        .split('\r\n')
        .map((line) => line.split(':', 1)[0] ?? '')
    const [own, known] = await Promise.all(
      [client, theirs].map(async (one) => fieldsOf(await one.send(['INFO', 'all']))),
    )
    theirs.close()
    const ofLapidary = /^lapidary_|^rejected_passwords$|^redis_mode$|^cmdstat_info$/
    expect(own?.filter((field) => !ofLapidary.test(field) && !known?.includes(field))).toEqual([])
    expect(own).toEqual(
      expect.arrayContaining([
        'used_cpu_sys',
        'used_cpu_user',
        'used_memory',
        'used_memory_human',
        'used_memory_rss',
        'used_memory_peak',
        'maxmemory',
        'blocked_clients',
        'maxclients',
        'total_connections_received',
        'rejected_connections',
        'cmdstat_zadd',
        'errorstat_ERR',
        'db0',
      ]),
    )
  })

  test('counts commands, those that failed, and those that were refused', async () => {
    for (let i = 0; i < 40; i++) await client.send(['ZADD', 'k', String(i), 'a'])
    for (const args of [['ZADD', 'k', 'x', 'a'], ['ZADD']]) await client.send(args)
    await client.send(['CONFIG', 'GET', 'port'])
    const text = await textOf('INFO commandstats')
    expect(text).toMatch(/cmdstat_zadd:calls=41,usec=\d+,usec_per_call=[\d.]+,rejected_calls=1,failed_calls=1\r\n/)
    expect(text).toContain('cmdstat_config|get:calls=1,')
    expect(await textOf('INFO')).not.toContain('cmdstat_')
    expect(await client.send(['CONFIG', 'RESETSTAT'])).toEqual(['+', 'OK'])
    expect(await textOf('INFO commandstats')).not.toContain('zadd')
    expect(await textOf('INFO stats')).toContain('total_commands_processed:2\r\n')
  })
})

describe('CLIENT', () => {
  test('LIST and INFO describe each connection', async () => {
    const other = await openRawClient(server.port)
    await other.send(['HELLO', '3', 'SETNAME', 'other'])
    await other.send(['CLIENT', 'SETINFO', 'LIB-NAME', 'raw'])
    await other.pipeline([['WATCH', 'k'], ['MULTI'], ['ZCARD', 'k']])
    const line = (await textOf('CLIENT LIST')).split('\n').find((text) => text.includes('name=other'))
    expect(line).toMatch(/^id=\d+ addr=127\.0\.0\.1:\d+ laddr=127\.0\.0\.1:\d+ name=other age=0 idle=0 flags=x db=0 /)
    expect(line).toMatch(/ multi=1 .* watch=1 cmd=multi user=default resp=3 lib-name=raw lib-ver=$/)
    expect(await textOf('CLIENT INFO')).toMatch(/ cmd=client\|info /)
    const id = /^id=(\d+)/.exec(line ?? '')?.[1] ?? ''
    expect((await textOf(`CLIENT LIST ID ${id} 999`)).trim().split('\n')).toHaveLength(1)
    expect(await textOf('CLIENT LIST TYPE pubsub')).toBe('')
    other.close()
  })

  test('NO-EVICT and NO-TOUCH are taken as they are', async () => {
    for (const option of ['NO-EVICT', 'NO-TOUCH']) {
      for (const value of ['ON', 'off']) expect(await client.send(['CLIENT', option, value])).toEqual(['+', 'OK'])
      expect(await client.send(['CLIENT', option, 'maybe'])).toEqual(['-', 'ERR syntax error'])
    }
  })
})

describe('CONFIG', () => {
  test('GET tells what is so, and SET takes what has a meaning', async () => {
    expect(valuesOf(await client.send(['CONFIG', 'GET', 'maxmemory*', 'port']))).toEqual([
      'port',
      String(server.port),
      'maxmemory',
      '0',
      'maxmemory-policy',
      'noeviction',
    ])
    expect(await client.send(words('CONFIG SET port 1'))).toEqual([
      '-',
      "ERR CONFIG SET failed (possibly related to argument 'port') - can't set immutable config",
    ])
    expect(await client.send(words('CONFIG SET appendfsync no'))).toEqual([
      '-',
      "ERR Unknown option or number of arguments for CONFIG SET - 'appendfsync'",
    ])
    for (const value of ['x', '-1', '99999999999']) {
      expect(await textOf(`CONFIG SET zset-max-listpack-entries ${value}`)).toMatch(/^ERR CONFIG SET failed/)
    }
  })

  test('SET of what Redis calls a small set shows in OBJECT ENCODING, as it does there', async () => {
    await using redis = await startRedis('valkey')
    const theirs = await openRawClient(redis.port)
    for (const [entries, value] of [
      ['128', '64'],
      ['2', '64'],
      ['128', '1'],
      ['0', '0'],
    ]) {
      const encodings = [client, theirs].map(async (one) => {
        await one.send(['FLUSHALL'])
        await one.send([
          'CONFIG',
          'SET',
          'zset-max-ziplist-entries',
          entries ?? '',
          'zset-max-listpack-value',
          value ?? '',
        ])
        await one.pipeline([words('ZADD two 1 a 2 b'), words('ZADD three 1 a 2 b 3 cc')])
        return await one.pipeline([words('OBJECT ENCODING two'), words('OBJECT ENCODING three')])
      })
      const [own, known] = await Promise.all(encodings)
      expect([entries, value, own]).toEqual([entries, value, known])
    }
    theirs.close()
  })
})

test('MEMORY USAGE grows with entries, and with members that are long', async () => {
  const sizes: number[] = []
  for (const [count, member] of [
    [1, 'm'],
    [100, 'm'],
    [100, 'm'.repeat(100)],
  ] as const) {
    await client.send(['DEL', 'k'])
    await client.pipeline(Array.from({ length: count }, (_, i) => ['ZADD', 'k', '1', `${member}${i}`]))
    sizes.push(Number(await textOf('MEMORY USAGE k')))
  }
  expect(sizes).toEqual([...sizes].sort((a, b) => a - b))
  expect(sizes[2]).toBeGreaterThan(100 * 100)
})

test('ZRANDMEMBER gives members of the list: each once, or any so many times', async () => {
  await client.pipeline(Array.from({ length: 50 }, (_, i) => ['ZADD', 'k', String(i), `m${i}`]))
  const seen = new Set<string>()
  for (let i = 0; i < 300; i++) seen.add(await textOf('ZRANDMEMBER k'))
  // Three hundred draws miss one of fifty about once in four hundred runs, and two of them hardly ever.
  expect(seen.size).toBeGreaterThan(45)
  for (const count of [0, 1, 20, 49, 50, 90]) {
    const members = valuesOf(await client.send(['ZRANDMEMBER', 'k', String(count)]))
    expect(new Set(members).size).toBe(Math.min(50, count))
    expect(members.every((member) => /^m\d+$/.test(member))).toBe(true)
    expect(valuesOf(await client.send(['ZRANDMEMBER', 'k', String(-count)]))).toHaveLength(count)
  }
  const scored = valuesOf(await client.send(['ZRANDMEMBER', 'k', '10', 'WITHSCORES']))
  for (let i = 0; i < 20; i += 2) expect(`m${scored[i + 1]}`).toBe(scored[i])
})

describe('a range by members of a list whose scores differ', () => {
  test('is that of Redis where members are in the order of the scores, however large the list', async () => {
    await using redis = await startRedis('redis')
    const theirs = await openRawClient(redis.port)
    const members = Array.from({ length: 500 }, (_, i) => `m${String(i).padStart(3, '0')}`)
    for (const one of [client, theirs]) {
      await one.pipeline(members.map((member, i) => ['ZADD', 'k', String(i), member]))
    }
    for (const command of [
      'ZRANGEBYLEX k [m100 (m203',
      'ZREVRANGEBYLEX k + (m450 LIMIT 3 9',
      'ZRANGE k - [m007 BYLEX',
      'ZLEXCOUNT k (m001 [m498',
      'ZLEXCOUNT k [n +',
      'ZREMRANGEBYLEX k [m200 [m299',
      'ZRANGESTORE other k [m150 [m350 BYLEX',
      'ZRANGE other 0 -1 WITHSCORES',
    ]) {
      expect([command, await client.send(words(command))]).toEqual([command, await theirs.send(words(command))])
    }
    theirs.close()
  })
})

test('a member and a key of 64 KiB are taken, and of a byte more they are not', async () => {
  const [fits, tooLong] = [65_536, 65_537].map((length) => 'x'.repeat(length))
  expect(await client.send(['ZADD', fits ?? '', '1', fits ?? ''])).toEqual([':', '1'])
  expect(await client.send(['ZSCORE', fits ?? '', fits ?? ''])).toEqual(['$', '1'])
  expect(await client.send(['ZADD', 'k', '1', tooLong ?? ''])).toEqual([
    '-',
    'ERR a member has 65537 bytes, and at most 65536 fit',
  ])
})

describe('a command does no more than others can wait for:', () => {
  test.each([
    ['ZUNION 2 k k', 'ERR 6 entries would be looked at, and at most 4 are at once'],
    ['ZUNIONSTORE d 2 k k', 'ERR 6 entries would be looked at, and at most 4 are at once'],
    ['ZINTER 2 k k', 'ERR 6 entries would be looked at, and at most 4 are at once'],
    ['ZINTERCARD 2 k k', 'ERR 6 entries would be looked at, and at most 4 are at once'],
    ['ZDIFF 2 k k', 'ERR 6 entries would be looked at, and at most 4 are at once'],
    ['ZRANDMEMBER k -5', 'ERR 5 random members were asked for, and at most 4 are sent at once'],
    ['ZRANGESTORE d large 0 -1', 'ERR 5 members would be stored, and at most 4 are at once'],
    ['RENAME large d', 'ERR 5 members would be stored, and at most 4 are at once'],
    ['ZMPOP 1 large MIN COUNT 5', 'ERR at most 4 members are sent at once'],
    ['BZMPOP 1 1 large MIN COUNT 5', 'ERR at most 4 members are sent at once'],
    ['FLUSHALL', 'ERR 5 keys would be removed, and at most 4 are at once; SCAN and UNLINK them in parts'],
  ])('%s', async (command, message) => {
    const limited = await served.start({ maxReplyEntries: 4 })
    const one = await openRawClient(limited.port)
    await one.pipeline(['ZADD k 1 a 2 b 3 c', 'ZADD large 1 a 2 b 3 c 4 d 5 e'].map(words))
    await one.pipeline(['x', 'y', 'z'].map((key) => ['ZADD', key, '1', 'm']))
    expect(await one.send(words(command))).toEqual(['-', message])
    expect(await one.pipeline([['ZCARD', 'large'], ['DBSIZE']])).toEqual([
      [':', '5'],
      [':', '5'],
    ])
    one.close()
  })
})
