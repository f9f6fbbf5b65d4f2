import { anyOf, defineCollection, oneOf } from 'lapidary'
import { seededRandom } from 'lapidary-testing'
import { z } from 'zod'

const TYPES = ['flat', 'house', 'studio'] as const
const STATUSES = ['free', 'let', 'reserved'] as const
// Counters would hold each combination of the values of ten facets. Columns hold each facet by itself.
const counted = false

/** Flats and houses by ten facets. */
export const listings = defineCollection({
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
/** Listings of one region, the oldest first. */
export const all = Array.from({ length: 6_000 }, (_, i) => {
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
