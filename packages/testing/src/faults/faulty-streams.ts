import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import { connectionReset, dynamodbError } from './fault-errors.ts'
import type { FaultState } from './fault-state.ts'
import { intercepted } from './intercept.ts'

/** Makes a client whose reads of the stream are delayed, refused and lost. */
export function faultyStreams(client: Pick<DynamoDBStreamsClient, 'send'>, faults: FaultState): DynamoDBStreamsClient {
  return intercepted<DynamoDBStreamsClient>(client, async (command, send) => {
    faults.requireAlive()
    await faults.delay()
    if (faults.strikes('denied')) throw dynamodbError('AccessDeniedException')
    if (faults.strikes('throttled')) throw dynamodbError('LimitExceededException')
    if (faults.strikes('failed')) throw dynamodbError('InternalServerError')
    const output = await send(command)
    if (faults.strikes('dropped')) throw connectionReset()
    faults.requireAlive()
    return output
  })
}
