import type { RecentGiving } from './estimates.ts'
import type { SourceShare } from './fetch-sizes.ts'

/** A share by its prior, worth so many items, and by what was seen: the mean of the beta distribution after it. */
export function believedShare(prior: number, trust: number, hits: number, seen: number): number {
  if (trust === Number.POSITIVE_INFINITY) return prior
  return (trust * prior + hits) / (trust + seen)
}

/** The same for shares of sources that make up an answer: they sum to 1, before and after. */
export function believedShares(priors: readonly number[], given: readonly number[], trust: number): readonly number[] {
  const seen = sum(given)
  const all = sum(priors)
  return priors.map((prior, i) =>
    believedShare(all === 0 ? 1 / priors.length : prior / all, trust, given[i] ?? 0, seen),
  )
}

/**
 * Sources as the whole lists have them, with shares that sum to 1, corrected by what their lists gave lately near where the page begins. Where something of a
 * path was not read lately, the whole list is all that is known.
 *
 * @param limit Items of the page.
 */
export function localSources(
  sources: readonly SourceShare[],
  recent: readonly (RecentGiving | undefined)[],
  limit: number,
): readonly SourceShare[] {
  const known = recent.every((one) => one !== undefined) ? recent : sources.map(() => NOTHING)
  const given = known.map((one) => one.given)
  const seen = sum(given)
  const ahead = sum(known.map((one) => one.ahead))
  const priors = sources.map(({ share }) => share)
  const [trust = Number.POSITIVE_INFINITY] = sources.map((source) => source.trust)
  const shares = believedShares(priors, given, trust)
  return sources.map((source, i) => {
    const { passed, read, ahead: next } = known[i] as RecentGiving
    return {
      ...source,
      share: shares[i] ?? 0,
      hitRate: source.hitRate >= 1 ? 1 : believedShare(source.hitRate, trust, passed, read),
      trust: trust + seen,
      // A filter does not tell how much has to be read for them.
      ahead: source.hitRate >= 1 && ahead < limit ? next : 0,
    }
  })
}

const NOTHING: RecentGiving = { given: 0, passed: 0, read: 0, ahead: 0 }

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
