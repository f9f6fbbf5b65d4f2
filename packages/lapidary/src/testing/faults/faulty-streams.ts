import {
  type _Record,
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  type GetRecordsCommandInput,
  type GetRecordsCommandOutput,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams'
import { compareSequenceNumbers } from '../../derived/change.ts'
import { connectionReset, expiredIterator, throttle } from './fault-errors.ts'
import type { FaultState } from './fault-state.ts'
import { intercepted, type Send } from './intercept.ts'

const FEW_RECORDS = 12

/** A client whose reads of the stream come late, twice, in pieces, or not at all. */
export function faultyStreams(client: Pick<DynamoDBStreamsClient, 'send'>, faults: FaultState): DynamoDBStreamsClient {
  const shardOf = new Map<string, string>()
  /** The last sequence number before an iterator: several readers of a shard may stand at different places. */
  const placeOf = new Map<string, string | undefined>()
  const given = new Map<string, _Record[]>()

  async function getRecords(input: GetRecordsCommandInput, send: Send): Promise<GetRecordsCommandOutput> {
    if (faults.strikes('expired')) throw expiredIterator()
    const iterator = input.ShardIterator ?? ''
    const shardId = shardOf.get(iterator) ?? ''
    const earlier = given.get(shardId) ?? []
    const place = placeOf.get(iterator)
    const repeated = faults.strikes('repeated') ? tail(upTo(earlier, place), faults) : []
    if (repeated.length > 0 && faults.random() < 0.5) {
      return { $metadata: {}, Records: repeated, NextShardIterator: iterator }
    }
    const Limit = faults.strikes('recut') ? 1 + Math.floor(faults.random() * FEW_RECORDS) : input.Limit
    const output = (await send(new GetRecordsCommand({ ...input, Limit }))) as GetRecordsCommandOutput
    if (output.NextShardIterator !== undefined) {
      shardOf.set(output.NextShardIterator, shardId)
      placeOf.set(output.NextShardIterator, output.Records?.at(-1)?.dynamodb?.SequenceNumber ?? place)
    }
    given.set(shardId, inOrder([...earlier, ...(output.Records ?? [])]))
    return { ...output, Records: [...repeated, ...(output.Records ?? [])] }
  }

  return intercepted<DynamoDBStreamsClient>(client, async (command, send) => {
    faults.requireAlive()
    await faults.delay()
    if (faults.strikes('throttled')) throw throttle('LimitExceededException')
    const output = command instanceof GetRecordsCommand ? await getRecords(command.input, send) : await send(command)
    if (command instanceof GetShardIteratorCommand) {
      const { ShardId = '', SequenceNumber } = command.input
      const { ShardIterator } = output as { readonly ShardIterator?: string }
      if (ShardIterator !== undefined) {
        shardOf.set(ShardIterator, ShardId)
        placeOf.set(ShardIterator, SequenceNumber)
      }
    }
    if (faults.strikes('dropped')) throw connectionReset()
    faults.requireAlive()
    return output
  })
}

/** Each record once, in the order of the shard: readers give them one after the other, and again. */
function inOrder(records: readonly _Record[]): _Record[] {
  const bySequence = new Map(records.map((record) => [record.dynamodb?.SequenceNumber ?? '', record]))
  return [...bySequence].sort(([a], [b]) => compareSequenceNumbers(a, b)).map(([, record]) => record)
}

/** What lies before the place where a reader stands; what lies after it is no repetition, and must not come first. */
function upTo(records: readonly _Record[], last: string | undefined): _Record[] {
  if (last === undefined) return []
  return records.filter(({ dynamodb }) => compareSequenceNumbers(dynamodb?.SequenceNumber ?? '', last) <= 0)
}

/** The last of the records that were given, a few or all. */
function tail(records: readonly _Record[], { random }: FaultState): _Record[] {
  const few = random() < 0.8 ? FEW_RECORDS : records.length
  return records.slice(records.length - Math.min(records.length, 1 + Math.floor(random() * few)))
}
