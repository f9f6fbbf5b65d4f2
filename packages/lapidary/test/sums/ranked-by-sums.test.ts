import { createLapidary } from 'lapidary'
import { chosenSeed, seededRandom } from 'lapidary-testing'
import { expect, test } from 'vitest'
import { testEngines } from '../../../../test/engines/index.ts'
import { unitsOf } from '../decimal-units.ts'
import {
  amountsOf,
  CHANNELS,
  counted,
  type Order,
  type Orders,
  openOrders,
  untilCounted,
  writeOrders,
} from './orders.ts'

const [engine] = testEngines()
if (engine === undefined) throw new Error('there is no engine')
const seed = chosenSeed(process.env.SUMS_SEED)
console.info(`SUMS_SEED=${seed}`)

type Board = Parameters<Orders['orders']['leaderboard']>[0]['name']

interface Scope {
  readonly scope: string
  readonly count: number
  readonly sum: string
}

/** Scopes by what is highest first, each with its rank: a sum in memory, and a sort with whole numbers. */
function rankedBy(
  scopes: readonly Scope[],
  compare: (a: Scope, b: Scope) => bigint,
): readonly (Scope & { rank: number })[] {
  const sorted = scopes.toSorted(
    (a, b) => Number(compare(b, a)) || b.count - a.count || Buffer.compare(Buffer.from(a.scope), Buffer.from(b.scope)),
  )
  return sorted.map((each) => ({ ...each, rank: 1 + scopes.filter((other) => compare(other, each) > 0n).length }))
}

const bySum = (a: Scope, b: Scope): bigint => sign(unitsOf(a.sum) - unitsOf(b.sum))
const byAverage = (a: Scope, b: Scope): bigint => sign(averageOf(a) - averageOf(b))

/** An average in units of 1e-300, of which 38 digits are kept. */
function averageOf({ sum, count }: Scope): bigint {
  const exact = (unitsOf(sum) * 10n ** 100n) / BigInt(count)
  const beyond = 10n ** BigInt(Math.max(0, String(exact).replace('-', '').length - 38))
  return ((exact + (sign(exact) * beyond) / 2n) / beyond) * beyond
}

function sign(difference: bigint): bigint {
  return difference > 0n ? 1n : difference < 0n ? -1n : 0n
}

function scopesOf(held: readonly Order[]): readonly Scope[] {
  const scopes = new Set(held.map(({ customer }) => customer))
  return [...scopes]
    .map((scope) => ({ scope, ...amountsOf(held.filter(({ customer }) => customer === scope)) }))
    .filter(({ count }) => count > 0)
}

/** Reads a board by pages of some entries. */
async function boardOf({ orders }: Orders, query: { name: Board; where?: { channel: string } }, limit: number) {
  const found: NonNullable<Awaited<ReturnType<Orders['orders']['leaderboard']>>['entries']>[number][] = []
  let cursor: string | null = null
  do {
    const page = await orders.leaderboard({ ...query, limit, cursor })
    found.push(...(page.entries ?? expect.fail('not known')))
    cursor = page.cursors.next
  } while (cursor !== null)
  return found
}

test('boards by a sum and by an average are those of a sort in memory, by pages of any size', async () => {
  await using table = await openOrders(engine)
  const { lapidary } = table
  const random = seededRandom(seed)
  const held = [
    ...(await writeOrders(lapidary, random, 120)),
    // Ties, below and at 0.
    ...(await Promise.all(
      ['e', 'f', 'g', 'h', 'i', 'i'].map((customer, i) =>
        lapidary.orders.create({
          ...{ customer, channel: 'web', status: 'PAID', points: 1n },
          amount: ['-7.5', '-7.50', '0', '-7.51', '-3.75', '-3.75'][i] ?? '0',
        }),
      ),
    )),
  ]
  await untilCounted(lapidary, held)
  const byPaid = held.filter(({ status }) => status !== 'OPEN')
  for (const limit of [1, 3, 100]) {
    expect(await boardOf(lapidary, { name: 'by-revenue' }, limit)).toEqual(rankedBy(scopesOf(held), bySum))
    expect(await boardOf(lapidary, { name: 'by-paid' }, limit)).toEqual(rankedBy(scopesOf(byPaid), bySum))
    const average = await boardOf(lapidary, { name: 'by-average' }, limit)
    const rated = rankedBy(
      scopesOf(held).filter(({ count }) => count >= 3),
      byAverage,
    )
    expect(average.map(({ average: _, ...entry }) => entry)).toEqual(rated.map(({ sum: _, ...entry }) => entry))
    expect(average.map((entry) => unitsOf(String(entry.average)) * 10n ** 100n)).toEqual(rated.map(averageOf))
  }
  for (const channel of CHANNELS) {
    const own = held.filter((order) => order.channel === channel)
    const query = { name: 'by-revenue', where: { channel } } as const
    expect(await boardOf(lapidary, query, 2)).toEqual(rankedBy(scopesOf(own), bySum))
  }
  const units = await lapidary.orders.leaderboard({ name: 'by-units' })
  expect(units.entries?.every(({ sum }) => typeof sum === 'number')).toBe(true)
  expect(await lapidary.derived.verify()).toMatchObject({ differences: [] })
}, 300_000)

test('a board by a sum is another one than that of the same name by the count: unknown until it is made', async () => {
  await using table = await openOrders(engine)
  const { client, tableName, lapidary } = table
  const held = await writeOrders(lapidary, seededRandom(seed + 1), 30)
  await untilCounted(lapidary, held)
  const board = (by: object): typeof counted =>
    ({ ...counted, leaderboards: [{ name: 'top', where: {}, shards: 1, ...by }] }) as never
  const open = (by: object) =>
    createLapidary({
      ...{ client, tableName, cursorSecret: 'a secret of the tests', derived: { counts: true } },
      ...{ collections: { orders: board(by) }, stream: { immediate: true } },
    }) as unknown as Orders
  const top = { name: 'top' as Board }
  const average = { of: 'average', attribute: 'amount', atLeast: 1 }
  const scopesWith = (atLeast: number): number => scopesOf(held).filter(({ count }) => count >= atLeast).length
  const declared = [
    [{}, new Set(held.map(({ customer }) => customer)).size],
    [{ by: { ...average, of: 'sum' } }, scopesWith(1)],
    [{ by: average }, scopesWith(1)],
    [{ by: { ...average, atLeast: 2 } }, scopesWith(2)],
  ] as const
  for (const [by, scopes] of declared) {
    const other = open(by)
    expect((await other.orders.leaderboard(top)).entries).toBeNull()
    await other.derived.rebuild('leaderboards')
    const { entries } = await other.orders.leaderboard(top)
    expect(entries).toHaveLength(scopes)
  }
}, 300_000)
