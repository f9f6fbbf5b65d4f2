import fc from 'fast-check'
import { chosenSeed, seededRandom } from 'lapidary-testing'
import { expect, test } from 'vitest'
import { selectRankAfar } from './selection.ts'

const seed = chosenSeed(process.env.FC_SEED)
console.log(`FC_SEED=${seed}`)

/** The entry of a rank, and how many pivots it took. */
async function selected(lists: readonly (readonly number[])[], rank: number) {
  let pivots = 0
  const entry = await selectRankAfar(
    {
      sizes: lists.map((list) => list.length),
      at: async (list, at) => lists[list]?.[at] as number,
      async ranks(place) {
        pivots++
        return lists.map((list) => list.filter((each) => each < place).length)
      },
    },
    rank,
  )
  return { entry, pivots }
}

test('the entry of any rank is found in a bounded number of looks, however lists are mixed', async () => {
  const mixed = fc
    .uniqueArray(fc.oneof(fc.integer({ min: 0, max: 99 }), fc.double({ min: 0, max: 1e12, noNaN: true })), {
      minLength: 1,
      maxLength: 120,
    })
    .chain((entries) =>
      fc.record({
        entries: fc.constant(entries.toSorted((a, b) => a - b)),
        // In runs, so that lists are one behind the other too.
        owners: fc.array(fc.record({ list: fc.nat({ max: 3 }), run: fc.integer({ min: 1, max: 60 }) }), {
          minLength: 1,
        }),
      }),
    )
  await fc.assert(
    fc.asyncProperty(mixed, async ({ entries, owners }) => {
      const lists: number[][] = [[], [], [], []]
      const runs = owners.flatMap(({ list, run }) => Array.from({ length: run }, () => list))
      for (const [i, entry] of entries.entries()) lists[runs[i % runs.length] ?? 0]?.push(entry)
      for (const [rank, entry] of entries.entries()) {
        const found = await selected(lists, rank)
        expect(found.entry).toBe(entry)
        expect(found.pivots).toBeLessThanOrEqual(1 + 2 * lists.length * (1 + Math.log(entries.length)))
      }
    }),
    { seed, numRuns: 60 },
  )
})

test('of lists that are mixed evenly it takes few looks', async () => {
  const random = seededRandom(seed)
  const lists = [20_000, 5_000, 30].map((size) => Array.from({ length: size }, random).sort((a, b) => a - b))
  const all = lists.flat().sort((a, b) => a - b)
  for (const rank of [0, 1, 700, 12_515, 25_000, all.length - 1]) {
    const { entry, pivots } = await selected(lists, rank)
    expect(entry).toBe(all[rank])
    expect(pivots).toBeLessThanOrEqual(12)
  }
})

test('one list takes one look', async () => {
  expect(await selected([[1, 2, 3, 5, 8, 13, 21]], 5)).toEqual({ entry: 13, pivots: 1 })
})

test('lists that change meanwhile end the search too', async () => {
  const random = seededRandom(seed)
  const sizes = [700, 300, 1]
  for (let rank = 0; rank < 1_001; rank += 50) {
    const ranks = async () => sizes.map((size) => Math.round(random() * (size + 2)) - 1)
    const [list, at] = await selectRankAfar({ sizes, at: async (list, at) => [list, at] as const, ranks }, rank)
    expect(at).toBeLessThan(sizes[list] ?? 0)
  }
})
