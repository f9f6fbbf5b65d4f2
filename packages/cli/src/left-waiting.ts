import { LapidaryError, type StreamReport } from 'lapidary'
import type { Session } from './session.ts'
import type { Terminal } from './terminal.ts'
import { unknownCounts } from './unknown-counts.ts'
import { changesText } from './waiting-changes.ts'

/** The changes that a command leaves uncounted, for people and for machines. */
export interface LeftWaiting {
  /** A line for people; undefined where there is no stream, which `doctor` reports. */
  readonly text: string | undefined
  readonly json: {
    /** The number of changes not counted yet, as a report has it; null where that is not known. */
    readonly pending: number | null
    /** The number for stores that follow the stream by themselves; left out where there are none. */
    readonly pendingApart?: number
    /** Whether everything is counted; null where `pending` is. */
    readonly counted: boolean | null
  }
}

/** Milliseconds for the line itself, of the time that a signal leaves. */
const TO_TELL_MS = 100

/** Reads the changes that a command leaves uncounted. It never fails the command: what was done is done. */
export async function leftWaiting(session: Session, terminal: Terminal): Promise<LeftWaiting> {
  try {
    const read = Promise.all([session.database.stream.report(), unknownCounts(session)])
    const found = await beforeTheEnd(read, terminal)
    if (found === undefined) return unknown('there was no time left to look')
    const [report, unknownOnes] = found
    return leftOf(report, unknownOnes.length === 0)
  } catch (error) {
    if (error instanceof LapidaryError && error.code === 'table_mismatch') {
      return { text: undefined, json: { pending: null, counted: null } }
    }
    return unknown(error instanceof Error ? error.message : String(error))
  }
}

function unknown(reason: string): LeftWaiting {
  const text = `the number of changes not counted yet is not known: ${reason}; lapidary doctor shows it`
  return { text, json: { pending: null, counted: null } }
}

/** Returns the result of work, or undefined: a signal ends the wait, at once or after the time that it leaves. */
async function beforeTheEnd<T>(work: Promise<T>, terminal: Terminal): Promise<T | undefined> {
  const { signal } = terminal
  const end = signal.aborted ? AbortSignal.timeout(Math.max(0, Math.floor(terminal.leftMs() - TO_TELL_MS))) : signal
  const done = new AbortController()
  const ended = new Promise<undefined>((resolve) =>
    end.addEventListener('abort', () => resolve(undefined), { once: true, signal: done.signal }),
  )
  try {
    return await Promise.race([work, ended])
  } finally {
    done.abort()
  }
}

/**
 * Says how many changes are not counted yet, and what to do about them.
 *
 * @param isKnown Tells whether all declared counts and leaderboards are known.
 */
export function leftOf({ pending, shards, apart, deadLetters }: StreamReport, isKnown: boolean): LeftWaiting {
  const behind = apart?.pending ?? 0
  const hasGap = [...shards, ...(apart?.shards ?? [])].some(({ gap }) => gap)
  const isWell = isKnown && deadLetters === 0 && !hasGap
  const parts = [
    ...(pending > 0 ? [`${changesText(pending)} not counted yet`] : []),
    ...(behind > 0 ? [`${changesText(behind)} not in the stores of page numbers yet`] : []),
  ]
  const isRead = [...shards, ...(apart?.shards ?? [])].some(({ owner }) => owner !== undefined)
  const todo = isRead
    ? 'a process that follows the stream is counting them'
    : 'run lapidary stream, unless a server or the Lambda counts them'
  const waiting = parts.length > 0 ? `${parts.join(', ')}: ${todo}` : undefined
  const rest = isWell ? undefined : 'counts are not complete: lapidary doctor tells why'
  const counted = parts.length === 0 && isWell
  return {
    text: counted ? 'everything is counted' : [waiting, rest].filter((part) => part !== undefined).join('; '),
    json: { pending, ...(apart === undefined ? {} : { pendingApart: behind }), counted },
  }
}
