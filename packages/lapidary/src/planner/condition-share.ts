import type { Condition } from '../model/condition.ts'
import { isInRange, isRange } from '../model/value-range.ts'
import type { Estimates } from './estimates.ts'

/** The share taken for a range of which no value is known, as PostgreSQL takes for an inequality (`DEFAULT_INEQ_SEL`). */
export const RANGE_SHARE: number = 1 / 3

/** Estimates the share of items that meet a condition, 0 to 1. Its parts are taken as independent. */
export function conditionShare(condition: Condition, estimates: Pick<Estimates, 'share' | 'seen'>): number {
  const shareOf = (part: Condition): number => conditionShare(part, estimates)
  if ('all' in condition) return condition.all.reduce((product, part) => product * shareOf(part), 1)
  if ('any' in condition) return 1 - condition.any.reduce((none, part) => none * (1 - shareOf(part)), 1)
  if ('not' in condition) return 1 - shareOf(condition.not)
  const { facet, wanted } = condition
  const values = isRange(wanted) ? estimates.seen(facet)?.filter((value) => isInRange(wanted, value)) : wanted
  if (values === undefined) return RANGE_SHARE
  // Of several scopes, one has a part of all items.
  const all = estimates.share({})
  return all > 0 ? Math.min(1, estimates.share({ [facet]: values }) / all) : 0
}
