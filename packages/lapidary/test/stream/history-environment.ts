import { randomBytes } from 'node:crypto'
import { DeleteTableCommand, DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  type AwsStream,
  createAwsStream,
  type FaultRates,
  type HostileProxy,
  intercepted,
  startHostileProxy,
} from 'lapidary-testing'
import { createSdkClient } from '../../../../test/engines/index.ts'
import { createLapidary } from '../../src/index.ts'
import type { Happened, HistoryOptions } from './history-options.ts'
import { persistently } from './history-process.ts'
import { historyReviews } from './history-reviews.ts'

/** The table of a history, and the ways to it. */
export interface HistoryEnvironment {
  readonly tableName: string
  /** The way of programs, on which a hostile proxy may stand. */
  readonly aws: AwsStream
  /** The way of those who have to know what they wrote and read: each command gets through. */
  readonly sure: Pick<AwsStream, 'client' | 'streams'>
  /** Ends the faults of the proxy, and resolves when what it kept back has landed. */
  quieten(): Promise<void>
  /** The faults of the proxy so far. */
  readonly befell: Happened
  close(): Promise<void>
}

/** Faults that a program gets through by trying again, each so often that six histories cannot all be without it. */
const RATES: Partial<FaultRates> = {
  ...{ delayed: 0.2, throttled: 0.03, conflicted: 0.1, unprocessed: 0.3, short: 0.3, underWay: 0.2 },
  ...{ failed: 0.02, cut: 0.02, dropped: 0.02, late: 0.08, silent: 0.02 },
}

/** The faults of the proxy before six histories. */
export const HOSTILE_KINDS: readonly (keyof Happened)[] = [...Object.keys(RATES), 'limited'].map(
  (kind) => `proxy: ${kind as keyof FaultRates}` as const,
)

/** Units a second of AWS's time, in which a program also waits before it tries again: many partitions take more. */
const LIMITS = { readUnits: 1, writeUnits: 1 }
const LAG_MS = 50
/** Longer than a process waits for its next read, and shorter than its lease. */
const SILENCE_MS = 400

/** Makes a table with its change stream, and a hostile proxy before them where the plan has one. */
export async function openEnvironment(options: HistoryOptions): Promise<HistoryEnvironment> {
  const { client, streams, seed, plan } = options
  const tableName = `history-${randomBytes(8).toString('hex')}`
  await createTable(client, tableName)
  const { behaviour, msPerSecond } = plan
  const hostile = plan.isHostile ? await openHostile(options) : undefined
  const reached = hostile?.client ?? client
  const aws = createAwsStream({ client: reached, streams, tableName, seed, behaviour, msPerSecond, listenMs: 1_000 })
  const { proxy } = hostile ?? {}
  const sure = proxy === undefined ? aws.client : insistent(aws.client, proxy)
  // The stream begins with the first command that gets through.
  await sure.send(new DescribeTableCommand({ TableName: tableName }))
  return {
    ...{ tableName, aws, sure: { client: sure, streams: aws.streams } },
    async quieten() {
      proxy?.calm()
      await proxy?.settled()
    },
    get befell() {
      const kinds = Object.entries(proxy?.injected ?? {}).map(([kind, times]) => [`proxy: ${kind}`, times])
      return proxy === undefined ? {} : { hostile: 1, ...Object.fromEntries(kinds) }
    },
    async close() {
      await hostile?.close()
      await client.send(new DeleteTableCommand({ TableName: tableName }))
    },
  }
}

/** Of a table without items everything is known. */
async function createTable(client: DynamoDBClient, tableName: string): Promise<void> {
  const lapidary = createLapidary({
    ...{ client, tableName, collections: { reviews: historyReviews }, cursorSecret: 'a secret of the tests' },
    derived: { counts: true, columns: true },
  })
  await lapidary.table.create()
}

interface Hostile {
  readonly proxy: HostileProxy
  readonly client: DynamoDBClient
  close(): Promise<void>
}

async function openHostile({ endpoint, seed, plan: { msPerSecond } }: HistoryOptions): Promise<Hostile> {
  const limits = { ...LIMITS, clock: () => (Date.now() * 1_000) / msPerSecond }
  const troubles = { rates: RATES, limits, lagMs: LAG_MS, silenceMs: SILENCE_MS }
  const proxy = await startHostileProxy({ target: endpoint, seed, ...troubles })
  const client = createSdkClient({ name: 'embedded', endpoint: proxy.endpoint, breaks: true })
  return {
    ...{ proxy, client },
    async close() {
      client.destroy()
      await proxy.close()
    },
  }
}

/** Sends a command until it is answered. All tries of it have landed by then, the SDK's too: none undoes a later write. */
function insistent(client: DynamoDBClient, proxy: HostileProxy): DynamoDBClient {
  return intercepted<DynamoDBClient>(client, (command, send) =>
    persistently(() => send(command).finally(() => proxy.settled())),
  )
}
