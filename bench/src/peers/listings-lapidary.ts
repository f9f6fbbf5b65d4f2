import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { anyOf, createLapidary, defineCollection, oneOf } from 'lapidary'
import { z } from 'zod'
import type { ListingStore, Search } from './listings-search.ts'

const TYPES = ['flat', 'house', 'studio'] as const
const STATUSES = ['free', 'let', 'reserved'] as const
const counted = false

const listings = defineCollection({
  name: 'LISTING',
  schema: z.object({
    ...{ id: z.string(), scope: z.string(), at: z.string(), text: z.string(), area: z.string(), agency: z.string() },
    ...{ price: z.number(), floorSize: z.number(), minutesToStation: z.number(), age: z.number() },
    ...{ type: z.enum(TYPES), pets: z.boolean(), balcony: z.boolean(), status: z.enum(STATUSES) },
  }),
  id: 'id',
  scope: { name: 'REGION', attribute: 'scope' },
  order: 'at',
  facets: {
    area: oneOf(),
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
})

/** Opens the listings of a table, with lists and columns. */
export function openDatabase(client: DynamoDBClient, tableName: string) {
  const cursorSecret = 'a secret of the bench'
  const derived = { counts: true, columns: true }
  const options = { client, tableName, cursorSecret, derived, stream: { immediate: true } }
  return createLapidary({ ...options, collections: { listings } })
}

export function listingStore({ listings }: ReturnType<typeof openDatabase>): ListingStore {
  return {
    async page(search, limit, cursor) {
      const query = { scope: search.scope, where: whereOf(search), limit, cursor, counts: false }
      const { items, cursors } = await listings.list(query)
      return { ids: items.map(({ id }) => id), next: cursors.next }
    },
    async count(search) {
      const { total } = await listings.count({ scope: search.scope, where: whereOf(search), by: [] })
      return total ?? Number.NaN
    },
  }
}

function whereOf({ scope: _, outside, notOf, ...where }: Search) {
  return {
    ...where,
    ...(outside === undefined ? {} : { OR: [{ type: 'house' } as const, { balcony: true }] }),
    ...(notOf === undefined ? {} : { NOT: { agency: notOf } }),
  }
}
