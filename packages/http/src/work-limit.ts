import pLimit from 'p-limit'
import { HttpProblem } from './problem.ts'

/**
 * Runs work when its turn comes.
 *
 * @throws {HttpProblem} `unavailable`, before any work, when too many calls wait already.
 */
export type WorkLimit = <T>(work: () => Promise<T>) => Promise<T>

/**
 * The most calls at once: enough for a database that answers in milliseconds, and few enough for `/healthz` to stay quick beside the largest
 * pages.
 */
const AT_ONCE = 32
/** The most calls that wait: a queue only evens out bursts, and a longer wait is better refused. */
const WAITING = 64

/** Makes one limit for all that a process does for requests. */
export function createWorkLimit(atOnce: number = AT_ONCE, waiting: number = WAITING): WorkLimit {
  const limit = pLimit(atOnce)
  return async (work) => {
    if (limit.pendingCount < waiting) return limit(work)
    throw new HttpProblem('unavailable', 'the server has as many requests as it takes; try again in a second', {
      headers: { 'retry-after': '1' },
    })
  }
}
