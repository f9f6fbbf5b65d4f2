import type { DatabaseServices } from 'lapidary'
import type { EmbeddedMetrics } from './embedded-metrics.ts'
import { recordStates } from './states.ts'

/** Options of {@link measuredFunction}. */
export interface MeasuredFunctionOptions {
  readonly metrics: EmbeddedMetrics
  /** Whose states are recorded, once a minute at most: the functions that follow the change stream have the rights for it. */
  readonly database?: DatabaseServices
  /** Told of states that could not be read, which fails no invocation. */
  readonly onError?: (error: unknown) => void
  /** The least milliseconds between two writings; 0 when not given. What an instance has then not written when it ends is lost. */
  readonly afterMs?: number
}

const STATES_MS = 60_000

/**
 * Makes a Lambda function that writes its metrics when an invocation ends.
 *
 * @example
 * ```ts
 * const metrics = embeddedMetrics({ table: tableName })
 * export const handler = measuredFunction(lapidary.stream.handler(), { metrics, database: lapidary })
 * ```
 */
export function measuredFunction<In extends readonly unknown[], Out>(
  handler: (...given: In) => Promise<Out>,
  { metrics, database, onError, afterMs = 0 }: MeasuredFunctionOptions,
): (...given: In) => Promise<Out> {
  let readAt = Number.NEGATIVE_INFINITY
  return async (...given) => {
    try {
      return await handler(...given)
    } finally {
      const now = performance.now()
      if (database !== undefined && now - readAt >= STATES_MS) {
        readAt = now
        await recordStates(metrics, database).catch((error: unknown) => onError?.(error))
      }
      metrics.flush(afterMs)
    }
  }
}
