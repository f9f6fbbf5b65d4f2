import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { anyOf, createLapidary, defineCollection } from 'lapidary'
import { importItems } from 'lapidary/transfer'
import { z } from 'zod'
import type { Store } from './domain.ts'
import type { AuditRow } from './rows.ts'

const KINDS = ['login', 'read', 'write', 'grant', 'export'] as const

const entries = defineCollection({
  name: 'AUDIT',
  schema: z.object({ id: z.string(), scope: z.string(), at: z.string(), kind: z.enum(KINDS), detail: z.string() }),
  id: 'id',
  scope: { name: 'ORGANISATION', attribute: 'scope' },
  order: 'at',
  facets: { kind: anyOf(KINDS, { frequencies: { read: 0.7, write: 0.2, login: 0.08, grant: 0.015, export: 0.005 } }) },
})

export async function openAuditLog(client: DynamoDBClient, tableName: string): Promise<Store<AuditRow>> {
  const lapidary = createLapidary({
    client,
    tableName,
    collections: { entries },
    cursorSecret: 'a secret of the bench',
  })
  await lapidary.table.create()
  return {
    create: (row) => lapidary.entries.create(row),
    load: (rows) => importItems(lapidary.entries, rows),
    async page({ scope, where, from, to }, limit, cursor) {
      const page = await lapidary.entries.list({ scope, where: where as object, from, to, limit, cursor })
      return { ids: page.items.map(({ id }) => id), next: page.cursors.next }
    },
  }
}
