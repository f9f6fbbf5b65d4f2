import { once } from 'node:events'

/** Where a command writes: results to standard output, everything else to standard error. */
export interface Terminal {
  /** Writes a result; resolves when there is room for more. */
  write(text: string): Promise<void>
  /** A line for people, on standard error. */
  note(text: string): void
  readonly columns: number
  /** Aborted by Ctrl-C or SIGTERM. A second one ends the process at once. */
  readonly signal: AbortSignal
  close(): void
}

/** The terminal of this process. A reader that leaves early (`| head`) ends the process quietly. */
export function openTerminal(): Terminal {
  const { stdout, stderr } = process
  const abort = new AbortController()
  const stop = (): void => {
    if (abort.signal.aborted) process.exit(1)
    abort.abort()
  }
  const leave = (error: NodeJS.ErrnoException): void => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  }
  stdout.on('error', leave)
  stderr.on('error', leave)
  process.on('SIGINT', stop).on('SIGTERM', stop)
  return {
    async write(text) {
      if (!stdout.write(text)) await once(stdout, 'drain')
    },
    note: (text) => void stderr.write(`${text}\n`),
    columns: stdout.columns ?? 120,
    signal: abort.signal,
    close() {
      process.off('SIGINT', stop).off('SIGTERM', stop)
      stdout.off('error', leave).on('error', () => {})
      stderr.off('error', leave).on('error', () => {})
    },
  }
}
