import type { DatabaseServices } from 'lapidary'
import type { MetricSink } from './metric-list.ts'

/**
 * The metrics that {@link recordStates} records, all gauges.
 *
 * @example
 * ```ts
 * import { Registry } from 'prom-client'
 *
 * const metrics = prometheusMetrics(new Registry())
 * await recordStates(metrics, lapidary).catch(() => {
 *   for (const state of STATES) metrics.forget(state)
 * })
 * ```
 */
export const STATES = ['deadLetters', 'gaps', 'unready', 'derivedReady', 'unreadyIndexes', 'indexReady'] as const

/**
 * Reads what a database says of itself, and records it: dead letters, gaps, and the states of derived data and of indexes. It reads some items and
 * describes the table; once a minute is often enough.
 *
 * @example
 * ```ts
 * const metrics = embeddedMetrics({ table: tableName })
 * await recordStates(metrics, lapidary)
 * metrics.flush()
 * ```
 */
export async function recordStates(sink: MetricSink, { stream, derived, table }: DatabaseServices): Promise<void> {
  const [deadLetters, gaps, states, indexes] = await Promise.all([
    stream.deadLetters.count(),
    derived.gaps(),
    derived.states(),
    table.indexStates(),
  ])
  sink.record('deadLetters', deadLetters, {})
  sink.record('gaps', gaps.length, {})
  const declared = states.filter(({ isDeclared }) => isDeclared)
  const unready = declared.filter(({ state }) => state !== 'ready')
  sink.record('unready', new Set(unready.map(({ name }) => name)).size, {})
  for (const { collection, name, state } of declared)
    sink.record('derivedReady', state === 'ready' ? 1 : 0, { collection, name })
  const own = indexes.filter((each) => each.declared)
  sink.record('unreadyIndexes', own.filter(({ state }) => state !== 'ready').length, {})
  for (const { collection, index, state } of own)
    sink.record('indexReady', state === 'ready' ? 1 : 0, { collection, index })
}
