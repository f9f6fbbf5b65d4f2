import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AWKWARD_DECIMALS, decimalOf, unitsOf } from '../../test/decimal-units.ts'
import type { Amount, Amounts } from '../derived/amount.ts'
import { heldDigest } from '../derived/derived-item.ts'
import type { Contribution as Added, SumProjection } from '../derived/sum-projection.ts'
import type { Entry } from '../model/entry.ts'
import { type Contribution, NOTHING, Tally } from './tally.ts'

/** Adds what an image of its own says, as JSON. */
const saying = (name: string, prefix = 'X#'): SumProjection => ({
  ...{ name, collection: 'X', dated: false, isItem: ({ PK }) => PK.startsWith(prefix) },
  contributions: (image) => JSON.parse(image[name]?.S ?? '[]') as readonly Added[],
  owns: ({ PK }) => PK.startsWith(`~${name}#`),
  entryOf: () => undefined,
  amountsOf: () => ({}),
})
const adding = (of: Readonly<Record<string, Amounts>>, name = 'sums'): readonly Added[] =>
  Object.entries(of).map(([SK, amounts]) => ({ target: { PK: `~${name}#X`, SK }, amounts }))
const entry = (said: Readonly<Record<string, readonly Added[]>>): Entry =>
  Object.fromEntries(Object.entries(said).map(([name, added]) => [name, { S: JSON.stringify(added) }]))
/** An item that no projection can read. */
const unread = (tally: Tally): Contribution => tally.contributionOf(key('1'), { sums: { S: 'no JSON' } })
const key = (id: string) => ({ PK: `X#${id}`, SK: '~' })

const whole = fc.constantFrom(1, 1, 2, 700, 700, 2 ** 20, -3, 0.5)
const decimal = fc.constantFrom('1', '700', ...AWKWARD_DECIMALS)
const amounts = fc
  .tuple(
    fc.dictionary(fc.constantFrom('count', 'bytes', 'n'), whole, { noNullPrototype: true }),
    fc.dictionary(fc.constantFrom('sum', 'other'), decimal, { noNullPrototype: true }),
  )
  .map(([wholes, decimals]): Amounts => ({ ...wholes, ...decimals }))
const item = fc.dictionary(fc.constantFrom('a', 'b', 'c'), amounts, { noNullPrototype: true })

test('what items add is added up by target and name, and taken away again', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(item, fc.constantFrom(1, 1, -1)), { maxLength: 20 }), fc.nat(4), (drawn, most) => {
      // Also with fewer combinations of weights than there are.
      const tally = new Tally([saying('sums')], most)
      const expected = new Map<string, Record<string, Amount>>()
      for (const [of, times] of drawn) {
        tally.add(tally.contributionOf(key('1'), entry({ sums: adding(of) })), times as 1 | -1)
        for (const [SK, each] of Object.entries(of)) {
          const sums = expected.get(SK) ?? {}
          for (const [name, n] of Object.entries(each)) {
            const before = sums[name] ?? (typeof n === 'string' ? '0' : 0)
            sums[name] =
              typeof n === 'string'
                ? decimalOf(BigInt(times) * unitsOf(n) + unitsOf(String(before)))
                : Number(before) + times * n
          }
          expected.set(SK, sums)
        }
      }
      expect(tally.targets.map(({ key }) => key.SK).sort()).toEqual([...expected.keys()].sort())
      for (const target of tally.targets) {
        const sums = Object.entries(expected.get(target.key.SK) ?? {}).filter(([, n]) => n !== 0 && n !== '0')
        expect(tally.amountsOf(target)).toEqual(Object.fromEntries(sums))
      }
    }),
    { numRuns: 200 },
  )
})

test('items that are counted alike are of one kind, whatever they weigh', () => {
  const tally = new Tally([saying('sums')])
  const kinds = new Set<number>()
  const of = (a: Amounts, b: Amounts = {}): Contribution => {
    const contribution = tally.contributionOf(key('1'), entry({ sums: adding({ a, b }) }))
    kinds.add(contribution % 2 ** 26)
    return contribution
  }
  const item = (bytes: number, sum: string): Contribution =>
    of({ count: 1, bytes, sum, summed: 1 }, { count: 1, bytes, sum, summed: 1 })
  expect(item(700, '12.5')).toBe(item(700, '12.5'))
  const distinct = new Set([item(700, '12.5'), item(701, '12.5'), item(700, '12.6'), item(2 ** 30, '-1'), item(1, '1')])
  // Bytes of 1 are no weight.
  expect([distinct.size, kinds.size]).toEqual([5, 2])
  expect(of({ count: 1, bytes: 700 })).not.toBe(of({ count: 700, bytes: 1 }))
  expect(kinds.size).toBe(4)
})

test('contributions are the same that add up to the same, in whatever order and parts', () => {
  const tally = new Tally([saying('sums')])
  const of = (...said: readonly Readonly<Record<string, Amounts>>[]) =>
    tally.contributionOf(key('1'), entry({ sums: said.flatMap((each) => adding(each)) }))
  const [a, b] = [
    { count: 1, bytes: 700 },
    { bytes: 700, count: 1 },
  ]
  for (const [one, other, isSame] of [
    [of({ a, b }), of({ b, a }), true],
    [of({ a }), of({ a: b }), true],
    [of({ a: { count: 1 } }, { a: { count: 1 } }), of({ a: { count: 2 } }), true],
    [of(), NOTHING, true],
    [of({ a: {} }), of(), true],
    [of({ a }), of({ b: a }), false],
    [of({ a }), of({ a: { ...a, bytes: 701 } }), false],
    [of({ a }), NOTHING, false],
    [unread(tally), unread(tally), true],
    [of(), unread(tally), false],
    [NOTHING, unread(tally), false],
  ] as const) {
    expect([tally.isSame(one, other), tally.isSame(other, one)]).toEqual([isSame, isSame])
  }
})

test('nothing is added by no item, one that is followed by none, or one that can not be read', () => {
  const tally = new Tally([saying('sums'), saying('others', 'Y#')])
  const good = entry({ sums: adding({ a: { count: 1 } }) })
  expect(tally.contributionOf(key('1'), undefined)).toBe(NOTHING)
  expect(tally.contributionOf({ PK: 'Z#1', SK: '~' }, good)).toBe(NOTHING)
  expect(unread(tally)).not.toBe(NOTHING)
  expect([tally.isUncountable(unread(tally)), tally.isUncountable(NOTHING)]).toEqual([true, false])
  for (const [contribution, uncountable] of [
    [NOTHING, 0],
    [tally.contributionOf(key('1'), entry({})), 0],
    [unread(tally), 1],
    [tally.contributionOf(key('1'), good), 1],
  ] as const) {
    tally.add(contribution, 1)
    expect(tally.uncountable).toBe(uncountable)
  }
  tally.add(unread(tally), -1)
  expect(tally.uncountable).toBe(0)
})

test('an item is not counted in what DynamoDB has no key for', () => {
  const tally = new Tally([saying('sums')])
  const isRefused = (PK: string, SK: string): boolean =>
    tally.isUncountable(
      tally.contributionOf(key('1'), entry({ sums: [{ target: { PK: `~sums#${PK}`, SK }, amounts: { n: 1 } }] })),
    )
  expect(isRefused('é'.repeat(1_021), 'é'.repeat(512))).toBe(false)
  expect(isRefused('é'.repeat(1_021), 'é'.repeat(513))).toBe(true)
  expect(isRefused('é'.repeat(1_022), 'é'.repeat(512))).toBe(true)
})

test('an item is counted by every projection that follows it', () => {
  const tally = new Tally([saying('sums'), saying('others')])
  const said = { sums: adding({ a: { n: 1 } }), others: adding({ a: { n: 5 } }, 'others') }
  tally.add(tally.contributionOf(key('1'), entry(said)), 1)
  expect(tally.targets.map((target) => [target.projection.name, target.key.PK, tally.amountsOf(target)])).toEqual([
    ['sums', '~sums#X', { n: 1 }],
    ['others', '~others#X', { n: 5 }],
  ])
})

test('a projection that can’t read an item leaves it out, and no other does', () => {
  const tally = new Tally([saying('sums'), saying('others')])
  const image = { ...entry({ sums: adding({ a: { n: 1 } }) }), others: { S: 'no JSON' } }
  const contribution = tally.contributionOf(key('1'), image)
  tally.add(contribution, 1)
  expect([tally.isUncountable(contribution), tally.uncountable]).toEqual([true, 1])
  expect(tally.targets.map((target) => [target.key.SK, tally.amountsOf(target)])).toEqual([['a', { n: 1 }]])
  const read = tally.contributionOf(key('1'), entry({ sums: adding({ a: { n: 1 } }) }))
  expect([tally.isSame(contribution, read), tally.isSame(contribution, contribution)]).toEqual([false, true])
  tally.add(contribution, -1)
  expect([tally.uncountable, ...tally.targets.map((target) => tally.amountsOf(target))]).toEqual([0, {}])
})

test('targets are those that are touched, and those that were seen with what they held', () => {
  const tally = new Tally([saying('sums')])
  const contribution = tally.contributionOf(key('1'), entry({ sums: adding({ a: { n: 1 }, b: { n: 1 } }) }))
  const held = { n: { N: '1' } }
  expect(tally.see({ PK: '~sums#X', SK: 'b' }, held)).toBe(true)
  expect(tally.see({ PK: '~sums#X', SK: 'c' }, held)).toBe(true)
  expect(tally.see({ PK: 'X#1', SK: '~' }, held)).toBe(false)
  const state = () => tally.targets.map(({ key, seen, touched }) => [key.SK, seen, touched])
  const digest = heldDigest(held)
  expect(state()).toEqual([
    ['a', undefined, false],
    ['b', digest, false],
    ['c', digest, false],
  ])
  tally.touch(contribution)
  tally.touch(unread(tally))
  expect(state().map(([SK, , touched]) => [SK, touched])).toEqual([
    ['a', true],
    ['b', true],
    ['c', false],
  ])
})
