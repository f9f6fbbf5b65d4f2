import type { Entry } from '../model/entry-bytes.ts'
import type { EntryReader } from '../model/entry-reader.ts'
import { shown, unprocessable } from '../model/errors.ts'

/** A function of the caller that judges items, of which it takes what a list shows. */
export type Having<I = never> = (item: I) => boolean

interface JudgeOptions {
  readonly having?: Having | undefined
  readonly maxBytes?: number | undefined
}

/** The most bytes that are read for a page whose items are judged here. */
export const HAVING_BYTES: number = 2 ** 20

export function requireHaving({ having, maxBytes }: JudgeOptions): void {
  if (having !== undefined && typeof having !== 'function')
    throw unprocessable('the query was refused', [{ path: 'having', message: 'must be a function of an item' }])
  if (maxBytes === undefined || (having !== undefined && maxBytes >= 1)) return
  const message = having === undefined ? 'is for having; use maxCapacity' : `must be at least 1, not ${shown(maxBytes)}`
  throw unprocessable('the query was refused', [{ path: 'maxBytes', message }])
}

/** Judges entries by what lists show of them. A promise would let everything through. */
export function judgeOf(codec: EntryReader, having: Having | undefined): ((entry: Entry) => boolean) | undefined {
  if (having === undefined) return undefined
  return (entry) => {
    const passes: unknown = having(codec.toItem(entry) as never)
    if (typeof passes === 'boolean') return passes
    throw unprocessable('the query was refused', [
      { path: 'having', message: `must give true or false, not ${shown(passes)}; it can't be async` },
    ])
  }
}
