import { type TargetKey, targetId } from '../derived/projection.ts'
import type { Entry } from '../model/entry.ts'
import { unitKeys } from './cut.ts'
import { type Counts, countersEntry, counterTextsOf, heldDigest, heldText } from './statistics-unit.ts'
import type { Unit } from './tally.ts'

/** One thing that is not as it should be. */
export interface Difference {
  /** `missing`: the item should exist; `dangling`: it exists and should not; `wrong`: it holds something else. */
  readonly kind: 'missing' | 'dangling' | 'wrong'
  readonly what: 'statistics' | 'leaderboard'
  /** The collection's own name: `COMMENT`. */
  readonly collection: string
  readonly target: TargetKey
  /** `count_5`, or the attribute of a leaderboard item. */
  readonly counter: string
  /** Null where there should be nothing. */
  readonly expected: string | null
  /** Null where there is nothing. */
  readonly actual: string | null
}

/** Everything in which a unit's items differ from what the counts say. */
export function differencesOf(unit: Unit, counts: Counts, entries: ReadonlyMap<string, Entry>): readonly Difference[] {
  const counters = countersEntry(counts)
  const leaderboards = unit.derived.leaderboards(unit.target, counters)
  return unitKeys(unit).flatMap((key) => {
    const isStatistics = key.SK === unit.target.SK
    const expected = isStatistics ? counters : leaderboards.get(key.SK)
    const actual = entries.get(targetId(key))
    if (heldText(key, expected) === heldText(key, actual) && (expected === undefined) === (actual === undefined))
      return []
    const texts = isStatistics ? counterTextsOf : attributeTextsOf
    return difference(unit, key, texts(expected), texts(actual), {
      what: isStatistics ? 'statistics' : 'leaderboard',
      kind: actual === undefined ? 'missing' : expected === undefined ? 'dangling' : 'wrong',
    })
  })
}

/** Whether what the scan saw of a unit is what it should be; only for units that no change touches. */
export function isAsSeen(unit: Unit, counts: Counts): boolean {
  const counters = countersEntry(counts)
  const leaderboards = unit.derived.leaderboards(unit.target, counters)
  return unitKeys(unit).every((key) => {
    const expected = key.SK === unit.target.SK ? counters : leaderboards.get(key.SK)
    const seen = unit.seenDigests[unit.seenSortKeys.indexOf(key.SK)]
    return expected === undefined ? seen === undefined : seen === heldDigest(key, expected)
  })
}

function difference(
  { derived }: Unit,
  target: TargetKey,
  expected: ReadonlyMap<string, string>,
  actual: ReadonlyMap<string, string>,
  { what, kind }: Pick<Difference, 'what' | 'kind'>,
): readonly Difference[] {
  const names = [...new Set([...expected.keys(), ...actual.keys()])].sort()
  const common = { kind, what, collection: derived.name, target }
  // An item without any counter is one too many all the same.
  if (names.length === 0) return [{ ...common, counter: '', expected: null, actual: '' }]
  return names
    .filter((name) => expected.get(name) !== actual.get(name))
    .map((counter) => ({
      ...common,
      counter,
      expected: expected.get(counter) ?? (what === 'statistics' && kind === 'wrong' ? '0' : null),
      actual: actual.get(counter) ?? (what === 'statistics' && kind === 'wrong' ? '0' : null),
    }))
}

function attributeTextsOf(entry: Entry | undefined): ReadonlyMap<string, string> {
  const attributes = Object.entries(entry ?? {}).filter(([name]) => name !== 'PK' && name !== 'SK')
  return new Map(attributes.map(([name, value]) => [name, value.S ?? JSON.stringify(value)]))
}
