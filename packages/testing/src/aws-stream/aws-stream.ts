import {
  CreateTableCommand,
  DescribeTableCommand,
  type DescribeTableCommandOutput,
  type DynamoDBClient,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb'
import {
  DescribeStreamCommand,
  type DescribeStreamCommandInput,
  type DescribeStreamCommandOutput,
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  type GetRecordsCommandOutput,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams'
import { seededRandom } from 'lapidary/internal'
import { resourceNotFound } from '../faults/fault-errors.ts'
import { intercepted, type Send } from '../faults/intercept.ts'
import { isWrite } from '../faults/write-commands.ts'
import { type AwsBehaviour, type AwsOccurrence, PROMPT_STREAM } from './aws-behaviour.ts'
import { describeShards } from './list-shards.ts'
import { createPastImages } from './past-images.ts'
import { firstReaderPlace, iteratorOf, MOST_RECORDS, readerPlaceOf, readShardPage } from './read-shard.ts'
import { createShardLog, type ShardLog, type StreamWorld } from './shard-log.ts'

/** Options of `createAwsStream`. */
export interface AwsStreamOptions {
  /** The client of an engine whose stream shows every write at once. The table must be empty. */
  readonly client: Pick<DynamoDBClient, 'send'>
  readonly streams: Pick<DynamoDBStreamsClient, 'send'>
  readonly tableName: string
  /** The seed of all events, as far as the order of commands and the time they take do not change. */
  readonly seed: number
  /** The behaviour; {@link drawAwsBehaviour} gives a mix, and what is not named is as in {@link PROMPT_STREAM}. */
  readonly behaviour?: Partial<AwsBehaviour>
  /** The milliseconds that one of AWS's seconds takes; 10 when not given. */
  readonly msPerSecond?: number
  /** Milliseconds until the stream hears of a write that went past its client; 20 when not given. */
  readonly listenMs?: number
}

/** A table's change stream that behaves as AWS's may, and the table's clients that belong to it. */
export interface AwsStream {
  /** The client of the table. The stream hears at once of writes through it, and soon of others. UpdateTable switches the stream off and on. */
  readonly client: DynamoDBClient
  readonly streams: DynamoDBStreamsClient
  /** Lets hours pass on AWS's side, in which iterators expire, shards roll over, and records are trimmed. */
  pass(seconds: number): Promise<void>
  /** Closes every open shard early; they go on in their children. */
  rollOver(): Promise<void>
  /** Changes the behaviour from now on. */
  behave(behaviour: Partial<AwsBehaviour>): void
  /** The number of times that each event happened. */
  readonly occurred: Readonly<Record<AwsOccurrence, number>>
}

/** One stream of the table: when it is switched on again, it is another. */
interface OneStream {
  readonly arn: string
  readonly log: ShardLog
  readonly createdAt: Date
  isOn: boolean
}

const NONE: Readonly<Record<AwsOccurrence, number>> = {
  ...{ late: 0, empty: 0, short: 0, rolledOver: 0, split: 0, childless: 0, halved: 0, openParent: 0, emptyListing: 0 },
  ...{ trimmed: 0, trimmedSilently: 0, forgotten: 0, expired: 0, stale: 0, unheard: 0 },
}

/**
 * Makes the stream of a local engine behave as AWS's may: late, in short and empty pages, in shards that close, split and are listed late, and
 * trimmed after a day; reads of items that ask for no consistency are behind. Each rule has its source in AWS's documentation or in an adapter,
 * see {@link AwsBehaviour}. {@link createFaultKit} makes the faults between a process and AWS.
 *
 * @example
 * ```ts
 * import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
 *
 * const { region, endpoint, credentials } = client.config
 * const streams = new DynamoDBStreamsClient({ region, credentials, ...(endpoint && { endpoint }) })
 * const aws = createAwsStream({ client, streams, tableName, seed: 7, behaviour: drawAwsBehaviour(7) })
 * const lapidary = createLapidary({
 *   client: aws.client,
 *   tableName,
 *   collections: { comments },
 *   cursorSecret,
 *   stream: { client: aws.streams },
 * })
 * ```
 */
export function createAwsStream(options: AwsStreamOptions): AwsStream {
  const { client, streams, tableName: TableName, seed, msPerSecond = 10, listenMs = 20 } = options
  const occurred: Record<AwsOccurrence, number> = { ...NONE }
  const began = performance.now()
  let behaviour: AwsBehaviour = { ...PROMPT_STREAM, ...options.behaviour }
  let passed = 0
  const world: StreamWorld = {
    get behaviour() {
      return behaviour
    },
    random: seededRandom(seed),
    seconds: () => passed + (performance.now() - began) / msPerSecond,
    note(occurrence, times = 1) {
      occurred[occurrence] += times
    },
  }
  const past = createPastImages(world)
  const made: OneStream[] = []
  let starting: Promise<OneStream> | undefined
  let iterator: string | undefined
  let written = 0
  let pulled = 0
  let pulledAt = 0
  let pulling: Promise<void> | undefined

  /** Finds the engine's own stream, which is the table's first. */
  function start(): Promise<OneStream> {
    starting ??= (async () => {
      const { Table } = await client.send(new DescribeTableCommand({ TableName }))
      const StreamArn = Table?.LatestStreamArn
      if (StreamArn === undefined) throw new TypeError(`the table ${TableName} has no stream`)
      const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }))
      const ShardId = StreamDescription?.Shards?.[0]?.ShardId
      const from = { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' as const }
      iterator = (await streams.send(new GetShardIteratorCommand(from))).ShardIterator
      return begin(StreamArn)
    })().catch((error: unknown) => {
      // A command that failed on its way may get through for the next caller.
      starting = undefined
      throw error
    })
    return starting
  }

  function begin(arn: string): OneStream {
    const stream = { arn, log: createShardLog(world), createdAt: new Date(), isOn: true }
    made.push(stream)
    return stream
  }

  /** Takes in the engine's records, one caller at a time, and only when something may have been written since. */
  async function pull(): Promise<void> {
    await start()
    if (performance.now() - pulledAt >= listenMs) written += 1
    const needed = written
    while (pulled < needed) {
      pulling ??= pullNow().finally(() => {
        pulling = undefined
      })
      await pulling
    }
    for (const { log } of made) log.pass()
  }

  async function pullNow(): Promise<void> {
    const target = written
    for (let more = true; more; ) {
      const page: GetRecordsCommandOutput = await streams.send(new GetRecordsCommand({ ShardIterator: iterator }))
      const { Records = [], NextShardIterator = iterator } = page
      iterator = NextShardIterator
      for (const record of Records) {
        past.keep(record)
        made.at(-1)?.log.place(record)
      }
      more = Records.length === MOST_RECORDS
    }
    pulled = target
    pulledAt = performance.now()
  }

  /**
   * "If you disable a stream, any shards that are open will be closed. The data in the stream will continue to be readable for
   * 24 hours"; enabled again it is a new stream with another ARN (Developer Guide, Change data capture for DynamoDB Streams).
   */
  async function switchTo(isOn: boolean): Promise<void> {
    await pull()
    const latest = made.at(-1)
    if (latest === undefined || latest.isOn === isOn) return
    if (isOn)
      begin(`${latest.arn.replace(/\/stream\/.*/, '')}/stream/${new Date().toISOString().slice(0, -1)}${made.length}`)
    else {
      latest.isOn = false
      latest.log.close()
    }
  }

  async function describeTable(command: DescribeTableCommand, send: Send): Promise<object> {
    await start()
    const answer = (await send(command)) as DescribeTableCommandOutput
    const { arn = '', isOn = false } = made.at(-1) ?? {}
    const { StreamSpecification, ...Table } = answer.Table ?? {}
    const LatestStreamLabel = arn.replace(/.*\/stream\//, '')
    const latest = { LatestStreamArn: arn, LatestStreamLabel, ...(isOn ? { StreamSpecification } : {}) }
    return { ...answer, Table: { ...Table, ...latest } }
  }

  async function describe(input: DescribeStreamCommandInput): Promise<DescribeStreamCommandOutput> {
    await pull()
    const { arn, log, createdAt, isOn } = streamNamed(input.StreamArn)
    const StreamDescription = {
      ...{ StreamArn: arn, StreamLabel: arn.replace(/.*\/stream\//, ''), TableName },
      ...{ StreamStatus: isOn ? ('ENABLED' as const) : ('DISABLED' as const) },
      ...{ StreamViewType: 'NEW_AND_OLD_IMAGES' as const, CreationRequestDateTime: createdAt },
      ...describeShards(log, input, world),
    }
    return { $metadata: {}, StreamDescription }
  }

  function streamNamed(arn: string | undefined): OneStream {
    const stream = made.find((each) => each.arn === arn)
    if (stream === undefined) throw resourceNotFound(`the stream ${arn}`)
    return stream
  }

  return {
    client: intercepted<DynamoDBClient>(client, async (command, send) => {
      // The stream begins with its table.
      if (command instanceof CreateTableCommand) return send(command)
      await start()
      if (command instanceof UpdateTableCommand && command.input.StreamSpecification !== undefined) {
        return switchTo(command.input.StreamSpecification.StreamEnabled === true)
      }
      if (command instanceof DescribeTableCommand) return describeTable(command, send)
      if (isWrite(command)) return send(command).finally(() => (written += 1))
      const answer = await send(command)
      if (!past.mayBeStale(command)) return answer
      await pull()
      return past.behind(command, answer)
    }),
    streams: intercepted<DynamoDBStreamsClient>(streams, async (command, send) => {
      if (command instanceof DescribeStreamCommand) return describe(command.input)
      if (command instanceof GetShardIteratorCommand) {
        await pull()
        const { log } = streamNamed(command.input.StreamArn)
        return { ShardIterator: iteratorOf(firstReaderPlace(log, command.input, world)) }
      }
      if (command instanceof GetRecordsCommand) {
        await pull()
        return readShardPage(streamNamed(readerPlaceOf(command.input.ShardIterator).arn).log, command.input, world)
      }
      return send(command)
    }),
    async pass(seconds) {
      await pull()
      passed += seconds
      for (const { log } of made) log.pass()
    },
    async rollOver() {
      await pull()
      made.at(-1)?.log.rollOver()
    },
    behave(changed) {
      behaviour = { ...behaviour, ...changed }
    },
    occurred,
  }
}
