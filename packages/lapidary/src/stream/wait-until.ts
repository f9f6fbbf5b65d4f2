import { LapidaryError } from '../model/errors.ts'

/** What is waited for, and how it is told that it will not come. */
export interface Wait {
  /** What is left of it, as a text that changes as long as there is hope; undefined once it is there. Asked again and again. */
  readonly left: () => Promise<string | undefined> | string | undefined
  /** Waits a little. */
  readonly pause: () => Promise<void>
  /** Milliseconds on a clock that is not put back. */
  readonly now: () => number
  /** What is wrong when there was no sign for a minute, and what to do. */
  readonly gaveUp: () => string
}

const STANDSTILL_MS = 60_000
/** A process that slept counts no more of it: what it waits for had no time either. */
const MOST_PAUSE_MS = 10_000

/** @throws {LapidaryError} `unavailable` when there is no sign for a minute. */
export async function waitUntil({ left, pause, now, gaveUp }: Wait): Promise<void> {
  let last: string | undefined
  let [at, silentMs] = [now(), 0]
  for (let is = await left(); is !== undefined; is = await left()) {
    silentMs = is === last ? silentMs + Math.min(now() - at, MOST_PAUSE_MS) : 0
    ;[last, at] = [is, now()]
    if (silentMs > STANDSTILL_MS) throw new LapidaryError('unavailable', gaveUp())
    await pause()
  }
}
