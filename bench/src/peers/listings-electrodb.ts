import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { Entity } from 'electrodb'
import type { ListingRow, ListingStore, Search } from './listings-search.ts'
import { RANGED } from './listings-search.ts'
import { inDynamoForm } from './plain-table.ts'

export function openListings(client: DynamoDBClient, table: string) {
  const sk = <F extends string>(field: F) => ({ field, composite: ['at', 'id'] as const })
  const listings = new Entity(
    {
      model: { entity: 'listing', version: '1', service: 'portal' },
      attributes: {
        id: { type: 'string', required: true },
        scope: { type: 'string', required: true },
        at: { type: 'string', required: true },
        area: { type: 'string', required: true },
        price: { type: 'number', required: true },
        floorSize: { type: 'number', required: true },
        minutesToStation: { type: 'number', required: true },
        age: { type: 'number', required: true },
        type: { type: ['flat', 'house', 'studio'] as const, required: true },
        pets: { type: 'boolean', required: true },
        balcony: { type: 'boolean', required: true },
        agency: { type: 'string', required: true },
        status: { type: ['free', 'let', 'reserved'] as const, required: true },
        text: { type: 'string' },
      },
      indexes: {
        byId: { pk: { field: 'pk', composite: ['id'] }, sk: { field: 'sk', composite: [] } },
        byDate: { index: 'gsi1', pk: { field: 'gsi1pk', composite: ['scope'] }, sk: sk('gsi1sk') },
        byArea: { index: 'gsi2', pk: { field: 'gsi2pk', composite: ['scope', 'area'] }, sk: sk('gsi2sk') },
      },
    },
    { client, table },
  )
  const queryOf = (search: Search) => {
    const { scope, area, status, type, pets, outside, notOf = [] } = search
    const query = area === undefined ? listings.query.byDate({ scope }) : listings.query.byArea({ scope, area })
    return query.where((the, { eq, gte, lt, ne }) =>
      [
        ...(status === undefined ? [] : [eq(the.status, status)]),
        ...(type === undefined ? [] : [eq(the.type, type)]),
        ...(pets === undefined ? [] : [eq(the.pets, true)]),
        ...(outside === undefined ? [] : [`(${eq(the.type, 'house')} OR ${eq(the.balcony, true)})`]),
        ...notOf.map((agency) => ne(the.agency, agency)),
        ...RANGED.flatMap((name) => {
          const { from, to } = search[name] ?? {}
          return [
            ...(from === undefined ? [] : [gte(the[name], from)]),
            ...(to === undefined ? [] : [lt(the[name], to)]),
          ]
        }),
      ].join(' AND '),
    )
  }
  const store: ListingStore = {
    async page(search, limit, cursor) {
      const { scope: _, area: __, ...others } = search
      // ElectroDB reads `limit` items at once and returns `count` of those that pass the filter.
      const size = Object.keys(others).length > 0 ? { count: limit, limit: 100 } : { limit }
      const { data, cursor: next } = await queryOf(search).go({ order: 'desc', cursor: cursor ?? null, ...size })
      return { ids: data.map(({ id }) => id), next }
    },
    // It has no count: all that is in the list is read.
    count: async (search) => (await queryOf(search).go({ pages: 'all', attributes: ['id'] })).data.length,
  }
  return {
    store,
    create: (row: ListingRow) => listings.create(row).go(),
    stored: (row: ListingRow) => [inDynamoForm(listings.put(row).params().Item)],
  }
}
