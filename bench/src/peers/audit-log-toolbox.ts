import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { Entity, item, PutItemCommand, string, Table } from 'dynamodb-toolbox'
import type { Store } from './domain.ts'
import { createPlainTable } from './plain-table.ts'
import type { AuditRow } from './rows.ts'
import { loadAll, pageOf } from './toolbox.ts'

export async function openAuditLog(client: DynamoDBClient, name: string): Promise<Store<AuditRow>> {
  await createPlainTable(client, name, 2)
  const key = (field: string) => ({ name: field, type: 'string' }) as const
  const table = new Table({
    ...{ name, documentClient: DynamoDBDocumentClient.from(client), partitionKey: key('pk'), sortKey: key('sk') },
    indexes: {
      gsi1: { type: 'global', partitionKey: key('gsi1pk'), sortKey: key('gsi1sk') },
      gsi2: { type: 'global', partitionKey: key('gsi2pk'), sortKey: key('gsi2sk') },
    },
  })
  const entries = new Entity({
    name: 'entry',
    table,
    schema: item({
      id: string().key(),
      scope: string(),
      at: string(),
      kind: string().enum('login', 'read', 'write', 'grant', 'export'),
      detail: string().optional(),
    }).and((prev) => ({
      gsi1pk: string().link<typeof prev>(({ scope }) => `AUDIT#${scope}`),
      gsi1sk: string().link<typeof prev>(({ at, id }) => `${at}#${id}`),
      gsi2pk: string().link<typeof prev>(({ scope, kind }) => `AUDIT#${scope}#${kind}`),
      gsi2sk: string().link<typeof prev>(({ at, id }) => `${at}#${id}`),
    })),
    computeKey: ({ id }) => ({ pk: `AUDIT#${id}`, sk: 'AUDIT' }),
  })
  return {
    create: (row) =>
      entries
        .build(PutItemCommand)
        .item(row)
        .options({ condition: { attr: 'id', exists: false } })
        .send(),
    load: (rows) => loadAll(table, entries, rows),
    page({ scope, where: { kind = [] }, from, to }, limit, cursor) {
      const isKey = kind.length === 1
      const index = isKey ? 'gsi2' : 'gsi1'
      const partition = isKey ? `AUDIT#${scope}#${kind[0]}` : `AUDIT#${scope}`
      return pageOf(table, entries, { index, partition, from, to, filters: { kind: isKey ? [] : kind } }, limit, cursor)
    },
  }
}
