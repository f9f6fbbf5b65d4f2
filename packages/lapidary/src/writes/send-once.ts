import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import { Again, retrying } from '../table/retrying.ts'
import { isAnswerLost, type TableClient } from '../table/table-client.ts'
import { type Sent, sendTransaction } from './send-writes.ts'

const MAX_TRIES = 6

/**
 * Makes writes exactly once, also where making them twice would not be the same: as a transaction, even a single one, which DynamoDB
 * knows by its token for ten minutes. So a try whose answer was lost is repeated without harm, by the SDK or here. Twice the units of
 * a plain write.
 *
 * @returns `refused` only of writes that were not made and will not be; `conflict` where each of some tries met another transaction.
 */
export async function sendOnce(table: TableClient, writes: readonly TransactWriteItem[], token: string): Promise<Sent> {
  let lost: unknown
  const gaveUp = (): Sent => {
    if (lost !== undefined) throw lost
    return { outcome: 'conflict' }
  }
  return retrying<Sent>(table, { most: MAX_TRIES, gaveUp }, async () => {
    try {
      const sent = await sendTransaction(table, writes, { ClientRequestToken: token })
      // The client may have sent it before and got no answer, so the same is sent until it is known to be made or refused.
      return sent.outcome === 'conflict' ? new Again() : sent
    } catch (error) {
      if (!isAnswerLost(error)) throw error
      lost = error
      return new Again()
    }
  })
}
