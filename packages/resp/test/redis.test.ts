import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { type DiskLists, openDiskLists } from 'lapidary-pages/file'
import { startRespServer } from 'lapidary-resp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RedisKind, startRedis, type TestRedis } from '../../../test/engines/redis.ts'
import { COMMAND, LEX_COMMAND, NEWER_COMMAND } from './arbitrary-commands.ts'
import { openRawClient, type RawClient, type RawReply } from './raw-client.ts'

const KEYS = ['k0', 'k1', 'k2', 'a key', 'missing', 'lex', 'mixed']

describe.each<{ kind: RedisKind; isNewer: boolean }>([
  { kind: 'redis', isNewer: false },
  { kind: 'valkey', isNewer: true },
])('beside a real $kind', ({ kind, isNewer }) => {
  let redis: TestRedis
  let folder: string
  let lists: DiskLists
  let server: Awaited<ReturnType<typeof startRespServer>>

  beforeAll(async () => {
    redis = await startRedis(kind)
    folder = mkdtempSync(join(tmpdir(), 'lapidary-test-'))
    lists = await openDiskLists({ folder, commitBytes: 2_000 })
    server = await startRespServer({ lists, port: 0 })
  })
  afterAll(async () => {
    await server.close()
    await lists.close()
    await redis[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  })

  test.each(['2', '3'])('gives the same replies to random scripts, in version %s of the protocol', async (version) => {
    const [theirs, ours] = await Promise.all([redis.port, server.port].map(openRawClient))
    if (theirs === undefined || ours === undefined) throw new Error('not connected')
    const one = fc.oneof(
      { weight: 6, arbitrary: COMMAND },
      { weight: 2, arbitrary: LEX_COMMAND },
      ...(isNewer ? [{ weight: 1, arbitrary: NEWER_COMMAND }] : []),
    )
    const script = fc.array(one, { minLength: 1, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(script, fc.boolean(), async (commands, mayCommit) => {
        for (const client of [theirs, ours]) {
          await client.send(['RESET'])
          await client.send(['HELLO', version])
          await client.send(['DEL', ...KEYS])
        }
        let isQueueing = false
        for (const args of commands.filter((args) => isComparable(args, isNewer))) {
          // Valkey 8 also refuses the whole transaction then.
          if (isNewer && isQueueing && /^(multi|watch)$/i.test(args[0] ?? '')) continue
          if (/^(multi|exec|discard)$/i.test(args[0] ?? '')) isQueueing = /^multi$/i.test(args[0] ?? '')
          const [expected, found] = await Promise.all([theirs.send(args), ours.send(args)])
          expect([args, shown(found, isNewer)]).toEqual([args, shown(expected, isNewer)])
        }
        for (const client of [theirs, ours]) await client.send(['DISCARD'])
        if (mayCommit) await lists.commit()
        for (const key of KEYS) {
          const whole = ['ZRANGE', key, '0', '-1', 'WITHSCORES']
          const [expected, found] = await Promise.all([theirs.send(whole), ours.send(whole)])
          expect(shown(found, isNewer)).toEqual(shown(expected, isNewer))
          expect(await scanned(ours, ['ZSCAN', key])).toEqual(await scanned(theirs, ['ZSCAN', key]))
        }
        expect(await scanned(ours, ['SCAN'])).toEqual(await scanned(theirs, ['SCAN']))
        const [expected, found] = await Promise.all([theirs.send(['KEYS', '*k*']), ours.send(['KEYS', '*k*'])])
        expect(textsOf(found).sort()).toEqual(textsOf(expected).sort())
      }),
      { numRuns: 250 },
    )
    expect((await lists.validate()).problems).toEqual([])
    theirs.close()
    ours.close()
  })

  test('writes scores as a Redis since 7.2 does', async () => {
    const [theirs, ours] = await Promise.all([redis.port, server.port].map(openRawClient))
    if (theirs === undefined || ours === undefined) throw new Error('not connected')
    await fc.assert(
      fc.asyncProperty(fc.array(fc.double({ noNaN: true }), { minLength: 1, maxLength: 100 }), async (scores) => {
        for (const client of [theirs, ours]) {
          await client.send(['DEL', 'scores'])
          await client.send(['ZADD', 'scores', ...scores.flatMap((score, i) => [c(score), String(i)])])
        }
        const all = ['ZRANGE', 'scores', '0', '-1', 'WITHSCORES']
        const [expected, found] = await Promise.all([theirs.send(all), ours.send(all)])
        const texts = textsOf(found).map((text, i) => sameScore(text, textsOf(expected)[i] ?? '', isNewer))
        expect(texts).toEqual(textsOf(expected))
      }),
      { numRuns: 200 },
    )
    theirs.close()
    ours.close()
  })
})

/** Writes a double as C does. */
const c = (score: number): string => (Object.is(score, -0) ? '-0' : String(score))

/** Excludes replies that depend on more than sorted sets: the order of a walk over a hash table, databases, passwords. */
function isComparable([name = '', ...args]: readonly string[], isNewer: boolean): boolean {
  if (!isNewer && /^z(rev)?rank$/i.test(name) && args.length > 2) return false
  // A Redis before 7.2 takes a time beyond 64 bits for one below zero.
  if (!isNewer && /^bz/i.test(name) && args.some((arg) => /^(inf|1e400|9{20})$/.test(arg))) return false
  // Valkey 8 counts it from the end where a list has long members or many; otherwise it gives nothing, as Redis does.
  if (isNewer && args.some((arg, i) => /^limit$/i.test(arg) && /^-[1-9]/.test(args[i + 1] ?? ''))) return false
  if (/^(scan|zscan|keys|auth)$/i.test(name)) return args.length === 0
  // Redis's search by members depends on how a set is stored, and on chance, if scores differ.
  const isByMember = /lex/i.test(name) || args.some((arg) => /^bylex$/i.test(arg))
  if (isByMember && !args.some((arg) => arg === 'lex' || arg === 'mixed')) return false
  return !/^select$/i.test(name) || args[0] === '0' || !/^\d+$/.test(args[0] ?? '')
}

/**
 * Prepares a reply for the comparison. Redis keeps or drops the sign of zero by how it stores a set, small or large. A Redis before 7.2 writes
 * scores with 17 digits, so they are compared as numbers.
 */
function shown(reply: RawReply, isNewer: boolean): unknown {
  const [kind, value] = reply
  if (value === '-0' && (kind === '$' || kind === ',')) return [kind, isNewer ? '0' : 0]
  if (Array.isArray(value)) return [kind, value.map((item: RawReply) => shown(item, isNewer))]
  const isNumber = (kind === '$' || kind === ',') && typeof value === 'string' && /^-?[\d.]+(e[+-]\d+)?$/.test(value)
  return isNumber && !isNewer ? [kind, Number(value)] : reply
}

/**
 * Returns their text where ours is as good: the same number in no more digits. Their algorithm nearly always finds the fewest digits, and not
 * always the nearest of several texts of 16 or 17 digits.
 */
function sameScore(ours: string, theirs: string, isNewer: boolean): string {
  const isAsShort = digitsOf(ours) <= digitsOf(theirs) && digitsOf(theirs) >= 16
  const isClose = Number(ours) === Number(theirs) && (!isNewer || isAsShort || ours === '0')
  return isClose ? theirs : ours
}

function digitsOf(score: string): number {
  return score.replace(/e.*|[^\d]/g, '').replace(/^0+/, '').length
}

/** Everything that a scan finds, sorted, its scores as numbers. */
async function scanned(client: RawClient, [name, ...rest]: readonly string[]): Promise<readonly string[]> {
  const found = new Set<string>()
  let cursor = '0'
  do {
    const [, value] = await client.send([name ?? '', ...rest, cursor, 'COUNT', '2'])
    const [next, items] = value as readonly [RawReply, RawReply]
    cursor = String(next[1])
    const texts = textsOf(items)
    if (name === 'SCAN') for (const text of texts) found.add(text)
    else
      for (let i = 0; i < texts.length; i += 2)
        found.add(`${texts[i]} ${Number(texts[i + 1]?.replace('inf', 'Infinity'))}`)
  } while (cursor !== '0')
  return [...found].sort()
}

const textsOf = ([, value]: RawReply): string[] => (value as readonly RawReply[]).map(([, text]) => String(text))
