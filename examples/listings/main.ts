/**
 * Flats and houses of a region: ten facets, four of which are asked for by ranges, and any of them together. An index answers what
 * everybody asks (an area); columns answer the rest, count each value beside the search and number its pages. No facet has an index of
 * its own, so none costs a write.
 */
import { anyOf, defineCollection, oneOf } from 'lapidary'
import { importItems } from 'lapidary/transfer'
import { seededRandom } from 'lapidary-testing'
import { z } from 'zod'
import { openExample, show, showFigures, showPage, tally } from '../example.ts'

const TYPES = ['flat', 'house', 'studio'] as const
const STATUSES = ['free', 'let', 'reserved'] as const
// Counters would hold each combination of the values of ten facets. Columns hold each facet by itself.
const counted = false

const listings = defineCollection({
  name: 'LISTING',
  schema: z.object({
    ...{ id: z.string(), region: z.string(), listedAt: z.string(), title: z.string() },
    ...{ area: z.string(), price: z.number(), floorSize: z.number(), minutesToStation: z.number(), age: z.number() },
    ...{ type: z.enum(TYPES), pets: z.boolean(), balcony: z.boolean(), agency: z.string(), status: z.enum(STATUSES) },
  }),
  id: 'id',
  scope: { name: 'REGION', attribute: 'region' },
  order: 'listedAt',
  facets: {
    area: anyOf('string'),
    price: anyOf('number', { counted }),
    floorSize: anyOf('number', { counted }),
    minutesToStation: anyOf('number', { counted }),
    age: anyOf('number', { counted }),
    type: anyOf(TYPES, { counted }),
    pets: oneOf('boolean', { counted }),
    balcony: oneOf('boolean', { counted }),
    agency: anyOf('string', { counted }),
    status: anyOf(STATUSES, { counted }),
  },
  indexes: { all: {}, byArea: { partition: ['area'] } },
  itemBytes: 250,
})

const random = seededRandom(26)
const upTo = (most: number): number => Math.floor(random() * most)
const all = Array.from({ length: 6_000 }, (_, i) => {
  const type = TYPES[upTo(5)] ?? 'flat'
  const floorSize = type === 'studio' ? 18 + upTo(20) : 30 + upTo(type === 'house' ? 170 : 90)
  const minutesToStation = 1 + Math.floor(30 * random() ** 2)
  return {
    ...{ id: `l${10_000 + i}`, region: 'north', title: `Bright rooms near the park, free soon, ${i}` },
    listedAt: new Date(Date.UTC(2026, 0, 1) + i * 876_543).toISOString(),
    ...{ area: `area ${Math.floor(20 * random() ** 2)}`, type, floorSize, minutesToStation, age: upTo(60) },
    price: Math.round(floorSize * (12 - minutesToStation / 6) + upTo(300)),
    ...{ pets: random() < 0.3, balcony: random() < 0.5, agency: `agency ${upTo(80)}` },
    status: STATUSES[upTo(6)] ?? 'free',
  }
})
type Listing = (typeof all)[number]
const expected = (passes: (listing: Listing) => boolean): Listing[] => all.toReversed().filter(passes)

const derived = { counts: true, columns: true }
await using database = await openExample({ listings }, { derived, stream: { immediate: true } })
const { lapidary } = database
// One scan makes what is derived of all items. Afterwards it follows the change stream.
await importItems(lapidary.listings, all, { derived: 'now' })
console.log(`${all.length} listings of one region, ten facets, two indexes`)

await show(
  'Of one area: the list of the area',
  (cursor) => lapidary.listings.list({ scope: 'north', where: { area: 'area 7' }, cursor }),
  expected(({ area }) => area === 'area 7'),
)

const wanted = {
  status: 'free',
  price: { from: 400, to: 1_000 },
  floorSize: { from: 50 },
  minutesToStation: { to: 10 },
  age: { to: 15 },
} as const
const isWanted = ({ status, price, floorSize, minutesToStation, age }: Listing): boolean =>
  status === 'free' && price >= 400 && price < 1_000 && floorSize >= 50 && minutesToStation < 10 && age < 15
const found = expected(isWanted)

await show(
  'Free, 400 to 1,000, at least 50 m², less than ten minutes to the station, younger than 15 years: five columns',
  (cursor) => lapidary.listings.list({ scope: 'north', where: wanted, cursor }),
  found,
)
const besideStatus = expected((listing) => isWanted({ ...listing, status: 'free' }))
await showFigures(
  'How many these are, and how many of each type, with pets or without, and of each status if another were asked for',
  lapidary.listings.count({ scope: 'north', where: wanted, by: ['type', 'pets', 'status'] }),
  ({ total, facets }) => ({ total, ...facets }),
  {
    total: found.length,
    type: tally(found, ({ type }) => type),
    pets: tally(found, ({ pets }) => pets),
    status: tally(besideStatus, ({ status }) => status),
  },
)
await showPage('Their second page, by its number', lapidary.listings.page(2, { scope: 'north', where: wanted }), {
  items: found.slice(20, 40),
  total: found.length,
})
await show(
  'A house or a balcony, pets allowed, 100 m² or more, less than five minutes to the station, not of two agencies',
  (cursor) =>
    lapidary.listings.list({
      ...{ scope: 'north', cursor },
      where: {
        ...{ pets: true, floorSize: { from: 100 }, minutesToStation: { to: 5 } },
        OR: [{ type: 'house' }, { balcony: true }],
        NOT: { agency: ['agency 3', 'agency 4'] },
      },
    }),
  expected(
    ({ pets, floorSize, minutesToStation, type, balcony, agency }) =>
      pets &&
      floorSize >= 100 &&
      minutesToStation < 5 &&
      (type === 'house' || balcony) &&
      !['agency 3', 'agency 4'].includes(agency),
  ),
)

const [newest] = found
if (newest === undefined) throw new Error('no listing was found')
await lapidary.listings.patch(newest.id, { status: 'reserved' })
await lapidary.stream.catchUp()
await show(
  'The newest of them is reserved now, and the next one has taken its place',
  (cursor) => lapidary.listings.list({ scope: 'north', where: wanted, cursor }),
  found.slice(1),
)
