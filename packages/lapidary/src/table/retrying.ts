import type { LapidaryError } from '../model/errors.ts'
import { jitteredDelay, type TableClient } from './table-client.ts'

/** The answer of a try that has to be made again, and why. */
export class Again {
  readonly cause: unknown

  constructor(cause?: unknown) {
    this.cause = cause
  }
}

export interface RetryOptions {
  /** Tries at most. */
  readonly most: number
  /** The try after which pauses do not grow any more. */
  readonly steadyFrom?: number
  /** The error after the last try. */
  readonly gaveUp: (tries: number, cause: unknown) => LapidaryError
}

/** Tries until there is an answer that is not {@link Again}, with a jittered pause between tries. */
export async function retrying<T>(
  { random, sleep }: Pick<TableClient, 'random' | 'sleep'>,
  { most, steadyFrom = most, gaveUp }: RetryOptions,
  attempt: () => Promise<T | Again>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    const answer = await attempt()
    if (!(answer instanceof Again)) return answer
    if (tries >= most) throw gaveUp(tries, answer.cause)
    await sleep(jitteredDelay(Math.min(tries, steadyFrom), random))
  }
}
