import { setTimeout as sleep } from 'node:timers/promises'
import { type FollowerReport, MOST_PENDING, type StreamReport } from 'lapidary'
import { count } from './count-text.ts'
import type { Finding } from './finding.ts'
import type { Session } from './session.ts'

/** Changes that are not counted yet, and whether a process counts them. */
export interface WaitingChanges {
  readonly pending: number
  /** Milliseconds since the first of them was made. */
  readonly lagMs: number
  /** Whether a process holds a shard, or has counted while this one looked: a Lambda holds none. */
  readonly followed: boolean
}

/**
 * The state of the stream, and the changes that wait in it: for the table's own derived data, and for stores that follow the stream by
 * themselves.
 */
export interface StreamState {
  readonly report: StreamReport
  readonly counted: WaitingChanges
  readonly apart: WaitingChanges | undefined
}

/** The lag in milliseconds from which the runner counts as too slow. */
const SLOW_MS = 60_000
/** Milliseconds to watch for a Lambda: one that works counts what waits within a few seconds. */
const WATCHED_MS = 10_000
const LOOK_MS = 1_000

/** Reads the stream. Where changes wait and no process holds their shards, it watches for some seconds whether they get fewer. */
export async function readStreamState({ database }: Session, signal: AbortSignal): Promise<StreamState> {
  const first = await database.stream.report()
  let latest = first
  const isIdle = (): boolean =>
    [waitingIn(first, latest), first.apart && waitingIn(first.apart, latest.apart)].some(
      (waiting) => waiting !== undefined && waiting.pending > 0 && !waiting.followed,
    )
  for (const end = performance.now() + WATCHED_MS; isIdle() && performance.now() < end; ) {
    await sleep(LOOK_MS, undefined, { signal })
    latest = await database.stream.report()
  }
  return {
    report: latest,
    counted: waitingIn(first, latest),
    apart: first.apart && waitingIn(first.apart, latest.apart),
  }
}

function waitingIn(first: FollowerReport, latest: FollowerReport = first): WaitingChanges {
  const { pending, pendingSince, shards } = latest
  const before = new Map(first.shards.map(({ shardId, sequenceNumber }) => [shardId, sequenceNumber]))
  return {
    pending,
    lagMs: pendingSince === undefined ? 0 : Math.max(0, Date.now() - pendingSince),
    followed: shards.some(
      ({ shardId, owner, sequenceNumber }) => owner !== undefined || sequenceNumber !== before.get(shardId),
    ),
  }
}

/** Says what is wrong with changes that wait, and what to do; undefined where they are counted, or soon will be. */
export function waitingProblem({
  pending,
  lagMs,
  followed,
}: WaitingChanges): Pick<Finding, 'message' | 'remedy'> | undefined {
  if (pending === 0 || (followed && lagMs <= SLOW_MS)) return undefined
  const waiting = waitingText(pending, lagMs)
  if (!followed) {
    const message = `${waiting}; nothing counts them`
    return { message, remedy: 'run the server or lapidary stream, or deploy the Lambda (docs/deploy.md)' }
  }
  const remedy =
    'check the process that counts for errors and too little capacity; with a long backlog lapidary rebuild statistics is faster'
  return { message: waiting, remedy }
}

/** Says how many changes wait, and for how long. */
export function waitingText(pending: number, lagMs: number): string {
  if (pending === 0) return 'everything is counted'
  return `${changesText(pending)} not counted, the first ${(lagMs / 1000).toFixed(0)} s old`
}

/** Writes the number of changes; a report counts no more than {@link MOST_PENDING}. */
export function changesText(pending: number): string {
  return pending >= MOST_PENDING ? `${count(pending)} or more changes` : count(pending, 'change')
}
