import type { Change } from '../derived/change.ts'
import { LapidaryError } from '../model/errors.ts'
import type { Batch, Lane } from './batch.ts'
import { pauseUnless } from './follow-shard.ts'
import type { Runner } from './runner.ts'

export interface GatheringOptions {
  readonly runner: Runner
  /** Milliseconds between commits while changes keep coming. */
  readonly gatherMs: number
  readonly clock: () => number
  /** Nothing waits any more once it is given. */
  readonly signal: AbortSignal
}

/** What a lane asks for beside counting. */
export interface Turn {
  /** Renews the lane's lease while it waits. False when it is lost. */
  readonly keep: () => Promise<boolean>
  /** Whether there is so much that nothing is gained by waiting for more. */
  readonly large: boolean
}

/**
 * One commit for all lanes of a process: what they have read meanwhile is counted together, so that they do not fight for
 * the counters of one product. The first change after a lull does not wait.
 */
export interface Gathering {
  /** Resolves when the changes are counted. Throws as {@link Runner.apply}. */
  count(lane: Lane, changes: readonly Change[], turn: Turn): Promise<void>
  /** Milliseconds after which a lane should read again, so that what it finds is in the next commit. */
  untilNext(): number
}

interface Waiting extends Turn {
  readonly batch: Batch
  readonly leave: (error?: unknown) => void
}

/** A read takes about so long: lanes read this much before the commit that they share. */
const READ_MS = 100
/** A commit of many checkpoints may come later by so many times than one of one checkpoint. */
const MOST_TIMES = 3
/** What a change may cost more than with one lane. */
const MORE_COST = 1.1

export function createGathering({ runner, gatherMs, clock, signal }: GatheringOptions): Gathering {
  const waiting = new Set<Waiting>()
  let pumping = false
  let dueAt = Number.NEGATIVE_INFINITY
  let lanes = 1
  let hurry = new AbortController()

  async function untilDue(): Promise<void> {
    hurry = new AbortController()
    if ([...waiting].some(({ large }) => large)) return
    await pauseUnless(AbortSignal.any([hurry.signal, signal]), dueAt - clock())
  }

  async function pump(): Promise<void> {
    pumping = true
    while (waiting.size > 0) {
      await untilDue()
      const turns = [...waiting]
      try {
        await countNext(turns)
      } catch (error) {
        for (const turn of turns) turn.leave(error)
      }
    }
    pumping = false
  }

  async function countNext(turns: readonly Waiting[]): Promise<void> {
    for (const turn of turns) {
      const { shardId } = turn.batch.lane
      if (!(await turn.keep())) turn.leave(new LapidaryError('unavailable', `the lease of ${shardId} was lost`))
    }
    const held = turns.filter((turn) => waiting.has(turn))
    const { failures, lanes: committed, writes } = await runner.countNext(held.map(({ batch }) => batch))
    for (const turn of held) {
      const { lane, rest } = turn.batch
      if (failures.has(lane)) turn.leave(failures.get(lane))
      else if (rest.length === 0) turn.leave()
    }
    lanes = committed
    // What did not fit goes on at once.
    const hasMore = held.some((turn) => waiting.has(turn))
    dueAt = clock() + (hasMore ? 0 : gatherMs * timesOf(committed, writes))
  }

  return {
    async count(lane, changes, turn) {
      const batch = runner.batchOf(lane, changes)
      if (batch.rest.length === 0) return
      const counted = new Promise<void>((resolve, reject) => {
        const entry: Waiting = {
          ...turn,
          batch,
          leave(error) {
            waiting.delete(entry)
            if (error === undefined) resolve()
            else reject(error)
          },
        }
        waiting.add(entry)
      })
      if (turn.large) hurry.abort()
      if (!pumping) void pump()
      await counted
    },
    untilNext: () => dueAt - clock() - (lanes > 1 ? READ_MS : 0),
  }
}

/** The checkpoints of many lanes cost as much as counters do: what they cost a change stays the same when they move less often. */
function timesOf(lanes: number, writes: number): number {
  const others = Math.max(0, lanes - 1)
  return Math.min(MOST_TIMES, Math.max(1, writes / Math.max(1, writes - others) / MORE_COST))
}
