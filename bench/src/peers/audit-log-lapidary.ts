import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { anyOf, createLapidary, defineCollection } from 'lapidary'
import { z } from 'zod'
import { NOW, type Store } from './domain.ts'
import { putsOf } from './lapidary.ts'
import type { AuditRow } from './rows.ts'

const KINDS = ['login', 'read', 'write', 'grant', 'export'] as const

const entries = defineCollection({
  name: 'AUDIT',
  schema: z.object({
    ...{ id: z.string(), scope: z.string(), at: z.string(), kind: z.enum(KINDS), detail: z.string() },
    expiresAt: z.string(),
  }),
  id: 'id',
  scope: { name: 'ORGANISATION', attribute: 'scope' },
  order: 'at',
  facets: { kind: anyOf(KINDS, { frequencies: { read: 0.7, write: 0.2, login: 0.08, grant: 0.015, export: 0.005 } }) },
  expires: 'expiresAt',
})

export function openAuditLog(client: DynamoDBClient, tableName: string): Store<AuditRow> {
  const lapidary = createLapidary({
    ...{ client, tableName, collections: { entries } },
    cursorSecret: 'a secret of the bench',
    clock: () => NOW,
  })
  return {
    createTable: () => lapidary.table.create(),
    create: (row) => lapidary.entries.create(row),
    stored: async (row) => putsOf(await lapidary.entries.writes.create(row)),
    async page({ scope, where, from, to }, limit, cursor) {
      const page = await lapidary.entries.list({ scope, where, from, to, limit, cursor } as { scope: string })
      return { ids: page.items.map(({ id }) => id), next: page.cursors.next }
    },
  }
}
