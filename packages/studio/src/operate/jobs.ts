import type { Child } from 'hono/jsx'

/** The progress of a job, in words, and in numbers where they are known. */
export interface JobProgress {
  readonly text: string
  readonly done?: number | undefined
  readonly total?: number | undefined
}

/** A long operation of the studio, under way or ended. */
export interface Job {
  /** What it does: `Verify`. */
  readonly title: string
  readonly startedAt: number
  readonly endedAt: number | undefined
  readonly state: 'running' | 'stopping' | 'done' | 'stopped' | 'failed'
  readonly progress: JobProgress
  /** The outcome, shown to who started it. */
  readonly outcome: Child | undefined
  readonly error: unknown
}

/** Runs a job; it tells its progress, and ends early by the signal. */
export type JobRun = (report: (progress: JobProgress) => void, signal: AbortSignal) => Promise<Child>

/** Runs long operations, one at a time: two that mend the same would refuse each other. */
export interface Jobs {
  /** Returns the job that is running or ended last; undefined before the first. */
  latest(): Job | undefined
  /** Begins a job. False where another one is running. */
  start(title: string, run: JobRun): boolean
  /** Stops the job that is running, and waits until it has ended. */
  stop(): Promise<void>
}

export function createJobs(clock: () => number = Date.now): Jobs {
  let latest: { -readonly [K in keyof Job]: Job[K] } | undefined
  let stopping = new AbortController()
  let ended: Promise<void> = Promise.resolve()
  const isRunning = (): boolean => latest?.state === 'running' || latest?.state === 'stopping'
  return {
    latest: () => latest,
    start(title, run) {
      if (isRunning()) return false
      stopping = new AbortController()
      const { signal } = stopping
      const job = {
        ...{ title, startedAt: clock(), endedAt: undefined, state: 'running', outcome: undefined, error: undefined },
        progress: { text: 'starting' },
      } as { -readonly [K in keyof Job]: Job[K] }
      latest = job
      ended = run((progress) => {
        job.progress = progress
      }, signal)
        .then((outcome) => {
          job.outcome = outcome
          job.state = 'done'
        })
        .catch((error: unknown) => {
          job.error = error
          job.state = signal.aborted ? 'stopped' : 'failed'
        })
        .finally(() => {
          job.endedAt = clock()
        })
      return true
    },
    async stop() {
      if (latest?.state === 'running') latest.state = 'stopping'
      stopping.abort()
      await ended
    },
  }
}
