/** Counts failed authentications of each address, and says when there were too many. */
export interface FailureLimit {
  /** Seconds until the address may try again; 0 when it may now. */
  waitSeconds(address: string): number
  fail(address: string): void
}

interface Window {
  readonly endsAt: number
  failures: number
}

const MAX_ADDRESSES = 10_000

/**
 * @param most Failures that one address may have in a window.
 * @param windowMs Length of a window, from its first failure on.
 */
export function createFailureLimit(most: number, windowMs: number, clock: () => number): FailureLimit {
  const windows = new Map<string, Window>()
  const current = (address: string): Window | undefined => {
    const window = windows.get(address)
    if (window === undefined || window.endsAt > clock()) return window
    windows.delete(address)
    return undefined
  }
  return {
    waitSeconds(address) {
      const window = current(address)
      return window !== undefined && window.failures > most ? Math.ceil((window.endsAt - clock()) / 1000) : 0
    },
    fail(address) {
      const window = current(address)
      if (window !== undefined) {
        window.failures++
        return
      }
      // The oldest goes first, so that many addresses can't fill the memory.
      const [oldest] = windows.keys()
      if (windows.size >= MAX_ADDRESSES && oldest !== undefined) windows.delete(oldest)
      windows.set(address, { endsAt: clock() + windowMs, failures: 1 })
    },
  }
}
