import { HttpProblem } from './problem.ts'

/** Counts what each caller does within a window of time, and says when that was too much. Each process counts for itself. */
export interface RateLimit {
  /** Returns the seconds until the caller may go on; 0 when they may now. */
  waitSeconds(caller: string): number
  count(caller: string): void
  /**
   * Counts one more, unless that is too much.
   *
   * @throws {HttpProblem} `rate_limited`.
   */
  take(caller: string): void
}

interface Window {
  readonly endsAt: number
  counted: number
}

const MAX_CALLERS = 10_000

/**
 * @param most The most that one caller may do in a window.
 * @param windowMs The length of a window, from the first count on.
 */
export function createRateLimit(most: number, windowMs: number, clock: () => number): RateLimit {
  const windows = new Map<string, Window>()
  const current = (caller: string): Window | undefined => {
    const window = windows.get(caller)
    if (window === undefined || window.endsAt > clock()) return window
    windows.delete(caller)
    return undefined
  }
  const waitSeconds = (caller: string): number => {
    const window = current(caller)
    return window !== undefined && window.counted >= most ? Math.ceil((window.endsAt - clock()) / 1000) : 0
  }
  const count = (caller: string): void => {
    const window = current(caller)
    if (window !== undefined) window.counted++
    else keep(windows, caller, { endsAt: clock() + windowMs, counted: 1 })
  }
  return {
    waitSeconds,
    count,
    take(caller) {
      const wait = waitSeconds(caller)
      if (wait > 0)
        throw new HttpProblem('rate_limited', `that was too often; try again in ${wait} s`, {
          headers: { 'retry-after': String(wait) },
        })
      count(caller)
    },
  }
}

/** Keeps a value as the latest; the oldest goes first, so that many callers can't fill the memory. */
export function keep<V>(values: Map<string, V>, caller: string, value: V): void {
  values.delete(caller)
  const [oldest] = values.keys()
  if (values.size >= MAX_CALLERS && oldest !== undefined) values.delete(oldest)
  values.set(caller, value)
}
