import {
  type _Record,
  DescribeStreamCommand,
  type DescribeStreamCommandInput,
  type DescribeStreamCommandOutput,
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  type GetRecordsCommandInput,
  GetShardIteratorCommand,
  type GetShardIteratorCommandInput,
} from '@aws-sdk/client-dynamodb-streams'
import { compareSequenceNumbers } from '../../derived/change.ts'

/** How `createShardedStreams` shares a stream out. */
export interface ShardedStreamsOptions {
  /** Shards at the beginning; 2 when not given. */
  readonly roots?: number
  /** Records after which a shard is closed and goes on in one child or two; 16 when not given. */
  readonly recordsPerShard?: number
}

interface ShardState {
  readonly shardId: string
  readonly parent: string | undefined
  /** The keys whose hash, 0 to 1, lies between are its. */
  readonly from: number
  readonly to: number
  readonly records: _Record[]
  closed: boolean
}

const SHARDS_OF_A_PAGE = 3
/** What one GetRecords gives at the most. */
const MOST_RECORDS = 1_000

/**
 * The stream of a local engine, which has one shard that never closes, as AWS would give it: shared out by key, in shards
 * that close and have children. Records of one item stay in order from parent to child; across items there is no order.
 *
 * @example
 * ```ts
 * import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
 *
 * const { region, endpoint, credentials } = client.config
 * const streams = createShardedStreams(new DynamoDBStreamsClient({ region, credentials, ...(endpoint && { endpoint }) }))
 * ```
 */
export function createShardedStreams(
  streams: Pick<DynamoDBStreamsClient, 'send'>,
  { roots = 2, recordsPerShard = 16 }: ShardedStreamsOptions = {},
): DynamoDBStreamsClient {
  const shards: ShardState[] = []
  const iterators = new Map<string, string | undefined>()
  let pulling: Promise<void> = Promise.resolve()

  const open = (from: number, to: number, parent: string | undefined): void => {
    const shardId = `shardId-${String(shards.length).padStart(20, '0')}`
    shards.push({ shardId, parent, from, to, records: [], closed: false })
  }
  for (let i = 0; i < roots; i++) open(i / roots, (i + 1) / roots, undefined)

  function place(record: _Record): void {
    const hash = keyHash(record)
    const shard = shards.find(({ closed, from, to }) => !closed && from <= hash && hash < to)
    if (shard === undefined) throw new Error(`no open shard has the hash ${hash}`)
    shard.records.push(record)
    if (shard.records.length < recordsPerShard) return
    shard.closed = true
    const middle = (shard.from + shard.to) / 2
    if (shards.length % 2 === 0) open(shard.from, shard.to, shard.shardId)
    else {
      open(shard.from, middle, shard.shardId)
      open(middle, shard.to, shard.shardId)
    }
  }

  /** Takes in what the real stream has; one caller at a time, so that no record is placed twice. */
  function pull(StreamArn: string): Promise<void> {
    const pulled = pulling.then(() => pullNow(StreamArn))
    pulling = pulled.catch(() => undefined)
    return pulled
  }

  async function pullNow(StreamArn: string): Promise<void> {
    for (const ShardId of await realShards(StreamArn)) {
      for (let more = true; more; ) {
        const ShardIterator = iterators.get(ShardId)
        if (ShardIterator === undefined) break
        const { Records = [], NextShardIterator } = await streams.send(new GetRecordsCommand({ ShardIterator }))
        iterators.set(ShardId, NextShardIterator)
        for (const record of Records) place(record)
        more = Records.length === MOST_RECORDS
      }
    }
  }

  /** Asked for once, for as long as the last of them is open. */
  async function realShards(StreamArn: string): Promise<readonly string[]> {
    if ([...iterators.values()].at(-1) !== undefined) return [...iterators.keys()]
    const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }))
    for (const { ShardId = '' } of StreamDescription?.Shards ?? []) {
      if (iterators.has(ShardId)) continue
      const start = { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' as const }
      iterators.set(ShardId, (await streams.send(new GetShardIteratorCommand(start))).ShardIterator)
    }
    return [...iterators.keys()]
  }

  async function describe(input: DescribeStreamCommandInput): Promise<DescribeStreamCommandOutput> {
    if (input.ExclusiveStartShardId === undefined) await pull(input.StreamArn ?? '')
    const start = shards.findIndex(({ shardId }) => shardId === input.ExclusiveStartShardId) + 1
    const page = shards.slice(start, start + SHARDS_OF_A_PAGE)
    const LastEvaluatedShardId = start + page.length < shards.length ? page.at(-1)?.shardId : undefined
    const Shards = page.map(({ shardId, parent }) => ({ ShardId: shardId, ParentShardId: parent }))
    return { $metadata: {}, StreamDescription: { StreamArn: input.StreamArn, Shards, LastEvaluatedShardId } }
  }

  function iteratorOf(input: GetShardIteratorCommandInput): string {
    const records = shardNamed(input.ShardId).records
    const after = input.SequenceNumber
    const first = records.findIndex(
      ({ dynamodb }) => after === undefined || compareSequenceNumbers(dynamodb?.SequenceNumber ?? '', after) > 0,
    )
    return iteratorText(input.StreamArn ?? '', input.ShardId ?? '', first === -1 ? records.length : first)
  }

  async function read({ ShardIterator, Limit = MOST_RECORDS }: GetRecordsCommandInput): Promise<object> {
    const [arn, shardId, start] = JSON.parse(ShardIterator ?? '[]') as [string, string, number]
    const shard = shardNamed(shardId)
    if (!shard.closed && start >= shard.records.length) await pull(arn)
    const { records, closed } = shard
    const Records = records.slice(start, start + Limit)
    const next = start + Records.length
    return {
      Records,
      ...(closed && next === records.length ? {} : { NextShardIterator: iteratorText(arn, shardId, next) }),
    }
  }

  function shardNamed(shardId: string | undefined): ShardState {
    const shard = shards.find((each) => each.shardId === shardId)
    if (shard === undefined) throw new Error(`there is no shard ${shardId}`)
    return shard
  }

  const send = async (command: unknown): Promise<unknown> => {
    if (command instanceof DescribeStreamCommand) return describe(command.input)
    if (command instanceof GetShardIteratorCommand) return { ShardIterator: iteratorOf(command.input) }
    if (command instanceof GetRecordsCommand) return read(command.input)
    return streams.send(command as never)
  }
  return { send, destroy() {} } as unknown as DynamoDBStreamsClient
}

function iteratorText(arn: string, shardId: string, start: number): string {
  return JSON.stringify([arn, shardId, start])
}

/** FNV-1a of the item's key, 0 to 1. */
function keyHash({ dynamodb }: _Record): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(`${dynamodb?.Keys?.PK?.S}\u0000${dynamodb?.Keys?.SK?.S}`)) {
    hash = Math.imul(hash ^ byte, 0x01000193)
  }
  return (hash >>> 0) / 2 ** 32
}
