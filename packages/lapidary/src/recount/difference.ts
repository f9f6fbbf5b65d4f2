import type { Amounts } from '../derived/amount.ts'
import type { Difference } from '../derived/copy-inspection.ts'
import { fold, heldDigest, heldText, heldTexts } from '../derived/derived-item.ts'
import { targetId } from '../derived/target-key.ts'
import type { Entry } from '../model/entry.ts'
import type { Snapshot } from './snapshot.ts'
import type { Tally, Target } from './tally.ts'

/** A derived item that is not as it should be. */
export interface Differing {
  readonly target: Target
  /** What it should hold. */
  readonly amounts: Amounts
  readonly actual: Entry | undefined
  readonly differences: readonly Difference[]
}

/** The derived items of a snapshot that are not as they should be, while the tally holds the truth at that snapshot. */
export function differingOf({ targets, entries }: Snapshot, tally: Tally): readonly Differing[] {
  return targets
    .map((target): Differing => {
      const amounts = tally.amountsOf(target)
      const actual = entries.get(targetId(target.key))
      return { target, amounts, actual, differences: differencesOf(target, amounts, actual) }
    })
    .filter(({ differences }) => differences.length > 0)
}

/** Everything in which a derived item differs from what it should hold. */
function differencesOf(target: Target, amounts: Amounts, actual: Entry | undefined): readonly Difference[] {
  const expected = expectedOf(target, amounts)
  if (heldText(expected) === heldText(actual)) return []
  const common = {
    kind: actual === undefined ? 'missing' : expected === undefined ? 'dangling' : 'wrong',
    projection: target.projection.name,
    collection: target.projection.collection,
    target: target.key,
  } as const
  const [should, is] = [heldTexts(expected), heldTexts(actual)]
  const names = [...new Set([...should.keys(), ...is.keys()])].filter((name) => should.get(name) !== is.get(name))
  // An item that holds nothing is one too many all the same.
  if (names.length === 0) return [{ ...common, name: '', expected: null, actual: '' }]
  return names
    .sort()
    .map((name) => ({ ...common, name, expected: should.get(name) ?? null, actual: is.get(name) ?? null }))
}

/** Whether what the scan saw of a derived item is what it should be; only for those that no change touches. */
export function isAsSeen(target: Target, amounts: Amounts): boolean {
  return heldDigest(expectedOf(target, amounts)) === target.seen
}

function expectedOf({ projection, key }: Target, amounts: Amounts): Entry | undefined {
  return fold(projection, key, undefined, amounts, 0)
}
