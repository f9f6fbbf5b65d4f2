import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import { LapidaryError } from '../model/errors.ts'
import { meaningOf } from '../table/error-meaning.ts'
import { Again, retrying } from '../table/retrying.ts'
import type { TableClient } from '../table/table-client.ts'
import { type Sent, sendTransaction } from './send-writes.ts'

const MAX_TRIES = 6

/**
 * Makes writes exactly once, also those that are not idempotent: as a transaction, even a single one, which DynamoDB knows by its token for ten
 * minutes. So the SDK or this function repeats a try whose answer was lost without harm. It takes twice the units of a plain write.
 *
 * @returns `refused` only where the writes were not made and will not be; `conflict` where every try met another transaction.
 */
export async function sendOnce(table: TableClient, writes: readonly TransactWriteItem[], token: string): Promise<Sent> {
  let isLost = false
  const gaveUp = (tries: number, cause: unknown): Sent => {
    if (!isLost) return { outcome: 'conflict' }
    throw new LapidaryError(
      'unavailable',
      `it is not known whether the change was made: its answer was lost, and ${tries} tries met other writes; read the item`,
      { cause },
    )
  }
  return retrying<Sent>(table, { most: MAX_TRIES, gaveUp }, async () => {
    try {
      const sent = await sendTransaction(table, writes, { ClientRequestToken: token })
      isLost ||= sent.lost === true
      // The client may have sent it before and got no answer, so the same is sent until it is known to be made or refused.
      return sent.outcome === 'conflict' ? new Again() : sent
    } catch (error) {
      if (meaningOf(error) !== 'lost') throw error
      isLost = true
      return new Again(error)
    }
  })
}
