import { once } from 'node:events'

/** The streams of a command: results go to standard output, everything else to standard error. */
export interface Terminal {
  /** Writes a result; resolves when there is room for more. */
  write(text: string): Promise<void>
  /** Writes a line for people to standard error. */
  note(text: string): void
  readonly columns: number
  /**
   * Aborted by Ctrl-C or SIGTERM. A second later the process ends with whatever still runs, such as a wait for a database that does not answer;
   * a second signal ends it at once.
   */
  readonly signal: AbortSignal
  /** Returns the milliseconds until a signal ends this process; infinite before there is a signal. */
  leftMs(): number
  /**
   * Runs work that keeps the processor busy for seconds and leaves nothing in disorder: a signal meanwhile ends the process, which could not
   * take notice of it.
   */
  busy<T>(work: () => T): T
  close(): void
}

/** Milliseconds for running work to end by itself; with the time that the process takes to end, that is a second. */
const GRACE_MS = 800

/** Opens the terminal of this process. A reader that leaves early (`| head`) ends the process quietly. */
export function openTerminal(): Terminal {
  const { stdout, stderr } = process
  const abort = new AbortController()
  const stop = (): void => {
    if (abort.signal.aborted) process.exit(1)
    stoppedAt = performance.now()
    abort.abort()
    // A write is whole, or is done again, so the process may end at any time.
    end = setTimeout(() => {
      if (!closed) stderr.write('lapidary: stopped; work under way did not end within a second, and was left\n')
      process.exit(process.exitCode ?? 1)
    }, GRACE_MS)
  }
  let closed = false
  let end: NodeJS.Timeout | undefined
  let stoppedAt = Number.POSITIVE_INFINITY
  const leave = (error: NodeJS.ErrnoException): void => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  }
  stdout.on('error', leave)
  stderr.on('error', leave)
  const listen = (): void => void process.on('SIGINT', stop).on('SIGTERM', stop)
  const unlisten = (): void => void process.off('SIGINT', stop).off('SIGTERM', stop)
  listen()
  return {
    async write(text) {
      if (!stdout.write(text)) await once(stdout, 'drain')
    },
    note: (text) => void stderr.write(`${text}\n`),
    columns: stdout.columns ?? 120,
    signal: abort.signal,
    leftMs: () => Math.max(0, stoppedAt + GRACE_MS - performance.now()),
    busy(work) {
      unlisten()
      try {
        return work()
      } finally {
        listen()
      }
    },
    close() {
      closed = true
      // The command is done, but a request that is never answered keeps the process alive.
      end?.unref()
      unlisten()
      stdout.off('error', leave).on('error', () => {})
      stderr.off('error', leave).on('error', () => {})
    },
  }
}
