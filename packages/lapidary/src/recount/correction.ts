import { sumOf } from '../derived/amount.ts'
import type { Addition } from '../derived/sum-projection.ts'
import { commit } from '../stream/commit.ts'
import { requestShare, withinBudget } from '../table/capacity-budget.ts'
import type { Differing } from './difference.ts'
import type { Fence } from './fence.ts'
import type { Inspection } from './inspection.ts'

/** Units of an item of up to 1 KB that is written in a transaction, every other one with an entry in an index; reading it takes fewer. */
const WRITE_UNITS = 3
/** DynamoDB's cap on the items of a transaction, less the fence. */
const MOST_WRITES = 99

/**
 * What has to be added to an item, whatever it holds by now.
 *
 * @param at Up to when an item that is made anew is counted, in milliseconds since 1970.
 */
export function correctionOf({ target, amounts, actual }: Differing, at: number): Addition {
  const { projection, key } = target
  const held = actual === undefined ? {} : projection.amountsOf(actual)
  return { projection, target: key, amounts: sumOf(amounts, held, -1), at: actual === undefined ? at : 0 }
}

/**
 * Adds corrections, many in a transaction and each once. An item that changed since it was looked at is corrected by the same
 * amounts, which is right whatever the runner added meanwhile.
 */
export async function mend(
  { table, budget, signal }: Pick<Inspection, 'table' | 'budget' | 'signal'>,
  fence: Fence,
  corrections: readonly Addition[],
): Promise<void> {
  const size = Math.max(1, Math.min(MOST_WRITES, Math.floor(requestShare(budget) / WRITE_UNITS)))
  for (let made = 0; made < corrections.length; made += size) {
    signal.throwIfAborted()
    const additions = corrections.slice(made, made + size)
    const paced = withinBudget(table, budget, additions.length * WRITE_UNITS, signal)
    await commit(paced, fence.next(), additions)
  }
}
