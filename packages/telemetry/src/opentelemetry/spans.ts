import { type Attributes, SpanKind } from '@opentelemetry/api'
import type { Figures, Work } from 'lapidary'

/** Returns the name of a span: there are few of them, since backends group by it. */
export function nameOf(work: Work, route?: string): string {
  switch (work.kind) {
    case 'operation':
      return `${work.name} ${work.collection}`
    case 'command':
      return `${work.name} ${work.table}`
    case 'request':
      return route === undefined ? work.method : `${work.method} ${route}`
    default:
      return work.kind
  }
}

export function kindOf({ kind }: Work): SpanKind {
  if (kind === 'request') return SpanKind.SERVER
  if (kind === 'command') return SpanKind.CLIENT
  return kind === 'batch' ? SpanKind.CONSUMER : SpanKind.INTERNAL
}

/** Returns what is known when the work begins. Names without `lapidary.` are those of OpenTelemetry's semantic conventions. */
export function attributesOf(work: Work): Attributes {
  switch (work.kind) {
    case 'operation':
      return {
        'lapidary.operation': work.name,
        'lapidary.collection': work.collection,
        'lapidary.table': work.table,
      }
    case 'plan':
      return { 'lapidary.collection': work.collection }
    case 'round':
      return { 'lapidary.round': work.number, 'lapidary.queries': work.queries }
    case 'step':
      return { 'lapidary.step': work.name }
    case 'command':
      return {
        'db.system.name': 'aws.dynamodb',
        'db.operation.name': work.name,
        'db.collection.name': work.table,
        // The name before 2025, by which many dashboards still look.
        'db.system': 'dynamodb',
        'aws.dynamodb.table_names': [work.table],
        ...(work.index === undefined ? {} : { 'aws.dynamodb.index_name': work.index }),
      }
    case 'commit':
      return { 'lapidary.table': work.table, 'lapidary.writes': work.writes }
    case 'batch':
      return {
        'lapidary.table': work.table,
        'lapidary.shard_id': work.shardId,
        'messaging.batch.message_count': work.records,
      }
    case 'request':
      return { 'http.request.method': work.method, 'lapidary.request_id': work.id }
  }
}

/** Returns what is known when the work has ended well. */
export function attributesAtEnd(work: Work, figures: Figures, withPlan: boolean): Attributes {
  const { readUnits, writeUnits, itemsRead, itemsReturned } = figures
  if (work.kind === 'command') {
    const units = readUnits ?? writeUnits
    return {
      'aws.dynamodb.count': itemsReturned,
      'aws.dynamodb.scanned_count': itemsRead,
      'aws.dynamodb.consumed_capacity':
        units === undefined ? undefined : [JSON.stringify({ TableName: work.table, CapacityUnits: units })],
      'aws.request_id': figures.requestId,
      'http.request.resend_count': (figures.attempts ?? 1) > 1 ? (figures.attempts ?? 1) - 1 : undefined,
      ...unitsOf(figures),
    }
  }
  return {
    ...unitsOf(figures),
    'lapidary.requests': figures.requests,
    'lapidary.rounds': figures.rounds,
    'lapidary.items_read': itemsRead,
    'lapidary.items_returned': itemsReturned,
    'lapidary.stopped_by': figures.stoppedBy,
    'lapidary.lists': figures.lists,
    'lapidary.plan': withPlan ? figures.plan : undefined,
    'lapidary.outcome': figures.outcome,
    'lapidary.lag_ms': figures.lagMs,
    'lapidary.failed_at': figures.failed,
    'http.route': figures.route,
    'http.response.status_code': figures.status,
  }
}

/** A number, which a backend can add up, beside what the conventions have as a text. */
function unitsOf({ readUnits, writeUnits }: Figures): Attributes {
  return { 'lapidary.read_units': readUnits, 'lapidary.write_units': writeUnits }
}
