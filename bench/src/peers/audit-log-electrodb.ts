import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { Entity } from 'electrodb'
import { NOW, type Store } from './domain.ts'
import { anyClause } from './electrodb.ts'
import { createPlainTable, inDynamoForm } from './plain-table.ts'
import type { AuditRow } from './rows.ts'

const KINDS = ['login', 'read', 'write', 'grant', 'export'] as const

export function openAuditLog(client: DynamoDBClient, table: string): Store<AuditRow> {
  const entries = new Entity(
    {
      model: { entity: 'entry', version: '1', service: 'audit' },
      attributes: {
        id: { type: 'string', required: true },
        scope: { type: 'string', required: true },
        at: { type: 'string', required: true },
        kind: { type: KINDS, required: true },
        // In seconds, as DynamoDB's expiry wants it.
        ttl: { type: 'number', required: true },
        detail: { type: 'string' },
      },
      indexes: {
        byId: { pk: { field: 'pk', composite: ['id'] }, sk: { field: 'sk', composite: [] } },
        byDate: {
          index: 'gsi1',
          pk: { field: 'gsi1pk', composite: ['scope'] },
          sk: { field: 'gsi1sk', composite: ['at', 'id'] },
        },
        byKind: {
          index: 'gsi2',
          pk: { field: 'gsi2pk', composite: ['scope', 'kind'] },
          sk: { field: 'gsi2sk', composite: ['at', 'id'] },
        },
      },
    },
    { client, table },
  )
  const creation = ({ expiresAt, ...row }: AuditRow) => entries.create({ ...row, ttl: Date.parse(expiresAt) / 1000 })
  return {
    createTable: () => createPlainTable(client, table, 2),
    create: (row) => creation(row).go(),
    stored: (row) => [inDynamoForm(creation(row).params<{ Item: object }>().Item)],
    async page({ scope = '', where: { kind = [] }, from = '0', to = '9' }, limit, cursor) {
      const [only, ...more] = kind as AuditRow['kind'][]
      const isKey = only !== undefined && more.length === 0
      const range = [{ at: String(from) }, { at: String(to) }] as const
      const query = isKey
        ? entries.query.byKind({ scope, kind: only }).between(...range)
        : entries.query.byDate({ scope }).between(...range)
      // ElectroDB reads `limit` items at once and returns `count` of those that pass the filter; expired ones are rare.
      const { data, cursor: next } = await query
        .where((the, { gt }) => gt(the.ttl, NOW / 1000))
        .where((the, { eq }) =>
          anyClause(more.length === 0 ? [] : kind.map((value) => eq(the.kind, value as AuditRow['kind']))),
        )
        .go({ order: 'desc', cursor: cursor ?? null, count: limit, limit: more.length === 0 ? limit : 100 })
      return { ids: data.map(({ id }) => id), next }
    },
  }
}
