import type { Random } from '../random.ts'

export interface OrderRow {
  readonly id: string
  readonly scope: string
  readonly at: string
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
  readonly label: string
  readonly assignee: string
  readonly subject: string
}

export interface AuditRow {
  readonly id: string
  readonly scope: string
  readonly at: string
  readonly kind: 'login' | 'read' | 'write' | 'grant' | 'export'
  readonly detail: string
}

/** Orders of some customers, one of whom has four in ten. */
export function orderRows(count: number, random: Random): readonly OrderRow[] {
  return Array.from({ length: count }, (_, i) => ({
    id: idOf(i),
    scope: random() < 0.4 ? 'c1' : `c${2 + Math.floor(random() * 20)}`,
    at: timeOf(i, 3_600_000),
    status: pick(random, { DELIVERED: 0.8, CANCELLED: 0.08, SHIPPED: 0.05, RETURNED: 0.04, OPEN: 0.03 }),
    channel: random() < 0.7 ? 'web' : 'shop',
    note: 'n'.repeat(200 + Math.floor(random() * 200)),
  }))
}

/** Tickets of tenants, one of which has most, with a thousand people to whom they are assigned. */
export function ticketRows(count: number, random: Random): readonly TicketRow[] {
  return Array.from({ length: count }, (_, i) => ({
    id: idOf(i),
    scope: random() < 0.8 ? 'large' : `tenant ${Math.floor(random() * 10)}`,
    at: timeOf(i, 60_000),
    status: pick(random, { closed: 0.85, open: 0.1, pending: 0.05 }),
    priority: pick(random, { normal: 0.7, low: 0.2, high: 0.1 }),
    label: `label ${Math.floor(random() ** 2 * 12)}`,
    assignee: `person ${Math.floor(random() * 1_000)}`,
    subject: 's'.repeat(100 + Math.floor(random() * 300)),
  }))
}

/** A log of one organisation, several entries at the same millisecond now and then. */
export function auditRows(count: number, random: Random): readonly AuditRow[] {
  return Array.from({ length: count }, (_, i) => ({
    id: idOf(i),
    scope: 'acme',
    at: timeOf(Math.floor(i / 3), 500),
    kind: pick(random, { read: 0.7, write: 0.2, login: 0.08, grant: 0.015, export: 0.005 }),
    detail: 'd'.repeat(150 + Math.floor(random() * 150)),
  }))
}

function idOf(i: number): string {
  return String(i).padStart(8, '0')
}

function timeOf(i: number, stepMs: number): string {
  return new Date(Date.UTC(2025, 0, 1) + i * stepMs).toISOString()
}

function pick<V extends string>(random: Random, shares: Readonly<Record<V, number>>): V {
  let left = random()
  const values = Object.entries(shares) as [V, number][]
  for (const [value, share] of values) {
    left -= share
    if (left < 0) return value
  }
  return (values[0] as [V, number])[0]
}
