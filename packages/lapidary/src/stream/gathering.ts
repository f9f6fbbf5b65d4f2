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
  /** Milliseconds after which a lane is to read again, so that what it finds is in the next commit. */
  untilNext(lane: Lane): number
}

interface Waiting extends Turn {
  readonly batch: Batch
  readonly leave: (error?: unknown) => void
}

/** A commit of many checkpoints may come later by so many times than one of one checkpoint. */
const MOST_TIMES = 3

export function createGathering({ runner, gatherMs, clock, signal }: GatheringOptions): Gathering {
  const waiting = new Set<Waiting>()
  /** Lanes that read when the next commit is due. */
  const reading = new Set<Lane>()
  let pumping = false
  let dueAt = Number.NEGATIVE_INFINITY
  let look = (): void => {}

  signal.addEventListener('abort', () => look(), { once: true })

  const isLarge = (): boolean => [...waiting].some(({ large }) => large)

  /** Lanes read when the commit is due, all at the same time; it waits a little for what they find. */
  async function untilDue(): Promise<void> {
    await waitFor(isLarge, Math.min(dueAt - clock(), MOST_TIMES * gatherMs))
    await waitFor(() => reading.size === 0 || isLarge(), gatherMs)
    reading.clear()
  }

  /** Looks at each change that is handed over, and waits no longer than it may. */
  async function waitFor(isReached: () => boolean, ms: number): Promise<void> {
    const reached = new AbortController()
    look = () => {
      if (signal.aborted || isReached()) reached.abort()
    }
    look()
    await pauseUnless(reached.signal, ms)
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
      const lost = new LapidaryError('unavailable', `the lease of ${shardId} was lost`)
      try {
        if (!(await turn.keep())) turn.leave(lost)
      } catch (error) {
        turn.leave(error)
      }
    }
    const held = turns.filter((turn) => waiting.has(turn))
    const { failures, lanes, writes } = await runner.countNext(held.map(({ batch }) => batch))
    for (const turn of held) {
      const { lane, rest } = turn.batch
      if (failures.has(lane)) turn.leave(failures.get(lane))
      else if (rest.length === 0) turn.leave()
    }
    // What did not fit goes on at once.
    const hasMore = held.some((turn) => waiting.has(turn))
    dueAt = clock() + (hasMore ? 0 : gatherMs * timesOf(lanes, writes))
  }

  return {
    async count(lane, changes, turn) {
      reading.delete(lane)
      const batch = runner.batchOf(lane, changes)
      if (batch.rest.length === 0) {
        look()
        return
      }
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
      look()
      if (!pumping) void pump()
      await counted
    },
    untilNext(lane) {
      reading.add(lane)
      return Math.min(dueAt - clock(), MOST_TIMES * gatherMs)
    },
  }
}

/** The checkpoints of many lanes cost as much as counters do. What they cost a change stays the same when they move less often. */
function timesOf(lanes: number, writes: number): number {
  const withOne = writes - lanes + 1
  return Math.min(MOST_TIMES, Math.max(1, writes / Math.max(1, withOne)))
}
