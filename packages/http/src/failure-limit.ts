/** Counts the authentications of each address, and says when too many have failed. */
export interface FailureLimit {
  /** Returns the seconds until the address may try again; 0 when it may now. */
  waitSeconds(address: string): number
  fail(address: string): void
  succeed(address: string, role: string): void
  /** Tells whether the address was let in with this role a while ago. */
  hasSucceeded(address: string, role: string): boolean
}

interface Window {
  readonly endsAt: number
  failures: number
}

const MAX_ADDRESSES = 10_000

/**
 * @param most The most failures of one address in a window.
 * @param windowMs The length of a window, from its first failure on.
 */
export function createFailureLimit(most: number, windowMs: number, clock: () => number): FailureLimit {
  const windows = new Map<string, Window>()
  const successes = new Map<string, ReadonlySet<string>>()
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
      if (window !== undefined) window.failures++
      else keep(windows, address, { endsAt: clock() + windowMs, failures: 1 })
    },
    succeed(address, role) {
      keep(successes, address, new Set([...(successes.get(address) ?? []), role]))
    },
    hasSucceeded: (address, role) => successes.get(address)?.has(role) === true,
  }
}

/** Keeps a value as the latest; the oldest goes first, so that many addresses can't fill the memory. */
function keep<V>(values: Map<string, V>, address: string, value: V): void {
  values.delete(address)
  const [oldest] = values.keys()
  if (values.size >= MAX_ADDRESSES && oldest !== undefined) values.delete(oldest)
  values.set(address, value)
}
