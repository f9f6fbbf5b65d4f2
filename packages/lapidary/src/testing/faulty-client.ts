import {
  type DynamoDBClient,
  QueryCommand,
  type QueryCommandInput,
  type QueryCommandOutput,
} from '@aws-sdk/client-dynamodb'
import type { CommandSender } from '../table/table-client.ts'

/** What to do to the commands that pass; by default nothing. */
export interface Faults {
  /** 0 to 1, as `Math.random`; seeded, so that a run can be repeated. */
  readonly random: () => number
  /** Share of the commands that are throttled instead of sent; never more than three in a row. */
  readonly throttled?: number
  /** Share of the queries that come back short, as a 1 MB cut does. */
  readonly short?: number
  /** Runs before each query, counted from 1: for writes between two rounds, or to abort. */
  readonly beforeQuery?: (count: number) => Promise<void> | void
}

const MOST_THROTTLES_IN_A_ROW = 3

/**
 * A client that passes commands on and injects faults that a local engine does not have.
 *
 * A short query ends as DynamoDB's may: after fewer items than asked for, with none left by the filter, or with a
 * LastEvaluatedKey after which nothing follows.
 */
export function createFaultyClient(client: CommandSender, faults: Faults): DynamoDBClient {
  let throttles = 0
  let queries = 0
  const send = async (command: unknown, settings: unknown): Promise<unknown> => {
    const { random, throttled = 0, short = 0 } = faults
    if (throttles < MOST_THROTTLES_IN_A_ROW && random() < throttled) {
      throttles++
      throw throttle()
    }
    throttles = 0
    if (!(command instanceof QueryCommand)) return client.send(command as never, settings as never)
    queries++
    await faults.beforeQuery?.(queries)
    const cut = random() < short ? shortened(command.input, random) : command
    const output: QueryCommandOutput = await client.send(cut, settings as never)
    return cut === command ? output : withLastKey(output)
  }
  return { send } as unknown as DynamoDBClient
}

function throttle(): Error {
  const error = new Error('Throughput exceeds the current capacity of your table or index')
  error.name = 'ThrottlingException'
  return error
}

function shortened(input: QueryCommandInput, random: () => number): QueryCommand {
  const limit = input.Limit ?? 100
  return new QueryCommand({ ...input, Limit: 1 + Math.floor(random() * limit) })
}

/** A LastEvaluatedKey is no promise that more exists. This one holds the whole entry, and so its keys, whatever they are. */
function withLastKey(output: QueryCommandOutput): QueryCommandOutput {
  const last = output.Items?.at(-1)
  const isLastEvaluated = last !== undefined && output.Items?.length === output.ScannedCount
  return output.LastEvaluatedKey !== undefined || !isLastEvaluated ? output : { ...output, LastEvaluatedKey: last }
}
