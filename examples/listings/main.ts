/**
 * Flats and houses of a region: ten facets, four of which are asked for by ranges, and any of them together. An index answers what
 * everybody asks (an area); columns answer the rest, count each value beside the search and number its pages. No facet has an index of
 * its own, so none costs a write.
 */
import { importItems } from 'lapidary/transfer'
import { openExample, show, showFigures, showPage, tally } from '../example.ts'
import { all, listings } from './listings.ts'

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
