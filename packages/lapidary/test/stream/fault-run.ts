import { randomBytes } from 'node:crypto'
import { CreateTableCommand, DeleteTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import { createTableInput } from 'lapidary/schema'
import { createAwsStream, createFaultKit, type FaultKit, type FaultRates, seededRandom } from 'lapidary/testing'
import { createRunner } from '../../src/stream/runner.ts'
import { createTableClient, type TableClient } from '../../src/table/table-client.ts'
import { createStreamProcess, type StreamProcess } from './process.ts'
import { type Recount, recount } from './recount.ts'
import { reviewProjections, reviewTable } from './reviews.ts'
import { createWorkload } from './workload.ts'

export interface FaultRunOptions {
  readonly client: DynamoDBClient
  readonly streams: DynamoDBStreamsClient
  readonly seed: number
  readonly rates: Partial<FaultRates>
  readonly changes: number
  /** Shards at the beginning, which close and have children; the engine's own endless one when not given. */
  readonly shards?: number | undefined
  readonly killAt?: number
  /** The share, 0 to 1, of the rounds in which a process loses its shards without knowing. */
  readonly zombies?: number
  /** A defect put between the runner and DynamoDB. */
  readonly spoil?: (client: DynamoDBClient) => DynamoDBClient
}

export interface FaultRun extends Recount {
  readonly kit: FaultKit
}

const MOST_ROUNDS = 60
const LEASE_OVER_MS = 1_001

/** Writes random changes while processes that come and go keep the derived data, then drains the stream and recounts. */
export async function faultRun(options: FaultRunOptions): Promise<FaultRun> {
  const { client, seed, changes, rates, killAt, shards, zombies = 0 } = options
  const random = seededRandom(seed)
  const tableName = `faults-${randomBytes(8).toString('hex')}`
  const created = await client.send(new CreateTableCommand(createTableInput(reviewTable(tableName))))
  const arn = created.TableDescription?.LatestStreamArn ?? ''
  try {
    const kit = createFaultKit({ seed, rates, ...(killAt === undefined ? {} : { killAt }) })
    const spoil = options.spoil ?? ((given) => given)
    const aws = createAwsStream({
      ...{ client, streams: options.streams, tableName, seed },
      behaviour: { shards: shards ?? 1, splits: 0.5, ...(shards === undefined ? {} : { shardRecords: 40 }) },
    })
    const calm = aws.streams
    const start = (through: DynamoDBClient, streams: DynamoDBStreamsClient, life: number): StreamProcess => {
      const table = tableThrough(spoil(through), tableName, random)
      const runner = createRunner({ table, projections: reviewProjections() })
      return createStreamProcess({ runner, streams, arn }, `owner-${life}`, life * LEASE_OVER_MS)
    }
    const faulty = { client: kit.dynamodb(aws.client), streams: kit.streams(calm) }
    let life = 1
    let running = start(faulty.client, faulty.streams, life)
    let zombie: StreamProcess | undefined
    const succeed = (): void => {
      life += 1
      running = start(faulty.client, faulty.streams, life)
    }
    const round = async (): Promise<boolean> => {
      // A process that stood still so long that another took its shards, and goes on as if nothing had happened.
      const stoodStill = zombies > 0 && random() < zombies
      if (stoodStill) {
        zombie = running
        succeed()
      } else if (random() < 0.3) zombie = undefined
      const together = random() < 0.5
      const [progress] = await Promise.all([running.round(), together ? zombie?.round() : undefined])
      if (!together) await zombie?.round()
      if (!kit.isKilled) return progress
      kit.revive()
      zombie = undefined
      succeed()
      return true
    }

    const workload = createWorkload(aws.client, tableName, random, changes)
    while (await workload.write()) {
      if (random() < 0.35) await round()
    }
    for (let rounds = 0, idle = 0; idle < 2 && rounds < MOST_ROUNDS; rounds++) idle = (await round()) ? 0 : idle + 1
    await kit.settled()
    // What the faults kept from being read to the end is read by a process that has none.
    const last = start(aws.client, calm, life + 1)
    while (await last.round());
    return { kit, ...(await recount(client, tableName)) }
  } finally {
    await client.send(new DeleteTableCommand({ TableName: tableName }))
  }
}

/** Waits are over at once: there is nothing to wait for. */
export function tableThrough(client: DynamoDBClient, tableName: string, random: () => number): TableClient {
  return createTableClient({ client, tableName, random, sleep: () => new Promise((resolve) => setImmediate(resolve)) })
}
