import type { Observer } from 'lapidary'

/** What a program takes of OpenTelemetry. */
export interface Tracing {
  /** For the database and its API; none where nothing was registered. */
  readonly observers: readonly Observer[]
  /** Returns the ids of the current trace and span, for the log; nothing outside of one. */
  readonly traceIds: () => { readonly trace_id?: string; readonly span_id?: string }
}

/** The API of OpenTelemetry keeps here what an SDK registers, for all copies of it in a process. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1')

function isRegistered(): boolean {
  const { [REGISTERED]: apis } = globalThis as { readonly [REGISTERED]?: { readonly trace?: unknown } }
  return apis?.trace !== undefined
}

/**
 * Returns what traces by OpenTelemetry, in a process that has registered an SDK of it before, as by `node --import`. In any other there is nothing to
 * trace to: then nothing is imported, and nothing is observed.
 */
export async function registeredTracing(): Promise<Tracing> {
  if (!isRegistered()) return { observers: [], traceIds: () => ({}) }
  const { openTelemetry, traceIds } = await import('lapidary-telemetry/opentelemetry')
  return { observers: [openTelemetry()], traceIds }
}
