import type { CollectionLayout } from '../../layouts/layout.ts'
import type { Collection } from '../../model/collection.ts'
import type { Entry } from '../../model/entry.ts'
import type { Amounts } from '../amount.ts'
import { targetId } from '../target-key.ts'
import { countsProjection } from './counts.ts'
import { countsShape } from './counts-shape.ts'

/** Counts say when the last change was made; of supposed items none was. */
const NO_TIME = new Date(0).toISOString()

/** An entry as the table would hold it, and how many items have one like it. */
export interface SupposedEntry {
  readonly entry: Entry
  readonly items: number
}

/**
 * Returns the counts that a table of such items would have, as the change stream counts them: for tools that plan without a table. What is added up
 * beside the counts is left out, since no plan goes by it.
 */
export function supposedCounts(
  collection: Collection,
  layout: Pick<CollectionLayout, 'indexes'>,
  entries: readonly SupposedEntry[],
): readonly Entry[] {
  const counted: Collection = { ...collection, sums: [] }
  const projection = countsProjection(countsShape(counted, layout), [counted])
  const sums = new Map<string, { readonly PK: string; readonly SK: string; readonly amounts: Map<string, number> }>()
  for (const { entry, items } of entries) {
    for (const { target, amounts } of projection.contributions(entry)) {
      const id = targetId(target)
      const sum = sums.get(id) ?? { ...target, amounts: new Map<string, number>() }
      sums.set(id, sum)
      for (const [name, amount] of Object.entries(amounts))
        sum.amounts.set(name, (sum.amounts.get(name) ?? 0) + items * Number(amount))
    }
  }
  return [...sums.values()].map(({ PK, SK, amounts }) => {
    const held: Amounts = Object.fromEntries(amounts)
    return { PK: { S: PK }, SK: { S: SK }, asOf: { S: NO_TIME }, ...projection.entryOf({ PK, SK }, held) }
  })
}
