import type { StreamEvent, StreamEventResponse } from 'lapidary'
import { embeddedMetrics, measuredFunction, measuring } from 'lapidary-telemetry'
import { type FunctionConfig, openDatabase, required } from './open-database.ts'

/**
 * Makes the function that keeps counts, leaderboards and page numbers, from the change stream of the table, and writes its metrics for CloudWatch.
 *
 * @example
 * ```ts
 * export const handler = streamHandler({ collections: { comments } })
 * ```
 */
export function streamHandler(config: FunctionConfig): (event: StreamEvent) => Promise<StreamEventResponse> {
  const metrics = embeddedMetrics({ table: required('TABLE_NAME') })
  const database = openDatabase(config, { observers: [measuring(metrics)] })
  const handler = database.stream.handler({
    onError: (error, shardId) => console.error(shardId, error),
    onDeadLetter: (letter) => console.error('a change could not be counted; a repair makes it good', letter),
  })
  return measuredFunction(handler, {
    ...{ metrics, database },
    onError: (error) => console.warn('the states of derived data could not be read, and are not in the metrics', error),
  })
}
