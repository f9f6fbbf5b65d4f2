import type { Random } from '../random.ts'
import { pick } from '../random.ts'
import type { PeerPage } from './domain.ts'

/** A flat or house of a region. */
export interface ListingRow {
  readonly id: string
  readonly scope: string
  readonly at: string
  readonly area: string
  readonly price: number
  readonly floorSize: number
  readonly minutesToStation: number
  readonly age: number
  readonly type: 'flat' | 'house' | 'studio'
  readonly pets: boolean
  readonly balcony: boolean
  readonly agency: string
  readonly status: 'free' | 'let' | 'reserved'
  readonly text: string
}

/** From, inclusive, and to, exclusive. */
export interface Span {
  readonly from?: number
  readonly to?: number
}

/** The facets that are asked for by ranges. */
export const RANGED = ['price', 'floorSize', 'minutesToStation', 'age'] as const

/** The search form of a portal: what was filled in has to hold. */
export interface Search extends Readonly<Partial<Record<(typeof RANGED)[number], Span>>> {
  readonly scope: string
  readonly area?: string
  readonly status?: ListingRow['status']
  readonly type?: ListingRow['type']
  readonly pets?: true
  /** A house, or anything with a balcony. */
  readonly outside?: true
  readonly notOf?: readonly string[]
}

/** Listings, written as a user of one library or database would. */
export interface ListingStore {
  /** The newest first. */
  page(search: Search, limit: number, cursor: string | undefined): Promise<PeerPage>
  /** How many listings the search finds, exactly. */
  count(search: Search): Promise<number>
}

export const REGION = 'north'

/** The searches that every library is asked, by what they are called. */
export const SEARCHES: Readonly<Record<string, Search>> = {
  'of one area': { scope: REGION, area: 'area 7' },
  'free, four ranges': {
    ...{ scope: REGION, status: 'free', price: { from: 400, to: 1_000 }, floorSize: { from: 50 } },
    ...{ minutesToStation: { to: 10 }, age: { to: 15 } },
  },
  'the same, of one area': {
    ...{ scope: REGION, area: 'area 7', status: 'free', price: { from: 400, to: 1_000 }, floorSize: { from: 50 } },
    ...{ minutesToStation: { to: 10 }, age: { to: 15 } },
  },
  'with OR and NOT': {
    ...{ scope: REGION, pets: true, outside: true, floorSize: { from: 100 }, minutesToStation: { to: 4 } },
    notOf: ['agency 3', 'agency 4'],
  },
  'eight facets': {
    ...{ scope: REGION, status: 'free', type: 'house', pets: true, outside: true, price: { to: 1_500 } },
    ...{ floorSize: { from: 80 }, minutesToStation: { to: 8 }, age: { to: 20 } },
  },
}

/** Tells whether a search finds a listing: the naive answer that all others are compared with. */
export function isFound(row: ListingRow, search: Search): boolean {
  const { scope, area, status, type, pets, outside, notOf = [] } = search
  return (
    row.scope === scope &&
    (area === undefined || row.area === area) &&
    (status === undefined || row.status === status) &&
    (type === undefined || row.type === type) &&
    (pets === undefined || row.pets) &&
    (outside === undefined || row.type === 'house' || row.balcony) &&
    !notOf.includes(row.agency) &&
    RANGED.every((name) => {
      const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = search[name] ?? {}
      return row[name] >= from && row[name] < to
    })
  )
}

const TYPES = [
  ['flat', 0.6],
  ['house', 0.25],
  ['studio', 0.15],
] as const
const STATUSES = [
  ['free', 0.5],
  ['let', 0.35],
  ['reserved', 0.15],
] as const
const TEXT = 'x'.repeat(220)

/** Listings of one region over a year, the oldest first: prices follow size and distance, and some areas have most. */
export function listingRows(count: number, random: Random): readonly ListingRow[] {
  const upTo = (most: number): number => Math.floor(random() * most)
  return Array.from({ length: count }, (_, i) => {
    const type = pick(TYPES, random)
    const floorSize = type === 'studio' ? 18 + upTo(20) : 30 + upTo(type === 'house' ? 170 : 90)
    const minutesToStation = 1 + Math.floor(30 * random() ** 2)
    return {
      ...{ id: String(i).padStart(8, '0'), scope: REGION, type, floorSize, minutesToStation, text: TEXT },
      at: new Date(Date.UTC(2025, 0, 1) + Math.floor((i / count) * 365 * 86_400_000)).toISOString(),
      ...{ area: `area ${Math.floor(40 * random() ** 2)}`, age: upTo(60), agency: `agency ${upTo(80)}` },
      price: Math.round(floorSize * (12 - minutesToStation / 6) + upTo(300)),
      ...{ pets: random() < 0.3, balcony: random() < 0.5, status: pick(STATUSES, random) },
    }
  })
}
