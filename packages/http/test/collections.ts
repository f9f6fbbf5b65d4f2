import type { StandardSchemaV1 } from '@standard-schema/spec'
import { anyOf, defineCollection, eachOf, hierarchy, oneOf } from 'lapidary'
import { z } from 'zod'

export const STATUSES = ['CANCELLED', 'DELIVERED', 'OPEN', 'RETURNED', 'SHIPPED'] as const
export const COUNTRIES = ['AT', 'DE', 'a,b', '"quoted"'] as const

/** Orders of customers: a version, sums, a second order, a board, and a list of all customers. */
export const orders = defineCollection({
  name: 'ORDER',
  schema: z.object({
    id: z.string().max(200),
    customer: z.string().max(200),
    orderedAt: z.iso.datetime({ precision: 3 }),
    status: z.enum(STATUSES),
    country: z.string().max(40),
    total: z.number().min(-1_000_000).max(1_000_000),
    note: z.string().max(1_000).optional(),
    margin: z.number().optional(),
    version: z.int(),
    updatedAt: z.string().nullable(),
  }),
  ...{ id: 'id', version: 'version', updatedAt: 'updatedAt', order: 'orderedAt', itemBytes: 200 },
  scope: { name: 'CUSTOMER', attribute: 'customer' },
  orders: { amount: { attribute: 'total', type: 'number' } },
  facets: {
    status: anyOf(STATUSES),
    country: oneOf(),
    price: oneOf('number', { of: ({ total }: { total: number }) => total, counted: false }),
  },
  indexes: {
    byDate: {},
    byStatusAndDate: { sort: ['status'] },
    byCountry: { partition: ['country'] },
    byAmount: { order: 'amount' },
    allByStatus: { partition: ['status'], across: 2 },
  },
  sums: ['total'],
  statistics: { across: 1, days: true },
  leaderboards: { delivered: { where: { status: ['DELIVERED'] } }, revenue: { sum: 'total' } },
})

/** Tickets of tenants: tags, a path, a value inside of a map, and no version. */
export const tickets = defineCollection({
  name: 'TICKET',
  schema: z.object({
    id: z.string().max(200),
    tenant: z.string().max(200),
    openedAt: z.iso.datetime({ precision: 3 }),
    subject: z.string().max(500),
    tags: z.array(z.string().min(1).max(30)).max(5),
    priority: z.enum(['high', 'low', 'normal']),
    assignee: z.string().max(50).optional(),
    area: z.string().max(60).optional(),
    reporter: z.object({ city: z.string().max(50), secret: z.string().max(50).optional() }),
  }),
  ...{ id: 'id', order: 'openedAt', itemBytes: 250 },
  scope: { name: 'TENANT', attribute: 'tenant' },
  facets: {
    priority: anyOf(['high', 'low', 'normal']),
    tags: eachOf(),
    assignee: oneOf('string', { counted: false, optional: true }),
    area: hierarchy(),
    city: oneOf({ path: 'reporter.city' }),
    urgent: oneOf('boolean', { of: ({ priority }: { priority: string }) => priority === 'high' }),
  },
  indexes: {
    byDate: {},
    byPriority: { partition: ['priority'] },
    byTags: { partition: ['tags'] },
    byAssignee: { partition: ['assignee'] },
  },
})

const auditSchema: StandardSchemaV1<AuditEntry> = {
  '~standard': {
    ...{ version: 1, vendor: 'tests' },
    validate(value) {
      const entry = value as AuditEntry
      const wrong = ['id', 'organisation', 'kind', 'actor'].find((name) => typeof (entry as never)[name] !== 'string')
      return wrong === undefined ? { value: entry } : { issues: [{ path: [wrong], message: 'must be a text' }] }
    },
  },
}

/** Entries of an audit log: bigints and decimals, an expiry, and ordered by a number. */
export const audit = defineCollection({
  name: 'AUDIT',
  // No schema library tells its JSON Schema here, so the declaration does.
  schema: auditSchema,
  ...{ id: 'id', expires: 'expiresAt', itemBytes: 200 },
  scope: { name: 'ORGANISATION', attribute: 'organisation' },
  order: { attribute: 'sequence', type: 'number' },
  facets: { kind: anyOf(['export', 'grant', 'login', 'read', 'write']), level: anyOf('number'), actor: oneOf() },
  numbers: { bytes: 'bigint', cost: 'decimal' },
  indexes: { bySequence: {}, byKind: { partition: ['kind'] }, byActor: { partition: ['actor'] } },
})

interface AuditEntry {
  readonly id: string
  readonly organisation: string
  readonly sequence: number
  readonly kind: 'export' | 'grant' | 'login' | 'read' | 'write'
  readonly level: number
  readonly actor: string
  readonly bytes?: bigint
  readonly cost?: string
  readonly expiresAt?: string
}

export const COLLECTIONS = { orders, tickets, audit } as const

const TAGS = ['slow', 'vip', 'a,b', 'area 5'] as const

/** Made-up items of each collection: two scopes, ties in their order, and values that addresses have to escape. */
export function ordersOf(count: number): readonly (Record<string, unknown> & { readonly id: string })[] {
  return Array.from({ length: count }, (_, i) => ({
    id: `o${1000 + i}`,
    customer: i % 3 === 0 ? 'c/2' : 'c1',
    orderedAt: new Date(Date.UTC(2026, 0, 1) + Math.floor(i / 2) * 7_123_456).toISOString(),
    status: STATUSES[(i * 7) % STATUSES.length] as string,
    country: COUNTRIES[(i * 3) % COUNTRIES.length] as string,
    total: 10 + ((i * 37) % 90),
    ...(i % 4 === 0 ? { note: `note ${i}` } : {}),
    margin: i % 10,
  }))
}

export function ticketsOf(count: number): readonly (Record<string, unknown> & { readonly id: string })[] {
  return Array.from({ length: count }, (_, i) => ({
    id: `t${1000 + i}`,
    tenant: i % 3 === 0 ? 'small' : 'large',
    openedAt: new Date(Date.UTC(2026, 0, 1) + i * 987_654).toISOString(),
    subject: `Ticket ${i}`,
    tags: TAGS.filter((_, k) => (i >> k) % 2 === 1),
    priority: (['high', 'low', 'normal'] as const)[i % 3] as string,
    ...(i % 5 === 0 ? {} : { assignee: `person ${i % 4}` }),
    ...(i % 4 === 0 ? {} : { area: ['it', 'it/mail', 'it/mail/spam'][i % 3] }),
    reporter: { city: ['Berlin', 'Bern', 'Wien'][i % 3], secret: `s${i}` },
  }))
}

export function auditOf(count: number): readonly (Record<string, unknown> & { readonly id: string })[] {
  return Array.from({ length: count }, (_, i) => ({
    id: `e${1000 + i}`,
    organisation: i % 4 === 0 ? 'acme' : 'other',
    sequence: Math.floor(i / 2) - 5,
    kind: (['export', 'grant', 'login', 'read', 'write'] as const)[i % 5] as string,
    level: (i % 4) - 1.5,
    actor: `user ${i % 3}`,
    bytes: 9_007_199_254_740_993n + BigInt(i),
    cost: `0.${'1'.repeat(30)}${1 + (i % 9)}`,
  }))
}
