import fc from 'fast-check'
import { anyOf, eachOf, oneOf } from 'lapidary'
import { chosenSeed } from 'lapidary-testing'
import { expect, test } from 'vitest'
import { memoryNodes } from '../../../test/pages/memory-nodes.ts'
import type { Condition, Term } from '../../model/condition.ts'
import type { FacetValue } from '../../model/facet.ts'
import { facetText } from '../../model/query.ts'
import { comparePlaces, type Place, placeText } from '../place.ts'
import type { ListChange } from '../sorted-lists.ts'
import type { ColumnFacet } from './column-cells.ts'
import type { ColumnSizes } from './column-sizes.ts'
import { type OpenColumns, openColumns } from './open-columns.ts'

const seed = chosenSeed(process.env.FC_SEED)
/** Blocks of a few rows, each with some that are not in its columns yet. */
const SMALL: ColumnSizes = {
  ...{ blockRows: 5, blockBytes: 1_000, columnBytes: 400, buriedBytes: 60 },
  ...{ deltaBytes: 60, chunkBytes: 40, mostChunks: 5 },
}
const FACETS: readonly ColumnFacet[] = [
  { name: 'city', facet: oneOf() },
  { name: 'price', facet: anyOf('number', { optional: true }) },
  { name: 'tags', facet: eachOf('string') },
]
const TEXTS = {
  city: ['Bonn', 'Ulm', 'a/b#c'].map(facetText),
  price: [1, 2.25, -7, 1_000_000, null].map(facetText),
  tags: ['', 'a', 'a/b', 'b/c'],
}
const VALUES: Readonly<Record<string, readonly FacetValue[]>> = {
  city: ['Bonn', 'Ulm', 'a/b#c', 'Rom'],
  price: [1, 2.25, -7, 1_000_000, null],
  tags: ['a', 'b', 'c'],
}

/** Some entries that are there at the end, by the order in which they came. */
interface Row {
  readonly score: number
  readonly texts: readonly [string, string, string]
}

const row: fc.Arbitrary<Row> = fc.record({
  score: fc.integer({ min: 0, max: 60 }),
  texts: fc.tuple(fc.constantFrom(...TEXTS.city), fc.constantFrom(...TEXTS.price), fc.constantFrom(...TEXTS.tags)),
})
const term: fc.Arbitrary<Term> = fc
  .constantFrom('city', 'price', 'tags')
  .chain((facet) =>
    fc
      .uniqueArray(fc.constantFrom(...(VALUES[facet] as readonly FacetValue[])), { minLength: 1, maxLength: 3 })
      .map((wanted) => ({ facet, wanted })),
  )
const literal: fc.Arbitrary<Condition> = fc.oneof(
  term,
  term.map((not) => ({ not })),
)
const condition: fc.Arbitrary<Condition> = fc.oneof(
  literal,
  fc.array(literal, { maxLength: 3 }).map((all) => ({ all })),
  fc.array(literal, { minLength: 1, maxLength: 3 }).map((any) => ({ any })),
  fc.tuple(literal, literal, literal).map(([a, b, c]) => ({ all: [a, { any: [b, c] }] })),
)

/** The values that the texts of a row stand for, by hand. */
function valuesOf(facet: string, [city, price, tags]: Row['texts']): readonly FacetValue[] {
  if (facet === 'city') return [decodeURIComponent(city)]
  if (facet === 'price') return [price === facetText(null) ? null : Number(decodeURIComponent(price))]
  return tags === '' ? [] : tags.split('/')
}

function isMet(asked: Condition, texts: Row['texts']): boolean {
  if ('not' in asked) return !isMet(asked.not, texts)
  if ('all' in asked) return asked.all.every((each) => isMet(each, texts))
  if ('any' in asked) return asked.any.some((each) => isMet(each, texts))
  const wanted = asked.wanted as readonly FacetValue[]
  return valuesOf(asked.facet, texts).some((value) => wanted.includes(value))
}

const placeOf = ({ score }: Row): Place => ({ score, member: `m${score}` })

async function columnsOf(rows: readonly Row[]): Promise<OpenColumns> {
  const waiting = { random: () => 0.5, sleep: async () => undefined }
  const options = { namespace: 'T', waiting, clock: () => 0, facets: FACETS, sizes: SMALL }
  const columns = openColumns(memoryNodes({ limits: { nodes: 90 } }), options)
  await columns.create()
  for (const [i, each] of rows.entries()) {
    const change: ListChange = {
      sequenceNumber: String(1_000 + i),
      steps: [{ op: 'add', group: '42', cell: each.texts.join('#'), place: placeOf(each) }],
    }
    await columns.apply('shard', [change])
  }
  return columns
}

test('any condition gives the entries that meet it, in order, and counts each text of them, as the naive way does', async () => {
  const drawn = fc.record({
    rows: fc.array(row, { maxLength: 60 }),
    asked: fc.array(
      fc.record({
        condition,
        other: condition,
        lower: fc.option(fc.integer({ min: -1, max: 61 }), { nil: undefined }),
        upper: fc.option(fc.integer({ min: -1, max: 61 }), { nil: undefined }),
        ascending: fc.boolean(),
        offset: fc.constantFrom(0, 1, 4),
        size: fc.constantFrom(1, 3, 100),
        blocks: fc.constantFrom(undefined, 1, 2),
      }),
      { minLength: 1, maxLength: 5 },
    ),
  })
  await fc.assert(
    fc.asyncProperty(drawn, async ({ rows, asked }) => {
      // An entry that comes again has the values that it came with last.
      const there = [...new Map(rows.map((each) => [each.score, each])).values()].sort((a, b) => a.score - b.score)
      const columns = await columnsOf(rows)
      for (const { condition: wanted, other, lower, upper, ascending, offset, size, blocks } of asked) {
        const bounds = {
          lower: lower === undefined ? undefined : { score: lower, member: '' },
          upper: upper === undefined ? undefined : { score: upper, member: '' },
        }
        const inRange = there.filter(
          (each) =>
            (bounds.lower === undefined || comparePlaces(placeOf(each), bounds.lower) >= 0) &&
            (bounds.upper === undefined || comparePlaces(placeOf(each), bounds.upper) < 0),
        )
        const expected = inRange.filter(({ texts }) => isMet(wanted, texts))
        const ordered = ascending ? expected : expected.toReversed()
        const found = await columns.search({
          group: '42',
          condition: wanted,
          ...bounds,
          ascending,
          offset,
          size,
          blocks,
        })
        const places = ordered.slice(offset, offset + size).map((each) => placeText(placeOf(each)))
        expect(found.places.map(placeText)).toEqual(places)
        if (blocks === undefined) expect(found.total).toBe(expected.length)
        expect([undefined, expected.length]).toContain(found.total)
        expect(found.isCut).toBe(false)
        const by = FACETS.map(({ name }) => ({ facet: name, condition: other }))
        const tally = await columns.tally({ group: '42', condition: wanted, ...bounds, by })
        expect(tally.total).toBe(expected.length)
        const among = inRange.filter(({ texts }) => isMet(other, texts))
        tally.counts.forEach((counts, i) => {
          const naive = new Map<string, number>()
          for (const { texts } of among) naive.set(texts[i] as string, (naive.get(texts[i] as string) ?? 0) + 1)
          expect(new Map([...counts].sort())).toEqual(new Map([...naive].sort()))
        })
      }
    }),
    { seed, numRuns: 60 },
  )
}, 120_000)

/** Twelve blocks of rows, of which the oldest alone are in Ulm. */
const LONG = Array.from({ length: 60 }, (_, score): Row => ({ score, texts: [score < 3 ? 'Ulm' : 'Bonn', '1', ''] }))

test('a search reads more blocks the less it finds, and none beyond what it may take', async () => {
  const columns = await columnsOf(LONG)
  const asked = { group: '42', lower: undefined, upper: undefined, ascending: false, offset: 0, size: 2, blocks: 1 }
  const near = await columns.search({ ...asked, condition: { facet: 'city', wanted: ['Bonn'] } })
  const far = await columns.search({ ...asked, condition: { facet: 'city', wanted: ['Ulm'] } })
  expect(far.places.map(({ score }) => score)).toEqual([2, 1])
  expect(near).toMatchObject({ total: undefined, isCut: false })
  expect(far.requests).toBeGreaterThan(near.requests ?? 0)
  // One block, then four times as many, and the rest; and one for the places.
  expect(far.rounds).toBeLessThanOrEqual(6)
  const cut = await columns.search({ ...asked, condition: { facet: 'city', wanted: ['Ulm'] }, mostRcu: near.rcu })
  expect(cut).toMatchObject({ places: [], total: undefined, isCut: true })
  const free = await columns.search({ ...asked, condition: { facet: 'city', wanted: ['Bonn'] }, mostRcu: 0 })
  expect(free).toMatchObject({ isCut: false })
  expect(free.places).toHaveLength(2)
})
