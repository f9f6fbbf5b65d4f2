import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import { connectionReset, internalServerError, throttle } from './fault-errors.ts'
import type { FaultState } from './fault-state.ts'
import { intercepted } from './intercept.ts'

/** A client whose reads of the stream are delayed, refused and lost. */
export function faultyStreams(client: Pick<DynamoDBStreamsClient, 'send'>, faults: FaultState): DynamoDBStreamsClient {
  return intercepted<DynamoDBStreamsClient>(client, async (command, send) => {
    faults.requireAlive()
    await faults.delay()
    if (faults.strikes('throttled')) throw throttle('LimitExceededException')
    if (faults.strikes('failed')) throw internalServerError()
    const output = await send(command)
    if (faults.strikes('dropped')) throw connectionReset()
    faults.requireAlive()
    return output
  })
}
