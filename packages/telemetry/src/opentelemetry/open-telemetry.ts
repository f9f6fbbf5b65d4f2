import {
  type Context,
  context,
  isSpanContextValid,
  propagation,
  type Span,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import type { Observer, RequestWork, Work } from 'lapidary'
import { codeOf } from '../measuring.ts'
import { attributesAtEnd, attributesOf, kindOf, nameOf } from './spans.ts'

/** Options of {@link openTelemetry}. */
export interface OpenTelemetryOptions {
  /**
   * Whether spans have the plan as it is explained, with the values that a query asks for: these may be of a person. False when not given: then they
   * name the lists alone.
   */
  readonly plans?: boolean
}

/**
 * Makes an observer that traces by OpenTelemetry's API, to whatever SDK the process has registered: a span for each request, operation, plan, round,
 * command and commit, each within that of the work it is done for. Commands of no such work have none.
 *
 * @example
 * ```ts
 * const lapidary = createLapidary({ client, tableName, collections: { comments }, cursorSecret, observers: [openTelemetry()] })
 * ```
 */
export function openTelemetry({ plans = false }: OpenTelemetryOptions = {}): Observer {
  const tracer = trace.getTracer('lapidary')
  return {
    async observe(work, run, figures) {
      const parent = parentOf(work)
      // Its Query says the same.
      if (work.kind === 'step' && work.name === 'list') return run()
      // Followers of the change stream keep leases, and look at registers, every few seconds.
      if ((work.kind === 'command' || work.kind === 'step') && trace.getSpan(parent) === undefined) return run()
      const span = tracer.startSpan(nameOf(work), { kind: kindOf(work), attributes: attributesOf(work) }, parent)
      try {
        const result = await context.with(trace.setSpan(parent, span), run)
        if (span.isRecording()) {
          const told = figures(result)
          span.setAttributes(attributesAtEnd(work, told, plans))
          // The route is known only now.
          if (work.kind === 'request') endRequest(span, work, told)
        }
        return result
      } catch (error) {
        span.setAttribute('error.type', codeOf(error))
        span.setStatus({ code: SpanStatusCode.ERROR, message: codeOf(error) })
        throw error
      } finally {
        span.end()
      }
    },
  }
}

function endRequest(
  span: Span,
  work: RequestWork,
  { route, status = 0 }: { readonly route?: string; readonly status?: number },
): void {
  span.updateName(nameOf(work, route))
  if (status < 500) return
  span.setAttribute('error.type', String(status))
  span.setStatus({ code: SpanStatusCode.ERROR })
}

/** A request goes on with the trace that its client began, unless something in this process has gone on with it already. */
function parentOf(work: Work): Context {
  const active = context.active()
  if (work.kind !== 'request' || trace.getSpan(active) !== undefined) return active
  return propagation.extract(active, work.header, { get: (header, name) => header(name), keys: () => [] })
}

/**
 * Returns the ids of the trace and the span that are under way, as a logger adds them to its lines; nothing where there are none.
 *
 * @example
 * ```ts
 * import { pino } from 'pino'
 *
 * const logger = pino({ mixin: traceIds })
 * ```
 */
export function traceIds(): { readonly trace_id?: string; readonly span_id?: string } {
  const ids = trace.getActiveSpan()?.spanContext()
  return ids === undefined || !isSpanContextValid(ids) ? {} : { trace_id: ids.traceId, span_id: ids.spanId }
}
