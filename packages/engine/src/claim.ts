import { linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { identify, isLive, type ProcessIdentity } from './process-identity.ts'

/** A supervisor's claim on a data folder: at most one is in force, and it says where other processes connect. */
export interface Claim {
  readonly number: number
  readonly state: 'starting' | 'ready' | 'ended' | 'failed'
  readonly supervisor: ProcessIdentity
  /** The database's process, so that a successor can end one that outlived its supervisor. */
  readonly engine?: ProcessIdentity
  /** The folder of the sockets. */
  readonly sockets?: string
  readonly failure?: string
}

/** Tells whether no supervisor answers for the folder any more, so that a new one may claim it. */
export function isVacant(claim: Claim | undefined): boolean {
  if (claim === undefined || claim.state === 'ended' || claim.state === 'failed') return true
  return !isLive(claim.supervisor)
}

/** Reads the newest claim on the folder; undefined when there never was one, or a crash cut it short. */
export function readClaim(folder: string): Claim | undefined {
  const number = newestNumber(folder)
  return number === 0 ? undefined : parseClaim(folder, number)
}

/**
 * Claims the folder for this process; undefined when another supervisor has it.
 *
 * Claims are numbered files, and the highest counts. Linking the next number is atomic, and the highest is never removed,
 * so a slow contender that links a number already passed sees the higher one and gives way.
 */
export function takeClaim(folder: string): { claim: Claim; previous: Claim | undefined } | undefined {
  const newest = newestNumber(folder)
  const previous = newest === 0 ? undefined : parseClaim(folder, newest)
  if (!isVacant(previous)) return undefined
  const claim: Claim = { number: newest + 1, state: 'starting', supervisor: identify(process.pid) }
  const draft = writeDraft(folder, claim)
  try {
    linkSync(draft, claimFile(folder, claim.number))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
  const numbers = claimNumbers(folder)
  if (Math.max(...numbers) > claim.number) {
    rmSync(claimFile(folder, claim.number), { force: true })
    return undefined
  }
  for (const number of numbers) if (number < claim.number) rmSync(claimFile(folder, number), { force: true })
  return { claim, previous }
}

/** Replaces this process's own claim in one step. */
export function updateClaim(folder: string, claim: Claim): void {
  renameSync(writeDraft(folder, claim), claimFile(folder, claim.number))
}

function writeDraft(folder: string, claim: Claim): string {
  const draft = join(folder, `draft-${process.pid}`)
  writeFileSync(draft, JSON.stringify(claim))
  return draft
}

function parseClaim(folder: string, number: number): Claim | undefined {
  try {
    return JSON.parse(readFileSync(claimFile(folder, number), 'utf8')) as Claim
  } catch (error) {
    // A crash cut it short, or a successor removed it. A claim that this process may not read is another user's, and in force.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function newestNumber(folder: string): number {
  return Math.max(0, ...claimNumbers(folder))
}

function claimNumbers(folder: string): number[] {
  try {
    return readdirSync(folder).flatMap((name) => {
      const match = /^claim-(\d+)\.json$/.exec(name)
      return match === null ? [] : [Number(match[1])]
    })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function claimFile(folder: string, number: number): string {
  return join(folder, `claim-${number}.json`)
}
