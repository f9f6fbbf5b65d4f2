import { keyEntry } from '../derived/guarded-write.ts'
import { WHOLE } from '../model/reserved-keys.ts'
import { readEntry } from '../table/read-entries.ts'
import { type FollowedTable, noteGap } from './checkpoint.ts'
import { updateIf } from './lease.ts'
import type { Shard } from './shards.ts'

const STREAM_MARK = '/stream/'

/**
 * Notes which stream is counted, and a gap where it was another one before: what was written in between is in none, and what the table
 * holds after a restore is as old as its backup.
 *
 * @param shards All that are listed; nothing is noted before there are any.
 * @returns Whether a gap was noted.
 */
export async function noteStream(table: FollowedTable, arn: string, shards: readonly Shard[]): Promise<boolean> {
  const key = { PK: '~COUNTED', SK: table.follower ?? WHOLE }
  const counted = (await readEntry(table, keyEntry(key)))?.arn?.S
  if (shards.length === 0 || counted === arn || isEarlier(arn, counted)) return false
  const listed = new Set(shards.map(({ shardId }) => shardId))
  const first = shards.filter(({ parentShardId }) => parentShardId === undefined || !listed.has(parentShardId))
  for (const { shardId } of counted === undefined ? [] : first) await noteGap(table, shardId, undefined)
  await updateIf(table, key, {
    UpdateExpression: 'SET arn = :arn',
    ConditionExpression: counted === undefined ? 'attribute_not_exists(arn)' : 'arn = :counted',
    ExpressionAttributeValues: { ':arn': { S: arn }, ...(counted === undefined ? {} : { ':counted': { S: counted } }) },
  })
  return counted !== undefined
}

/** Lambda may still deliver what is left of a stream that was switched off. Streams of a table are named by when they began. */
function isEarlier(arn: string, counted: string | undefined): boolean {
  const [[table, began = ''], [other, otherBegan = '']] = [arn.split(STREAM_MARK), (counted ?? '').split(STREAM_MARK)]
  return table === other && began < otherBegan
}
