import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import { seededRandom } from 'lapidary/internal'
import { Killed } from './fault-errors.ts'
import { type FaultKind, type FaultRates, NO_FAULTS } from './fault-plan.ts'
import type { FaultState } from './fault-state.ts'
import { faultyDynamoDB } from './faulty-dynamodb.ts'
import { faultyStreams } from './faulty-streams.ts'
import { createKnownTables } from './table-keys.ts'

/** Options of `createFaultKit`. */
export interface FaultKitOptions {
  /** The seed that decides which commands fail, as far as the order of commands does not change. */
  readonly seed: number
  /** The rates of faults; {@link drawFaultRates} gives a mix, and a fault that is not named does not happen. */
  readonly rates?: Partial<FaultRates>
  /** Kills once, at this write point: 1 before the first write, 2 after it, 3 before the second… */
  readonly killAt?: number
  /** Milliseconds by which the clock of the process is ahead of others'; 0 when not given. */
  readonly clockMs?: number
  /** Milliseconds of a silence; 30,000 when not given. */
  readonly silenceMs?: number
}

/** Stands between a program and DynamoDB, and makes the faults that a local engine does not. */
export interface FaultKit {
  dynamodb(client: Pick<DynamoDBClient, 'send'>): DynamoDBClient
  streams(client: Pick<DynamoDBStreamsClient, 'send'>): DynamoDBStreamsClient
  /** Write points passed so far, two for each write. */
  readonly writePoints: number
  /** Milliseconds since 1970, by the clock of the process. */
  clock(): number
  /** Whether the process is dead: every command fails until {@link revive}. */
  readonly isKilled: boolean
  /** Kills the process now. */
  kill(): void
  /** Ends all faults, and silences that are under way. */
  calm(): void
  /** Begins a new process, which knows only what the table holds. */
  revive(): void
  /** Resolves when no late write is under way any more. */
  landed(): Promise<void>
  /** The number of times that each fault happened. */
  readonly injected: Readonly<Record<FaultKind, number>>
}

const LONGEST_DELAY_TURNS = 8
/** Throttling is bounded, so that a program which tries a few times gets through. */
const MOST_THROTTLES_IN_A_ROW = 3
const LATEST_TURNS = 60

/**
 * Makes a kit of faults.
 *
 * @example
 * ```ts run
 * const faults = createFaultKit({ seed: 7, rates: drawFaultRates(7) })
 * const lapidary = createLapidary({ client: faults.dynamodb(client), tableName, collections: { comments }, cursorSecret })
 * ```
 */
export function createFaultKit({
  seed,
  rates = {},
  killAt,
  clockMs = 0,
  silenceMs = 30_000,
}: FaultKitOptions): FaultKit {
  const random = seededRandom(seed)
  const injected: Record<FaultKind, number> = { ...NO_FAULTS }
  const late = new Set<Promise<unknown>>()
  const silences = new Set<() => void>()
  let killed = false
  let isCalm = false
  let writePoints = 0
  let throttles = 0

  const strikes = (kind: FaultKind): boolean => {
    const rate = isCalm ? 0 : (rates[kind] ?? 0)
    const strikes = rate > 0 && random() < rate && (kind !== 'throttled' || throttles < MOST_THROTTLES_IN_A_ROW)
    if (kind === 'throttled') throttles = strikes ? throttles + 1 : 0
    if (strikes) injected[kind] += 1
    return strikes
  }
  const requireAlive = (): void => {
    if (killed) throw new Killed(writePoints)
  }
  const state: FaultState = {
    random,
    tables: createKnownTables(),
    strikes,
    requireAlive,
    passWritePoint() {
      requireAlive()
      writePoints += 1
      const planned = writePoints === killAt
      if (planned) injected.killed += 1
      killed = planned || strikes('killed')
      requireAlive()
    },
    async delay() {
      if (!strikes('delayed')) return
      await passTurns(1 + Math.floor(random() * LONGEST_DELAY_TURNS))
    },
    silence: () =>
      new Promise((resolve) => {
        const end = (): void => {
          clearTimeout(timer)
          silences.delete(end)
          resolve()
        }
        const timer = setTimeout(end, silenceMs)
        silences.add(end)
      }),
    carryOutLate(write) {
      const turns = Math.floor(random() * LATEST_TURNS)
      const carriedOut = passTurns(turns)
        .then(write)
        .catch(() => undefined)
        .finally(() => late.delete(carriedOut))
      late.add(carriedOut)
    },
  }
  return {
    dynamodb: (client) => faultyDynamoDB(client, state),
    streams: (client) => faultyStreams(client, state),
    get writePoints() {
      return writePoints
    },
    clock: () => Date.now() + clockMs,
    get isKilled() {
      return killed
    },
    kill() {
      killed = true
      injected.killed += 1
    },
    calm() {
      isCalm = true
      for (const end of silences) end()
    },
    revive() {
      killed = false
    },
    async landed() {
      await Promise.all(late)
    },
    injected,
  }
}

/** Passes turns of the event loop and no milliseconds: other commands overtake, and no test waits. */
async function passTurns(turns: number): Promise<void> {
  for (let i = 0; i < turns; i++) await new Promise<void>((resolve) => setImmediate(resolve))
}
