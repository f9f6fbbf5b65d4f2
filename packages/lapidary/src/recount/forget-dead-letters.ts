import { isDeepStrictEqual } from 'node:util'
import type { CopyProjection } from '../derived/copy-projection.ts'
import { keyEntry } from '../derived/guarded-write.ts'
import { isRefusal } from '../stream/commit.ts'
import { type DeadLetter, forgetDeadLetter } from '../stream/dead-letters.ts'
import { readEntry } from '../table/read-entries.ts'
import type { TableClient } from '../table/table-client.ts'

/** An item that changes so often while it is copied is left to the next repair. */
const MOST_LOOKS = 10

/**
 * Forgets dead letters of which everything is made good: what they left out of the counts by the mending before, and what a copy
 * refused by giving it the item as it is now. One that a copy still refuses stays, and so does one of a copy that only other processes
 * declare. Returns how many are forgotten.
 */
export async function forgetDeadLetters(
  table: TableClient,
  copies: readonly CopyProjection[],
  letters: readonly DeadLetter[],
): Promise<number> {
  let forgotten = 0
  for (const letter of letters) {
    const refusing = copies.filter((copy) => letter.refusedBy.includes(copy.name) && copy.isItem(letter.key))
    const isDeclaredHere = letter.refusedBy.every((name) => refusing.some((copy) => copy.name === name))
    if (!isDeclaredHere || !(await isCopied(table, refusing, letter))) continue
    await forgetDeadLetter(table, letter)
    forgotten += 1
  }
  return forgotten
}

/** Looks again after each copy: the runner may have copied something newer meanwhile, and what is older must not stay. */
async function isCopied(
  table: TableClient,
  copies: readonly CopyProjection[],
  { key, sequenceNumber, at }: DeadLetter,
): Promise<boolean> {
  let after = await readEntry(table, keyEntry(key))
  for (let looks = 1; looks <= MOST_LOOKS; looks++) {
    try {
      const change = { key, sequenceNumber, at, before: undefined, after }
      for (const copy of copies) await copy.apply?.([change], { shardId: undefined })
    } catch (error) {
      if (isRefusal(error)) return false
      throw error
    }
    const now = await readEntry(table, keyEntry(key))
    if (isDeepStrictEqual(now, after)) return true
    after = now
  }
  return false
}
