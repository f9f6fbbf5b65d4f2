import type { BenchContext } from '../bench.ts'
import * as auditElectro from './audit-log-electrodb.ts'
import * as auditLapidary from './audit-log-lapidary.ts'
import * as auditToolbox from './audit-log-toolbox.ts'
import type { Domain, Question } from './domain.ts'
import * as ordersElectro from './orders-electrodb.ts'
import * as ordersLapidary from './orders-lapidary.ts'
import * as ordersToolbox from './orders-toolbox.ts'
import { type AuditRow, auditRows, type OrderRow, orderRows, type TicketRow, ticketRows } from './rows.ts'
import * as ticketsElectro from './tickets-electrodb.ts'
import * as ticketsLapidary from './tickets-lapidary.ts'
import * as ticketsToolbox from './tickets-toolbox.ts'

const QUICK = 1_000

export function ordersDomain({ quick, random }: BenchContext): Domain<OrderRow> {
  const ofCustomer = (name: string, where: Question['where'], rest: object = {}): Question => ({
    ...{ name, scope: 'c1', where },
    ...rest,
  })
  const quarter = { from: '2025-01-01T00:00:00.000Z', to: '2025-04-01T00:00:00.000Z' }
  return {
    name: 'orders',
    rows: orderRows(quick ? QUICK : 20_000, random),
    questions: [
      ofCustomer('of a customer', {}),
      ofCustomer('cancelled', { status: ['CANCELLED'] }),
      ofCustomer('open or shipped', { status: ['OPEN', 'SHIPPED'] }),
      ofCustomer('returned, in the shop', { status: ['RETURNED'], channel: ['shop'] }),
      ofCustomer('open or returned, of a quarter', { status: ['OPEN', 'RETURNED'] }, quarter),
      ofCustomer('the largest', {}, { by: 'amount' }),
      ofCustomer('of 100 to 200, the largest first', {}, { by: 'amount', from: 10_000, to: 20_000 }),
      ofCustomer('returned, the largest first', { status: ['RETURNED'] }, { by: 'amount' }),
      { name: 'open, of all customers', where: { status: ['OPEN'] } },
      { name: 'returned of a quarter, of all', where: { status: ['RETURNED'] }, ...quarter },
    ],
    peers: {
      Lapidary: { file: 'orders-lapidary.ts', open: ordersLapidary.openOrders },
      ElectroDB: { file: 'orders-electrodb.ts', open: ordersElectro.openOrders },
      'DynamoDB-Toolbox': { file: 'orders-toolbox.ts', open: ordersToolbox.openOrders },
    },
  }
}

export function ticketsDomain({ quick, random }: BenchContext): Domain<TicketRow> {
  const question = (name: string, where: Question['where'], scope = 'large'): Question => ({ name, scope, where })
  return {
    name: 'tickets',
    rows: ticketRows(quick ? QUICK : 20_000, random),
    questions: [
      question('of a tenant', {}),
      question('open and high', { status: ['open'], priority: ['high'] }),
      question('open and high, of a small tenant', { status: ['open'], priority: ['high'] }, 'tenant 3'),
      question('of one person', { assignee: ['person 7'] }),
      question('of one person, open', { assignee: ['person 7'], status: ['open'] }),
      question('open or pending, low or high', { status: ['open', 'pending'], priority: ['low', 'high'] }),
      question('with a tag', { tags: ['tag 11'] }),
      question('with one of two tags', { tags: ['tag 9', 'tag 11'] }),
      question('open, with a tag', { status: ['open'], tags: ['tag 3'] }),
    ],
    peers: {
      Lapidary: { file: 'tickets-lapidary.ts', open: ticketsLapidary.openTickets },
      ElectroDB: { file: 'tickets-electrodb.ts', open: ticketsElectro.openTickets },
      'DynamoDB-Toolbox': { file: 'tickets-toolbox.ts', open: ticketsToolbox.openTickets },
    },
  }
}

export function auditDomain({ quick, random }: BenchContext): Domain<AuditRow> {
  const question = (name: string, where: Question['where'], range: object = {}): Question => ({
    ...{ name, scope: 'acme', where },
    ...range,
  })
  return {
    name: 'audit log',
    rows: auditRows(quick ? QUICK : 1_000_000, random),
    questions: [
      question('the latest', {}),
      question('exports', { kind: ['export'] }),
      question('grants and exports', { kind: ['grant', 'export'] }),
      question('all but reads', { kind: ['login', 'write', 'grant', 'export'] }),
      question(
        'grants and exports of an hour',
        { kind: ['grant', 'export'] },
        { from: '2025-12-20T09:00:00.000Z', to: '2025-12-20T10:00:00.000Z' },
      ),
      question(
        'a day of which the reads have expired',
        {},
        { from: '2025-12-02T00:00:00.000Z', to: '2025-12-03T00:00:00.000Z' },
      ),
    ],
    peers: {
      Lapidary: { file: 'audit-log-lapidary.ts', open: auditLapidary.openAuditLog },
      ElectroDB: { file: 'audit-log-electrodb.ts', open: auditElectro.openAuditLog },
      'DynamoDB-Toolbox': { file: 'audit-log-toolbox.ts', open: auditToolbox.openAuditLog },
    },
  }
}
