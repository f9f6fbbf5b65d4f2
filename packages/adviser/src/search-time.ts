import { setImmediate as nextTurn } from 'node:timers/promises'

/** The events that may end a search early: its time is over, or the caller aborts. */
export interface SearchTime {
  /** Milliseconds from the start to now. */
  elapsed(): number
  /** Tells whether the search must stop trying. */
  isOver(): boolean
  /**
   * Lets the process take signals and show progress, a few times a second.
   *
   * @throws What the signal was aborted with.
   */
  breathe(): Promise<void>
  /** Returns the milliseconds that are left. */
  left(): number
  /** Returns the same time, but over in this many milliseconds, or before. */
  within(milliseconds: number): SearchTime
}

/** The watcher of a search. */
export interface SearchWatch {
  readonly signal: AbortSignal | undefined
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Called before each breath. */
  readonly onBreath?: (() => void) | undefined
}

const BREATH_MS = 50

/** Makes the time of a search, from now on, without an end. */
export function searchTime({ signal, clock, onBreath }: SearchWatch): SearchTime {
  const start = clock()
  let breathed = start
  const until = (end: number): SearchTime => ({
    elapsed: () => clock() - start,
    isOver: () => clock() >= end,
    async breathe() {
      signal?.throwIfAborted()
      if (clock() - breathed < BREATH_MS) return
      onBreath?.()
      await nextTurn()
      breathed = clock()
      signal?.throwIfAborted()
    },
    left: () => Math.max(0, end - clock()),
    within: (milliseconds) => until(Math.min(end, clock() + milliseconds)),
  })
  return until(Number.POSITIVE_INFINITY)
}
