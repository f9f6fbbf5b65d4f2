import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { Entity } from 'electrodb'
import type { Store } from './domain.ts'
import { anyClause } from './electrodb.ts'
import { createPlainTable } from './plain-table.ts'
import type { AuditRow } from './rows.ts'

const KINDS = ['login', 'read', 'write', 'grant', 'export'] as const

export async function openAuditLog(client: DynamoDBClient, table: string): Promise<Store<AuditRow>> {
  await createPlainTable(client, table, 2)
  const entries = new Entity(
    {
      model: { entity: 'entry', version: '1', service: 'audit' },
      attributes: {
        id: { type: 'string', required: true },
        scope: { type: 'string', required: true },
        at: { type: 'string', required: true },
        kind: { type: KINDS, required: true },
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
  return {
    create: (row) => entries.create(row).go(),
    load: (rows) => entries.put([...rows]).go({ concurrency: 4 }),
    async page({ scope, where: { kind = [] }, from = '0', to = '9' }, limit, cursor) {
      const [only, ...more] = kind as AuditRow['kind'][]
      // Of what a filter lets through `count` are given, of `limit` that are read at once.
      const size = more.length > 0 ? { count: limit, limit: 100 } : { limit }
      const options = { order: 'desc', cursor: cursor ?? null, ...size } as const
      const range = [{ at: from }, { at: to }] as const
      const { data, cursor: next } =
        only !== undefined && more.length === 0
          ? await entries.query
              .byKind({ scope, kind: only })
              .between(...range)
              .go(options)
          : await entries.query
              .byDate({ scope })
              .between(...range)
              .where((the, { eq }) => anyClause((kind as AuditRow['kind'][]).map((value) => eq(the.kind, value))))
              .go(options)
      return { ids: data.map(({ id }) => id), next }
    },
  }
}
