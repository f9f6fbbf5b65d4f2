import { hash } from 'node:crypto'
import { canonicalText, type Entry } from '../model/entry.ts'
import { type Amounts, sumOf } from './amount.ts'
import { REVISION } from './guarded-write.ts'
import type { SumProjection } from './sum-projection.ts'
import type { TargetKey } from './target-key.ts'

/** When the last change was made that is in a derived item, as ISO 8601. */
export const AS_OF = 'asOf'

/** What is beside a derived item's content: no recount can tell it. */
const BESIDE: ReadonlySet<string> = new Set(['PK', 'SK', AS_OF, REVISION])

/**
 * A derived item with amounts added to it; undefined when nothing is left, so that no item stands for nothing.
 *
 * @param at When the added changes were made, in milliseconds since 1970; 0 when that is not known.
 */
export function fold(
  projection: SumProjection,
  target: TargetKey,
  before: Entry | undefined,
  amounts: Amounts,
  at: number,
): Entry | undefined {
  const held = before === undefined ? {} : projection.amountsOf(before)
  const after = projection.entryOf(target, sumOf(held, amounts))
  if (after === undefined || !projection.dated) return after
  const latest = Math.max(at, Date.parse(before?.[AS_OF]?.S ?? '') || 0)
  return latest === 0 ? after : { ...after, [AS_OF]: { S: new Date(latest).toISOString() } }
}

/** Everything that has to be right in a derived item, by name, as text. */
export function heldTexts(entry: Entry | undefined): ReadonlyMap<string, string> {
  const held = Object.entries(entry ?? {}).filter(([name]) => !BESIDE.has(name))
  return new Map(held.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => [name, textOf(value)]))
}

/** One text for what a derived item holds, by which two are the same; of no item another than of any item. */
export function heldText(entry: Entry | undefined): string {
  return entry === undefined ? '' : JSON.stringify([...heldTexts(entry)])
}

/** {@link heldText} in 96 bits, to be kept for many items. */
export function heldDigest(entry: Entry | undefined): string | undefined {
  return entry === undefined ? undefined : hash('sha256', heldText(entry), 'base64url').slice(0, 16)
}

/** A number or a text plainly; what could be taken for another is told with its type. */
function textOf(value: Entry[string]): string {
  if (value.N !== undefined) return value.N
  return value.S !== undefined && Number.isNaN(Number(value.S)) ? value.S : canonicalText(value)
}
