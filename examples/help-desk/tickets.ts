import { anyOf, defineCollection, eachOf, oneOf } from 'lapidary'
import { seededRandom } from 'lapidary-testing'
import { z } from 'zod'

const STATUSES = ['closed', 'open', 'pending', 'solved'] as const
const PRIORITIES = ['high', 'low', 'normal'] as const
const CHANNELS = ['chat', 'mail', 'phone', 'web'] as const
const TIERS = ['free', 'pro', 'team'] as const
const TAGS = ['bug', 'login', 'refund', 'slow', 'vip'] as const
const counted = false

/** Tickets of a help desk by ten facets. */
export const tickets = defineCollection({
  name: 'TICKET',
  schema: z.object({
    ...{ id: z.string(), desk: z.string(), openedAt: z.string(), subject: z.string(), tags: z.array(z.enum(TAGS)) },
    ...{ status: z.enum(STATUSES), priority: z.enum(PRIORITIES), channel: z.enum(CHANNELS), tier: z.enum(TIERS) },
    ...{ product: z.string(), country: z.string(), language: z.string(), replies: z.number() },
    assignee: z.string().optional(),
  }),
  id: 'id',
  scope: { name: 'DESK', attribute: 'desk' },
  order: 'openedAt',
  facets: {
    status: anyOf(STATUSES),
    priority: anyOf(PRIORITIES, { counted }),
    channel: anyOf(CHANNELS, { counted }),
    tier: anyOf(TIERS, { counted }),
    product: anyOf('string', { counted }),
    country: anyOf('string', { counted }),
    language: oneOf('string', { counted }),
    replies: anyOf('number', { counted }),
    assignee: anyOf('string', { counted, optional: true }),
    tags: eachOf(TAGS, { counted }),
  },
  indexes: { all: {}, byStatus: { partition: ['status'] } },
  itemBytes: 300,
})

const random = seededRandom(10)
const pick = <V>(values: readonly [V, ...V[]]): V => values[Math.floor(random() ** 2 * values.length)] ?? values[0]
/** Tickets of one desk, the oldest first. */
export const all = Array.from({ length: 6_000 }, (_, i) => ({
  ...{ id: `t${10_000 + i}`, desk: 'europe', subject: `It does not do what it did, ${i}` },
  openedAt: new Date(Date.UTC(2026, 0, 1) + i * 765_432).toISOString(),
  ...{ status: pick(STATUSES), priority: pick(['normal', 'low', 'high'] as const), channel: pick(CHANNELS) },
  ...{ tier: pick(TIERS), product: pick(['app/ios', 'app/web', 'api', 'billing']), country: pick(['DE', 'FR', 'AT']) },
  ...{ language: pick(['en', 'de', 'fr']), replies: Math.floor(12 * random() ** 2) },
  ...(random() < 0.2 ? {} : { assignee: `person ${Math.floor(random() * 60)}` }),
  tags: TAGS.filter(() => random() < 0.25),
}))
