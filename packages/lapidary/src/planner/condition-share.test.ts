import { expect, test } from 'vitest'
import { comments } from '../../test/comments-fixture.ts'
import { parseQuery, type QueryInput } from '../model/query.ts'
import { conditionShare } from './condition-share.ts'

/** Half of the items are English, and one in ten has each rating up to 4. */
const SHARES: Readonly<Record<string, number>> = { en: 0.5, de: 0.25, 1: 0.1, 2: 0.1, 3: 0.1, 4: 0.1, 5: 0.6 }
const estimates = {
  share: (selection: Readonly<Record<string, readonly unknown[]>>): number =>
    Object.values(selection).reduce(
      (product, values) => product * values.reduce<number>((sum, value) => sum + (SHARES[String(value)] ?? 0), 0),
      1,
    ),
  seen: (): undefined => undefined,
}
const shareOf = (where: NonNullable<QueryInput['where']>, scale = 1): number => {
  const { also } = parseQuery(comments, { scope: '42', where })
  if (also === undefined) throw new Error('nothing is asked beside the filter')
  return conditionShare(also, { ...estimates, share: (selection) => scale * estimates.share(selection) })
}

test.each<readonly [string, NonNullable<QueryInput['where']>, number]>([
  ['a set of a facet of one', { OR: [{ language: 'en' }, { language: 'de' }] }, 0.75],
  ['OR', { OR: [{ language: 'en' }, { rating: 5 }] }, 1 - 0.5 * 0.4],
  ['AND in OR', { OR: [{ language: 'en', rating: 5 }, { rating: 1 }] }, 1 - (1 - 0.5 * 0.6) * 0.9],
  ['NOT', { NOT: { language: 'en' } }, 0.5],
  ['NOT of several, which is OR', { NOT: { language: 'en', rating: 5 } }, 1 - 0.5 * (1 - 0.4)],
  ['a range of which no value is known', { OR: [{ language: { from: 'e' } }, { language: 'de' }] }, 1 - (2 / 3) * 0.75],
])('the share of a condition is that of its parts as if they were independent: %s', (_, where, share) => {
  expect(shareOf(where)).toBeCloseTo(share, 10)
  // Of several scopes, one has a part of all items.
  expect(shareOf(where, 0.3)).toBeCloseTo(share, 10)
})
