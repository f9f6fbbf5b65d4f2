import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** A process that can be told from every other: of another machine, of another container, and a later one with its number. */
export interface ProcessIdentity {
  readonly pid: number
  /** When the kernel started it, in clock ticks since boot; undefined where there is no /proc. */
  readonly startedAt?: string | undefined
  readonly host: string
  /** A digest of the boot of the machine and the name space of its process numbers: only within these does `pid` mean anything. */
  readonly machine: string
}

const MACHINE_DIGITS = 16
/** A host's name is cut to this: with the rest it makes less than 60 bytes, which fit into an inode. */
const MOST_HOST = 20

/** An identity in one short line. */
export function writtenIdentity({ pid, startedAt = '-', machine, host }: ProcessIdentity): string {
  return [pid, startedAt, machine, host.slice(0, MOST_HOST)].join(' ')
}

/** Reads such a line; undefined for any other. */
export function readIdentity(text: string): ProcessIdentity | undefined {
  const [, pid, startedAt, machine, host] = /^(\d+) (\S+) (\S+) (.*)$/.exec(text) ?? []
  if (pid === undefined || machine === undefined || host === undefined) return undefined
  return { pid: Number(pid), startedAt: startedAt === '-' ? undefined : startedAt, machine, host }
}

/** Names the running process. */
export function identifySelf(): ProcessIdentity {
  const { pid } = process
  return { pid, startedAt: statusOf(pid)?.startedAt, host: hostname(), machine: machineOf() }
}

/** Whether that very process still runs; undefined when it is of another machine or container, whose processes can't be seen here. */
export function isLive({ pid, startedAt, machine }: ProcessIdentity): boolean | undefined {
  if (machine !== machineOf()) return undefined
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  const status = statusOf(pid)
  if (status === undefined || startedAt === undefined) return true
  return status.state !== 'Z' && status.startedAt === startedAt
}

function machineOf(): string {
  return createHash('sha256').update(machineText()).digest('hex').slice(0, MACHINE_DIGITS)
}

function machineText(): string {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return hostname()
  }
}

function statusOf(pid: number): { readonly state: string; readonly startedAt: string } | undefined {
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
