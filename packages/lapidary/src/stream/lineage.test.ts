import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkpointOf } from './checkpoint.ts'
import { type Known, knownBy, Lineage, type Standing } from './lineage.ts'

const shard = (shardId: string, parentShardId?: string) => ({ shardId, parentShardId })
/** `gone` is forgotten; `a` closed into `b` and `c`, `c` into `d`. They are listed in no order. */
const LINES = new Lineage([shard('d', 'c'), shard('b', 'a'), shard('a', 'gone'), shard('c', 'a'), shard('alone')])
const ids = (shards: readonly { readonly shardId: string }[]) => shards.map(({ shardId }) => shardId).join(' ')

const NEW: Known = { isEnded: false, isNew: true, byLambda: false }
const BEGUN: Known = { ...NEW, isNew: false }
const ENDED: Known = { ...BEGUN, isEnded: true }
const BY_LAMBDA: Known = { ...BEGUN, byLambda: true }

test('tells how shards follow each other, also of a parent that is not listed', () => {
  expect([ids(LINES.shards), ids(LINES.roots), ids(LINES.parentsFirst)]).toEqual([
    ...['d b a c alone', 'a alone', 'a b c d alone'],
  ])
  expect([LINES.missing, ids(LINES.upTo(shard('d', 'c'))), ids(LINES.after(shard('a')))]).toEqual([
    ...[['gone'], 'd c a', 'b c d'],
  ])
  expect(['gone', 'a', 'd'].map((id) => LINES.isFollowed(id))).toEqual([true, true, false])
  expect(['gone', 'a', 'd'].map((shardId) => ids(LINES.childrenOf(shard(shardId))))).toEqual(['a', 'b c', ''])
  expect([LINES.get('c'), LINES.get('gone')]).toEqual([shard('c', 'a'), undefined])
})

test('what follows nothing is both, in an order that holds', () => {
  const { roots, missing, parentsFirst } = new Lineage([])
  expect([roots, missing, parentsFirst]).toEqual([[], [], []])
})

test.each<[string, string, Standing, Readonly<Record<string, Known>>]>([
  ['that follows none', 'alone', 'readable', {}],
  ['that is at its end', 'alone', 'ended', { alone: ENDED }],
  ['that is at its end before the one before it', 'b', 'ended', { b: ENDED, a: BEGUN }],
  ['whose parent is not known', 'b', 'waiting', {}],
  ['of which something is counted, and whose parent is not at its end', 'b', 'waiting', { a: BEGUN, b: BEGUN }],
  ['whose parent is at its end', 'b', 'readable', { a: ENDED }],
  ['whose parent is forgotten', 'a', 'cut off', {}],
  ['whose parent is forgotten, with a checkpoint that says nothing', 'a', 'cut off', { gone: NEW, a: NEW }],
  ['whose parent is forgotten, and was begun', 'a', 'cut off', { gone: BEGUN }],
  ['whose parent is forgotten, and was at its end', 'a', 'readable', { gone: ENDED }],
  ['whose parent is forgotten, and that was begun itself', 'a', 'readable', { a: BEGUN }],
  ['behind which Lambda counts', 'a', 'readable', { b: BY_LAMBDA }],
  ['far behind which Lambda counts', 'a', 'readable', { d: BY_LAMBDA }],
  ['behind which others than Lambda count', 'a', 'cut off', { b: BEGUN, c: ENDED }],
  ['that Lambda counts, behind one that is not at its end', 'b', 'waiting', { b: BY_LAMBDA }],
])('a shard %s: %s is %s', (_, shardId, standing, known) => {
  expect(LINES.standing(LINES.get(shardId) ?? shard(shardId), (id) => known[id])).toBe(standing)
})

test('a shard is new while nothing of it is counted and no loss noted', () => {
  const told = (...[entry]: Parameters<typeof checkpointOf>) => knownBy(checkpointOf(entry))
  expect(told(undefined)).toEqual(NEW)
  expect(told({ sequenceNumber: { S: '1' } })).toEqual(BEGUN)
  expect(told({ gap: { BOOL: true }, gaps: { N: '1' } })).toEqual(BEGUN)
  expect(told({ sequenceNumber: { S: '1' }, lambda: { S: '1' } })).toEqual(BY_LAMBDA)
  expect(told({ sequenceNumber: { S: '2' }, lambda: { S: '1' }, finished: { BOOL: true } })).toEqual(ENDED)
})

interface Drawn {
  readonly shardId: string
  readonly parentShardId: string | undefined
  readonly isListed: boolean
  readonly known: Known | undefined
}

/** A stream that was split and merged at random: each shard follows one before it, or none. Some are not listed, or not known. */
const drawnStream: fc.Arbitrary<readonly Drawn[]> = fc
  .array(
    fc.record({
      after: fc.option(fc.nat(40), { nil: undefined }),
      isListed: fc.boolean(),
      known: fc.option(fc.record({ isEnded: fc.boolean(), isNew: fc.boolean(), byLambda: fc.boolean() }), {
        nil: undefined,
      }),
    }),
    { maxLength: 14 },
  )
  .map((all) =>
    all.map(({ after, isListed, known }, i) => ({
      ...{ shardId: `s${i}`, isListed, known },
      parentShardId: after === undefined || i === 0 ? undefined : `s${after % i}`,
    })),
  )

/** All shards through which the way from a listed one leads to a shard, each of them listed. */
function wayTo(stream: readonly Drawn[], to: Drawn, from: Drawn): readonly Drawn[] | undefined {
  if (!from.isListed) return undefined
  if (from.parentShardId === to.shardId) return [from]
  const before = stream.find(({ shardId }) => shardId === from.parentShardId)
  const way = before && wayTo(stream, to, before)
  return way && [...way, from]
}

/** The same question asked in words: one shard after the other, without an index. */
function naively(stream: readonly Drawn[], of: Drawn): Standing {
  const parent = stream.find(({ shardId }) => shardId === of.parentShardId)
  if (of.known?.isEnded) return 'ended'
  if (parent === undefined || parent.known?.isEnded) return 'readable'
  if (parent.isListed) return 'waiting'
  if (of.known !== undefined && !of.known.isNew) return 'readable'
  const isPassed = stream.some((later) => later.known?.byLambda && wayTo(stream, of, later) !== undefined)
  return isPassed ? 'readable' : 'cut off'
}

test('of random streams it tells what a search from shard to shard finds', () => {
  const seen = new Map<Standing, number>()
  fc.assert(
    fc.property(drawnStream, fc.nat(), (stream, turn) => {
      const listed = stream.filter(({ isListed }) => isListed)
      const turned = listed.map((_, i) => listed[(i + turn) % listed.length] as Drawn)
      const lineage = new Lineage(turned)
      for (const each of listed) {
        const standing = lineage.standing(each, (id) => stream.find(({ shardId }) => shardId === id)?.known)
        expect(standing).toBe(naively(stream, each))
        seen.set(standing, (seen.get(standing) ?? 0) + 1)
        const later = listed.filter((other) => wayTo(stream, each, other) !== undefined)
        expect(new Set(lineage.after(each))).toEqual(new Set(later))
        const upTo = lineage.upTo(each)
        expect(upTo.slice(1)).toEqual(upTo.slice(0, -1).map((below) => lineage.parentOf(below)))
        expect(lineage.roots).toContain(upTo.at(-1))
      }
      expect(new Set(lineage.parentsFirst)).toEqual(new Set(listed))
      const parents = new Set(listed.map(({ parentShardId }) => parentShardId))
      const unlisted = stream.filter(({ shardId, isListed }) => !isListed && parents.has(shardId))
      expect(new Set(lineage.missing)).toEqual(new Set(unlisted.map(({ shardId }) => shardId)))
      for (const [i, each] of lineage.parentsFirst.entries()) {
        const parent = lineage.parentOf(each)
        expect(parent === undefined || lineage.parentsFirst.indexOf(parent) < i).toBe(true)
      }
    }),
    { numRuns: 1_000 },
  )
  expect([...seen.keys()].sort()).toEqual(['cut off', 'ended', 'readable', 'waiting'])
})
