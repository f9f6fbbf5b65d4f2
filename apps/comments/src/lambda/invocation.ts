import { withinRequest } from 'lapidary-http/internal'
import { measuredFunction } from 'lapidary-telemetry'
import type { LambdaServices } from './services.ts'

/** What Lambda says of an invocation. */
export interface Invocation {
  readonly awsRequestId: string
}

/**
 * Makes a function that follows the change stream: its log has the id of the invocation, and when that ends, metrics and the states of the table
 * are written.
 */
export function followingFunction<In, Out>(
  { services: { database }, embedded, logger }: LambdaServices,
  run: (event: In) => Promise<Out>,
): (event: In, invocation: Invocation) => Promise<Out> {
  const measured = measuredFunction(run, {
    ...{ metrics: embedded, database },
    onError: (err) => logger.warn({ err }, 'the states of derived data could not be read, and are not in the metrics'),
  })
  return (event, { awsRequestId }) => withinRequest(awsRequestId, undefined, () => measured(event))
}
