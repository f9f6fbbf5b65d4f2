import type { Counts, QueryInput } from 'lapidary'

/** The counts of a list as they are when its page is made: there, or still being counted. */
export interface KnownCounts {
  /** Undefined where columns count nothing here, and while they are counted. */
  readonly counts: Counts | undefined
  readonly isCounting: boolean
}

/** Keeps counts for a moment: they are of a filter, whatever its page, its end and its columns. */
export interface CountedLists {
  /** Returns the counts of a list, counted once while nothing changes, and at least each minute. */
  known(query: QueryInput, options: CountingOptions): Promise<KnownCounts>
}

export interface CountingOptions {
  readonly count: () => Promise<Counts | undefined>
  /** Up to when counters have counted: what changes it changes counts. */
  readonly asOf: string | null
  /** Milliseconds after which the page is shown without counts. */
  readonly patience: number
}

interface Counting {
  readonly counted: Promise<Counts | undefined>
  readonly startedAt: number
}

const KEPT_MS = 60_000
const MOST_KEPT = 50

export function createCountedLists(clock: () => number = Date.now): CountedLists {
  const lists = new Map<string, Counting>()
  const counting = (key: string, count: () => Promise<Counts | undefined>): Promise<Counts | undefined> => {
    const kept = lists.get(key)
    if (kept !== undefined && clock() - kept.startedAt < KEPT_MS) return kept.counted
    const counted = count()
    const own: Counting = { counted, startedAt: clock() }
    lists.delete(key)
    lists.set(key, own)
    // What failed is tried again.
    counted.catch(() => lists.get(key) === own && lists.delete(key))
    for (const oldest of lists.keys()) if (lists.size > MOST_KEPT) lists.delete(oldest)
    return counted
  }
  return {
    async known({ scope, where, from, to, by }, { count, asOf, patience }) {
      const counted = counting(JSON.stringify([scope, where, from, to, by, asOf]), count)
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<KnownCounts>((resolve) => {
        timer = setTimeout(() => resolve({ counts: undefined, isCounting: true }), patience)
      })
      const done = counted.then((counts): KnownCounts => ({ counts, isCounting: false }))
      return Promise.race([done, late]).finally(() => clearTimeout(timer))
    },
  }
}
