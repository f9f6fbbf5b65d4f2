import { readFileSync } from 'node:fs'

/** A process that can be told from a later one with the same number. */
export interface ProcessIdentity {
  readonly pid: number
  /** The time when the kernel started it, in clock ticks since boot; undefined where there is no /proc. */
  readonly startedAt?: string | undefined
}

interface ProcessStatus {
  readonly state: string
  readonly startedAt: string
}

/** Names the running process with number `pid`. */
export function identify(pid: number): ProcessIdentity {
  return { pid, startedAt: readStatus(pid)?.startedAt }
}

/** Tells whether that very process still runs: it has not ended, is no zombie, and no other process has its number. */
export function isLive({ pid, startedAt }: ProcessIdentity): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  const status = readStatus(pid)
  if (status === undefined || startedAt === undefined) return true
  return status.state !== 'Z' && status.startedAt === startedAt
}

function readStatus(pid: number): ProcessStatus | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The command's name, in parentheses, may itself hold spaces and parentheses.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const [state, startedAt] = [fields[0], fields[19]]
    return state === undefined || startedAt === undefined ? undefined : { state, startedAt }
  } catch {
    return undefined
  }
}
