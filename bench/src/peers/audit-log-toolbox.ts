import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { Entity, item, number, PutItemCommand, string, Table } from 'dynamodb-toolbox'
import { NOW, type Store } from './domain.ts'
import { createPlainTable, inDynamoForm } from './plain-table.ts'
import type { AuditRow } from './rows.ts'
import { oneOfThese, pageOf } from './toolbox.ts'

export function openAuditLog(client: DynamoDBClient, name: string): Store<AuditRow> {
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
      // In seconds, as DynamoDB's expiry wants it.
      ttl: number(),
      detail: string().optional(),
    }).and((prev) => ({
      gsi1pk: string().link<typeof prev>(({ scope }) => `AUDIT#${scope}`),
      gsi1sk: string().link<typeof prev>(({ at, id }) => `${at}#${id}`),
      gsi2pk: string().link<typeof prev>(({ scope, kind }) => `AUDIT#${scope}#${kind}`),
      gsi2sk: string().link<typeof prev>(({ at, id }) => `${at}#${id}`),
    })),
    computeKey: ({ id }) => ({ pk: `AUDIT#${id}`, sk: 'AUDIT' }),
  })
  const creation = ({ expiresAt, ...row }: AuditRow) =>
    entries
      .build(PutItemCommand)
      .item({ ...row, ttl: Date.parse(expiresAt) / 1000 })
      .options({ condition: { attr: 'id', exists: false } })
  return {
    createTable: () => createPlainTable(client, name, 2),
    create: (row) => creation(row).send(),
    stored: (row) => [inDynamoForm(creation(row).params().Item ?? {})],
    page({ scope, where: { kind = [] }, from, to }, limit, cursor) {
      const isKey = kind.length === 1
      const index = isKey ? 'gsi2' : 'gsi1'
      const partition = isKey ? `AUDIT#${scope}#${kind[0]}` : `AUDIT#${scope}`
      const filters = [{ attr: 'ttl', gt: NOW / 1000 }, ...oneOfThese('kind', isKey ? [] : kind)]
      const range = { from: from?.toString(), to: to?.toString() }
      return pageOf(table, entries, { index, partition, ...range, filters }, limit, cursor)
    },
  }
}
