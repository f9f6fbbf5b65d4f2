/** The result of a try that has to be made again, with the cause. */
export class Again {
  readonly cause: unknown

  constructor(cause?: unknown) {
    this.cause = cause
  }
}

export interface RetryOptions<T> {
  /** The most tries. */
  readonly most: number
  /** The try after which pauses stop growing. */
  readonly steadyFrom?: number
  /** Returns the answer after the last try, or throws. */
  readonly gaveUp: (tries: number, cause: unknown) => T
}

/** The parts that waiting needs from outside: the library has no clock and no randomness of its own. */
export interface Waiting {
  readonly random: () => number
  readonly sleep: (milliseconds: number) => Promise<void>
}

/** Sleeps without `node:timers/promises`, which the SDK does not load. */
export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, milliseconds))
}

const BASE_DELAY_MS = 25
const LONGEST_DELAY_MS = 2_000

/** Tries until there is an answer that is not {@link Again}, with a jittered pause between tries. */
export async function retrying<T>(
  { random, sleep }: Waiting,
  { most, steadyFrom = most, gaveUp }: RetryOptions<T>,
  attempt: () => Promise<T | Again>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    const answer = await attempt()
    if (!(answer instanceof Again)) return answer
    if (tries >= most) return gaveUp(tries, answer.cause)
    await sleep(jitteredDelay(Math.min(tries, steadyFrom), random))
  }
}

/** Returns a delay with full jitter: anything from 0 to the exponential ceiling ("Exponential Backoff And Jitter", AWS Architecture Blog). */
export function jitteredDelay(attempt: number, random: () => number): number {
  return random() * Math.min(LONGEST_DELAY_MS, BASE_DELAY_MS * 2 ** attempt)
}
