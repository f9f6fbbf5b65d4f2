import type { Random } from '../random.ts'
import { pick } from '../random.ts'
import { NOW } from './domain.ts'

export interface OrderRow {
  readonly id: string
  readonly scope: string
  readonly at: string
  /** In cents. */
  readonly amount: number
  readonly status: 'OPEN' | 'SHIPPED' | 'DELIVERED' | 'CANCELLED' | 'RETURNED'
  readonly channel: 'web' | 'shop'
  readonly note: string
}

export interface TicketRow {
  readonly id: string
  readonly scope: string
  readonly at: string
  readonly status: 'open' | 'pending' | 'closed'
  readonly priority: 'low' | 'normal' | 'high'
  readonly tags: string[]
  readonly assignee: string
  readonly subject: string
}

export interface AuditRow {
  readonly id: string
  readonly scope: string
  readonly at: string
  readonly kind: 'login' | 'read' | 'write' | 'grant' | 'export'
  readonly expiresAt: string
  readonly detail: string
}

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Orders of two years and some customers, one of whom has four in ten; small amounts are the most. */
export function orderRows(count: number, random: Random): readonly OrderRow[] {
  return Array.from({ length: count }, (_, i) => ({
    id: idOf(i),
    scope: random() < 0.4 ? 'c1' : `c${2 + Math.floor(random() * 20)}`,
    at: timeOf(i, count, 730 * DAY),
    amount: 500 + Math.floor(random() ** 3 * 50_000),
    status: pick(ORDER_STATUSES, random),
    channel: random() < 0.7 ? 'web' : 'shop',
    note: text(200, 200, random),
  }))
}

/** Tickets of a year and of tenants, one of which has most, with a thousand people to whom they are assigned and up to three tags of twelve. */
export function ticketRows(count: number, random: Random): readonly TicketRow[] {
  return Array.from({ length: count }, (_, i) => ({
    id: idOf(i),
    scope: random() < 0.8 ? 'large' : `tenant ${Math.floor(random() * 10)}`,
    at: timeOf(i, count, 365 * DAY),
    status: pick(TICKET_STATUSES, random),
    priority: pick(PRIORITIES, random),
    tags: [...new Set(Array.from({ length: Math.floor(random() * 4) }, () => `tag ${Math.floor(random() ** 2 * 12)}`))],
    assignee: `person ${Math.floor(random() * 1_000)}`,
    subject: text(100, 300, random),
  }))
}

/**
 * A log of one organisation over thirty days, three entries at each time. Reads are kept for 28 days, so those of the first two have expired
 * and were not removed yet.
 */
export function auditRows(count: number, random: Random): readonly AuditRow[] {
  return Array.from({ length: count }, (_, i) => {
    const at = timeOf(i - (i % 3), count, 30 * DAY)
    const kind = pick(KINDS, random)
    const expiresAt = new Date(Date.parse(at) + (kind === 'read' ? 28 : 365) * DAY).toISOString()
    return { id: idOf(i), scope: 'acme', at, kind, expiresAt, detail: text(150, 150, random) }
  })
}

const ORDER_STATUSES = shares({ DELIVERED: 0.8, CANCELLED: 0.08, SHIPPED: 0.05, RETURNED: 0.04, OPEN: 0.03 })
const TICKET_STATUSES = shares({ closed: 0.85, open: 0.1, pending: 0.05 })
const PRIORITIES = shares({ normal: 0.7, low: 0.2, high: 0.1 })
const KINDS = shares({ read: 0.7, write: 0.2, login: 0.08, grant: 0.015, export: 0.005 })

function shares<V extends string>(of: Readonly<Record<V, number>>): readonly (readonly [V, number])[] {
  return Object.entries(of) as [V, number][]
}

/** One string for each length, however many rows have it. */
const TEXTS = Array.from({ length: 401 }, (_, length) => 'x'.repeat(length))

function text(least: number, spread: number, random: Random): string {
  return TEXTS[least + Math.floor(random() * spread)] ?? ''
}

function idOf(i: number): string {
  return String(i).padStart(8, '0')
}

/** Evenly over the time before {@link NOW}. */
function timeOf(i: number, count: number, span: number): string {
  return new Date(NOW - span + Math.floor((i / count) * span)).toISOString()
}
