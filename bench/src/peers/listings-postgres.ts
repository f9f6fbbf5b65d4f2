import type { Client } from 'pg'
import { type ListingRow, type ListingStore, RANGED, type Search } from './listings-search.ts'

const COLUMNS = {
  ...{ id: 'text', scope: 'text', at: 'timestamptz', area: 'text', price: 'int', floorSize: 'int' },
  ...{ minutesToStation: 'int', age: 'int', type: 'text', pets: 'boolean', balcony: 'boolean', agency: 'text' },
  ...{ status: 'text', text: 'text' },
}

/** The indexes that a user would make, by what they are called. */
const INDEXES = {
  /** The order of the list, and each facet that is asked for: the planner intersects bitmaps. */
  'B-trees': (table: string) => [
    `CREATE INDEX ON ${table} (scope, at, id)`,
    `CREATE INDEX ON ${table} (scope, area, at, id)`,
    ...['status', ...RANGED].map((name) => `CREATE INDEX ON ${table} (scope, "${name}")`),
  ],
  /** One inverted index of all facets, as `btree_gin` makes it of scalars. */
  GIN: (table: string) => [
    'CREATE EXTENSION IF NOT EXISTS btree_gin',
    `CREATE INDEX ON ${table} (scope, at, id)`,
    `CREATE INDEX ON ${table} USING gin (scope, area, status, type, pets, balcony, agency, ${RANGED.map((name) => `"${name}"`).join()})`,
  ],
} as const

export async function createListings(
  client: Client,
  indexes: keyof typeof INDEXES,
  rows: readonly ListingRow[],
): Promise<ListingStore> {
  const table = `listings_${indexes.toLowerCase().replace('-', '_')}`
  const names = Object.keys(COLUMNS)
  const columns = Object.entries(COLUMNS).map(([name, type]) => `"${name}" ${type} NOT NULL`)
  await client.query(`CREATE TABLE ${table} (${columns.join()}, PRIMARY KEY (id))`)
  // Each column is one array: a thousand rows are one statement.
  const insert = `INSERT INTO ${table} SELECT * FROM unnest(${Object.values(COLUMNS)
    .map((type, i) => `$${i + 1}::${type}[]`)
    .join()})`
  for (let i = 0; i < rows.length; i += 1_000) {
    const some = rows.slice(i, i + 1_000)
    await client.query(
      insert,
      names.map((name) => some.map((row) => row[name as keyof ListingRow])),
    )
  }
  for (const statement of INDEXES[indexes](table)) await client.query(statement)
  await client.query(`VACUUM ANALYZE ${table}`)
  return {
    async page(search, limit, cursor) {
      const values: unknown[] = []
      const conditions = conditionsOf(search, values)
      if (cursor !== undefined) {
        const [at, id] = cursor.split('#')
        conditions.push(`(at, id) < ($${values.push(at)}, $${values.push(id)})`)
      }
      const found = await client.query<{ id: string; at: Date }>(
        `SELECT * FROM ${table} WHERE ${conditions.join(' AND ')} ORDER BY at DESC, id DESC LIMIT $${values.push(limit)}`,
        values,
      )
      const last = found.rows.at(-1)
      const isEnd = last === undefined || found.rows.length < limit
      return { ids: found.rows.map(({ id }) => id), next: isEnd ? null : `${last.at.toISOString()}#${last.id}` }
    },
    async count(search) {
      const values: unknown[] = []
      const conditions = conditionsOf(search, values)
      const { rows: counted } = await client.query<{ count: string }>(
        `SELECT count(*) FROM ${table} WHERE ${conditions.join(' AND ')}`,
        values,
      )
      return Number(counted[0]?.count)
    },
  }
}

function conditionsOf(search: Search, values: unknown[]): string[] {
  const { scope, area, status, type, pets, outside, notOf } = search
  const equal = Object.entries({ scope, area, status, type, pets }).filter(([, value]) => value !== undefined)
  return [
    ...equal.map(([name, value]) => `${name} = $${values.push(value)}`),
    ...(outside === undefined ? [] : [`(type = 'house' OR balcony)`]),
    ...(notOf === undefined ? [] : [`agency <> ALL($${values.push(notOf)})`]),
    ...RANGED.flatMap((name) => {
      const { from, to } = search[name] ?? {}
      return [
        ...(from === undefined ? [] : [`"${name}" >= $${values.push(from)}`]),
        ...(to === undefined ? [] : [`"${name}" < $${values.push(to)}`]),
      ]
    }),
  ]
}
