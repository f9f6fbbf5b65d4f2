import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { type AwsStream, createFaultKit, type FaultKit, intercepted, seededRandom } from 'lapidary-testing'
import { catchUp } from '../../src/stream/heartbeat.ts'
import { createStreamHandler } from '../../src/stream/lambda.ts'
import { type Poller, startPoller } from '../../src/stream/poller.ts'
import { createRunner } from '../../src/stream/runner.ts'
import { databaseError } from '../../src/table/database-error.ts'
import { createTableClient } from '../../src/table/table-client.ts'
import { type HistoryDerived, openHistoryDerived } from './history-derived.ts'
import type { HistoryPlan } from './history-plan.ts'

/** In milliseconds of this machine, as the pollers of a history take them. */
export const LEASE_MS = 600

/** A program with a life of its own: its connection to AWS, its clock, its death. */
export interface HistoryProcess {
  readonly faults: FaultKit
  readonly derived: HistoryDerived
  poll(): Poller
  /** Counts what is waiting, and ends. */
  catchUp(): Promise<void>
  readonly handler: ReturnType<typeof createStreamHandler>
  /** Nothing that it sends goes out, and nothing comes back, until the promise is done. */
  standStill(until: Promise<void>): void
}

const MOST_TRIES = 200
const PAUSE_MS = 10

/** Whether something may fail of this without anything being wrong with the program. */
export function isPassing(error: unknown): boolean {
  return (error as Error).name === 'Killed' || databaseError(error)?.code === 'unavailable'
}

/** Tries again for as long as it fails of what passes. */
export async function persistently<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!isPassing(error) || tries === MOST_TRIES) throw error
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
  }
}

export interface ProcessOptions {
  readonly seed: number
  /** Milliseconds that have passed at once. */
  readonly passedMs?: () => number
  /** Its write point at which it dies. */
  readonly killAt?: number | undefined
  /** A defect put between the process and DynamoDB. */
  readonly spoil?: ((client: DynamoDBClient) => DynamoDBClient) | undefined
}

export function openProcess(
  aws: AwsStream,
  tableName: string,
  { rates, msPerSecond, clockSeconds }: HistoryPlan,
  { seed, killAt, spoil = (given) => given, passedMs = () => 0 }: ProcessOptions,
): HistoryProcess {
  const random = seededRandom(seed)
  const clockMs = Math.round((random() - 0.5) * clockSeconds * msPerSecond)
  const faults = createFaultKit({ seed, rates, clockMs, ...(killAt === undefined ? {} : { killAt }) })
  let standing: Promise<void> | undefined
  const client = intercepted<DynamoDBClient>(faults.dynamodb(aws.client), async (command, send) => {
    await standing
    const answer = await send(command)
    await standing
    return answer
  })
  const table = createTableClient({
    ...{ client: spoil(client), tableName, random },
    // What waits for AWS waits in AWS's time.
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, (ms * msPerSecond) / 1_000)),
  })
  const streams = faults.streams(aws.streams)
  const clock = (): number => faults.clock() + passedMs()
  const derived = openHistoryDerived({
    ...{ table, client, streams, clock, speed: 1_000 / msPerSecond },
    // As long as children are listed late at most.
    listedMs: 45 * msPerSecond,
  })
  const { projections, shapes } = derived
  const runner = createRunner({ table, projections, shapes })
  const poll = (): Poller =>
    startPoller({ streams, runner, clock, idleMs: 15, gatherMs: 20, leaseMs: LEASE_MS, discoverMs: 400 })
  return {
    ...{ faults, derived, poll },
    async catchUp() {
      await using poller = poll()
      await catchUp({ table, streams, poller, clock, now: () => performance.now() })
    },
    handler: createStreamHandler({ runner, streams, clock }),
    standStill(until) {
      standing = until.then(() => {
        standing = undefined
      })
    },
  }
}
