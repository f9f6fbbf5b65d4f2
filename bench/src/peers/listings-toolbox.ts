import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { boolean, type Condition, Entity, item, number, PutItemCommand, string, Table } from 'dynamodb-toolbox'
import type { ListingRow, ListingStore, Search } from './listings-search.ts'
import { RANGED } from './listings-search.ts'
import { inDynamoForm } from './plain-table.ts'
import { pageOf } from './toolbox.ts'
import { countOf } from './toolbox-count.ts'

export function openListings(client: DynamoDBClient, name: string) {
  const key = (field: string) => ({ name: field, type: 'string' }) as const
  const table = new Table({
    ...{ name, documentClient: DynamoDBDocumentClient.from(client), partitionKey: key('pk'), sortKey: key('sk') },
    indexes: {
      gsi1: { type: 'global', partitionKey: key('gsi1pk'), sortKey: key('gsi1sk') },
      gsi2: { type: 'global', partitionKey: key('gsi2pk'), sortKey: key('gsi2sk') },
    },
  })
  const listings = new Entity({
    name: 'listing',
    table,
    schema: item({
      id: string().key(),
      scope: string(),
      at: string(),
      area: string(),
      price: number(),
      floorSize: number(),
      minutesToStation: number(),
      age: number(),
      type: string().enum('flat', 'house', 'studio'),
      pets: boolean(),
      balcony: boolean(),
      agency: string(),
      status: string().enum('free', 'let', 'reserved'),
      text: string().optional(),
    }).and((prev) => ({
      gsi1pk: string().link<typeof prev>(({ scope }) => `LISTING#${scope}`),
      gsi1sk: string().link<typeof prev>(({ at, id }) => `${at}#${id}`),
      gsi2pk: string().link<typeof prev>(({ scope, area }) => `LISTING#${scope}#${area}`),
      gsi2sk: string().link<typeof prev>(({ at, id }) => `${at}#${id}`),
    })),
    computeKey: ({ id }) => ({ pk: `LISTING#${id}`, sk: 'LISTING' }),
  })
  const lookup = ({ scope, area }: Search) =>
    area === undefined
      ? { index: 'gsi1', partition: `LISTING#${scope}` }
      : { index: 'gsi2', partition: `LISTING#${scope}#${area}` }
  const filtersOf = (search: Search): Condition[] => {
    const { status, type, pets, outside, notOf = [] } = search
    return [
      ...(status === undefined ? [] : [{ attr: 'status', eq: status }]),
      ...(type === undefined ? [] : [{ attr: 'type', eq: type }]),
      ...(pets === undefined ? [] : [{ attr: 'pets', eq: true }]),
      ...(outside === undefined
        ? []
        : [
            {
              or: [
                { attr: 'type', eq: 'house' },
                { attr: 'balcony', eq: true },
              ],
            },
          ]),
      ...notOf.map((agency) => ({ attr: 'agency', ne: agency })),
      ...RANGED.flatMap((attr) => {
        const { from, to } = search[attr] ?? {}
        return [...(from === undefined ? [] : [{ attr, gte: from }]), ...(to === undefined ? [] : [{ attr, lt: to }])]
      }),
    ]
  }
  const store: ListingStore = {
    page: (search, limit, cursor) =>
      pageOf(
        table,
        listings,
        { ...lookup(search), from: undefined, to: undefined, filters: filtersOf(search) },
        ...([limit, cursor] as const),
      ),
    count: (search) => countOf(table, listings, { ...lookup(search), filters: filtersOf(search) }),
  }
  const put = (row: ListingRow) => listings.build(PutItemCommand).item(row)
  return {
    store,
    create: (row: ListingRow) =>
      put(row)
        .options({ condition: { attr: 'id', exists: false } })
        .send(),
    stored: (row: ListingRow) => [inDynamoForm(put(row).params().Item ?? {})],
  }
}
