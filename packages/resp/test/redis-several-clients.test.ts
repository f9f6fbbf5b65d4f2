import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { type DiskLists, openDiskLists } from 'lapidary-pages/file'
import { type RespServer, startRespServer } from 'lapidary-resp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RedisKind, startRedis, type TestRedis } from '../../../test/engines/redis.ts'
import { openRawClient, type RawClient, type RawReply } from './raw-client.ts'

const KEYS = ['a', 'b', 'c']
const CLIENTS = 4

/** One server with some clients, of which the waiting ones are known. */
class Side {
  readonly #clients: readonly RawClient[]
  readonly #observer: RawClient
  #waiting = new Set<number>()

  private constructor(clients: readonly RawClient[], observer: RawClient) {
    this.#clients = clients
    this.#observer = observer
  }

  static async open(port: number): Promise<Side> {
    const clients = await Promise.all(Array.from({ length: CLIENTS }, () => openRawClient(port)))
    for (const [i, client] of clients.entries()) await client.send(['CLIENT', 'SETNAME', `client-${i}`])
    return new Side(clients, await openRawClient(port))
  }

  get waiting(): ReadonlySet<number> {
    return this.#waiting
  }

  /** Runs a command, and returns the reply of its client, unless it now waits, and of all clients that no longer wait. */
  async step(number: number, args: readonly string[]): Promise<readonly (readonly [number, RawReply])[]> {
    const client = this.#clients[number]
    if (client === undefined) throw new Error(`no client ${number}`)
    const before = new Set([...this.#waiting, number])
    client.write(`*${args.length}\r\n${args.map((text) => `$${text.length}\r\n${text}\r\n`).join('')}`)
    // A server serves its clients in any order, so the client looks once its own command has run.
    if (!/^b/i.test(args[0] ?? '')) {
      const own = await client.next()
      await this.#look()
      return [[number, own], ...(await this.#replies([...before].filter((i) => i !== number)))]
    }
    // A client has a reply, or is listed as waiting.
    for (;;) {
      await this.#look()
      if (this.#waiting.has(number) || client.hasReply()) break
    }
    await this.#look()
    return await this.#replies([...before])
  }

  /** Wakes all clients, and starts again with no entries. */
  async reset(): Promise<void> {
    for (const number of this.#waiting) {
      const id = /^id=(\d+) .* name=client-(\d+) /
      const lines = await this.#clientList()
      const found = lines.map((line) => id.exec(line)).find((match) => match?.[2] === String(number))
      await this.#observer.send(['CLIENT', 'UNBLOCK', found?.[1] ?? ''])
      await this.#clients[number]?.next()
    }
    this.#waiting.clear()
    for (const client of this.#clients) {
      await client.send(['DISCARD'])
      await client.send(['UNWATCH'])
    }
    await this.#observer.send(['FLUSHALL'])
  }

  async whole(): Promise<readonly RawReply[]> {
    return await this.#observer.pipeline(KEYS.map((key) => ['ZRANGE', key, '0', '-1', 'WITHSCORES']))
  }

  close(): void {
    for (const client of [...this.#clients, this.#observer]) client.close()
  }

  async #replies(numbers: readonly number[]): Promise<readonly (readonly [number, RawReply])[]> {
    const found: (readonly [number, RawReply])[] = []
    for (const number of [...numbers].sort()) {
      const client = this.#clients[number]
      if (client !== undefined && !this.#waiting.has(number)) found.push([number, await client.next()])
    }
    return found
  }

  async #look(): Promise<void> {
    const waiting = /name=client-(\d+) .* flags=\S*b/
    const found = (await this.#clientList()).map((line) => waiting.exec(line)?.[1])
    this.#waiting = new Set(found.filter((number) => number !== undefined).map(Number))
  }

  async #clientList(): Promise<readonly string[]> {
    const [, text] = await this.#observer.send(['CLIENT', 'LIST'])
    return String(text).split('\n')
  }
}

const key = fc.constantFrom(...KEYS)
const member = fc.constantFrom('x', 'y', 'z')
const list = (...parts: fc.Arbitrary<string | readonly string[]>[]): fc.Arbitrary<string[]> =>
  fc.tuple(...parts).map((texts) => texts.flat())
const is = (text: string): fc.Arbitrary<string> => fc.constant(text)
const score = fc.nat({ max: 5 }).map(String)
const keys = fc.uniqueArray(key, { minLength: 1, maxLength: 2 })
const counted = keys.map((names) => [String(names.length), ...names])
const CHANGES: fc.Arbitrary<string[]> = fc.oneof(
  { weight: 5, arbitrary: list(is('ZADD'), key, score, member) },
  { weight: 2, arbitrary: list(is('ZADD'), key, score, member, score, member) },
  { weight: 1, arbitrary: list(is('ZADD'), key, is('XX'), score, member) },
  { weight: 2, arbitrary: list(is('ZINCRBY'), key, score, member) },
  { weight: 2, arbitrary: list(is('ZREM'), key, member) },
  { weight: 2, arbitrary: list(is('DEL'), keys) },
  { weight: 1, arbitrary: list(fc.constantFrom('FLUSHALL', 'FLUSHDB')) },
  { weight: 2, arbitrary: list(fc.constantFrom('RENAME', 'RENAMENX'), key, key) },
  { weight: 1, arbitrary: list(fc.constantFrom('ZUNIONSTORE', 'ZINTERSTORE', 'ZDIFFSTORE'), key, counted) },
  { weight: 1, arbitrary: list(is('ZRANGESTORE'), key, key, is('0'), is('0')) },
  { weight: 2, arbitrary: list(fc.constantFrom('ZPOPMIN', 'ZPOPMAX'), key) },
  { weight: 1, arbitrary: list(is('ZREMRANGEBYRANK'), key, is('0'), is('1')) },
)
const TRANSACTIONS: fc.Arbitrary<string[]> = fc.oneof(
  { weight: 3, arbitrary: list(is('WATCH'), keys) },
  { weight: 1, arbitrary: list(is('UNWATCH')) },
  { weight: 3, arbitrary: list(is('MULTI')) },
  { weight: 4, arbitrary: list(is('EXEC')) },
  { weight: 1, arbitrary: list(is('DISCARD')) },
)
const WAITS: fc.Arbitrary<string[]> = fc.oneof(
  { weight: 2, arbitrary: list(fc.constantFrom('BZPOPMIN', 'BZPOPMAX'), keys, is('0')) },
  {
    weight: 1,
    arbitrary: list(
      is('BZMPOP'),
      is('0'),
      counted,
      fc.constantFrom('MIN', 'MAX'),
      is('COUNT'),
      fc.constantFrom('1', '2'),
    ),
  },
)
const stepOf = (command: fc.Arbitrary<string[]>): fc.Arbitrary<readonly [number, string[]]> =>
  fc.tuple(fc.nat({ max: CLIENTS - 1 }), command)

describe.each<{ kind: RedisKind }>([{ kind: 'redis' }, { kind: 'valkey' }])(
  'several clients beside a real $kind',
  ({ kind }) => {
    let redis: TestRedis
    let folder: string
    let lists: DiskLists
    let server: RespServer
    let theirs: Side
    let ours: Side

    beforeAll(async () => {
      redis = await startRedis(kind)
      folder = mkdtempSync(join(tmpdir(), 'lapidary-test-'))
      lists = await openDiskLists({ folder })
      server = await startRespServer({ lists, port: 0 })
      theirs = await Side.open(redis.port)
      ours = await Side.open(server.port)
    })
    afterAll(async () => {
      theirs.close()
      ours.close()
      await server.close()
      await lists.close()
      await redis[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true })
    })

    /** Takes the same steps on both, and compares what every client gets. */
    async function compare(steps: readonly (readonly [number, string[]])[]): Promise<void> {
      const queueing = new Set<number>()
      for (const [client, args] of steps) {
        if (ours.waiting.has(client)) continue
        const name = args[0] ?? ''
        // Valkey 8 refuses the whole transaction when these are in it, Redis only the command.
        if (queueing.has(client) && ['MULTI', 'WATCH'].includes(name)) continue
        // A wait inside a transaction does not wait, which the scripts of one client compare.
        if (queueing.has(client) && name.startsWith('B')) continue
        if (name === 'MULTI') queueing.add(client)
        if (name === 'EXEC' || name === 'DISCARD') queueing.delete(client)
        const [expected, found] = await Promise.all([theirs.step(client, args), ours.step(client, args)])
        expect([client, args, found]).toEqual([client, args, expected])
        expect([...ours.waiting]).toEqual([...theirs.waiting])
      }
      expect(await ours.whole()).toEqual(await theirs.whole())
      await Promise.all([theirs.reset(), ours.reset()])
    }

    test('sees what others change of what it watches, and nothing else', async () => {
      const one = fc.oneof({ weight: 3, arbitrary: stepOf(CHANGES) }, { weight: 3, arbitrary: stepOf(TRANSACTIONS) })
      await fc.assert(fc.asyncProperty(fc.array(one, { maxLength: 30 }), compare), { numRuns: 60 })
    })

    // A Redis before 7.2 pops from the list that got entries, a later one from the first list that has any.
    test('gets what it waits for, the first to come first', async () => {
      const one = fc.oneof(
        { weight: 6, arbitrary: stepOf(CHANGES) },
        { weight: 3, arbitrary: stepOf(WAITS) },
        ...(kind === 'valkey' ? [{ weight: 3, arbitrary: stepOf(TRANSACTIONS) }] : []),
      )
      await fc.assert(fc.asyncProperty(fc.array(one, { maxLength: 30 }), compare), { numRuns: 60 })
    })
  },
)
