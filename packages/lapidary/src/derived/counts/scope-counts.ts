import type { Collection } from '../../model/collection.ts'
import type { Entry } from '../../model/entry.ts'
import type { FacetValue } from '../../model/facet.ts'
import { unescapeComponent } from '../../model/key-text.ts'
import { facetText, type Selection } from '../../model/query.ts'
import { textsOfSortKey, WHOLE } from '../../model/reserved-keys.ts'
import { counterText, counterTexts, statisticsShape, TOTAL } from './counts-shape.ts'

/** The counts of one scope: how many items each list has, without reading any. */
export interface ScopeStatistics {
  /** Items in a selection, exactly as far as changes are counted. */
  count(selection: Selection): number
  /**
   * Disjunctive counts for each value of a facet: its own selection does not narrow them. Values of a closed facet are all
   * there, with 0 where there is none; of an open facet those that occur.
   */
  facetCounts(facet: string, selection: Selection): Readonly<Record<string, number>>
  /** The values that a facet has in this scope. */
  values(facet: string): readonly FacetValue[]
  /** When the last change that is counted was made; undefined when nothing was ever counted. */
  readonly asOf: string | undefined
}

/** @param entries The statistics items of one scope. */
export function scopeStatistics(collection: Collection, entries: readonly Entry[]): ScopeStatistics {
  const { by, counted } = statisticsShape(collection)
  const cells = entries
    .filter((entry) => by.length === 0 || entry.SK?.S !== WHOLE)
    .flatMap((entry) => cellsOf(entry, by, counted))
  const asOf = entries
    .map((entry) => entry.asOf?.S)
    .reduce((latest, time) => (time !== undefined && time > (latest ?? '') ? time : latest), undefined)

  const count = (selection: Selection): number => {
    const wanted = Object.entries(selection).map(([facet, values]) => [facet, values.map(counterText)] as const)
    return cells.reduce(
      (sum, cell) =>
        wanted.every(([facet, texts]) => texts.includes(cell.texts[facet] ?? '')) ? sum + cell.count : sum,
      0,
    )
  }
  const values = (facet: string): readonly FacetValue[] => {
    const declared = collection.facets[facet]?.values
    if (declared !== undefined) return declared
    const texts = new Set(cells.filter((cell) => cell.count > 0).map((cell) => cell.texts[facet] ?? ''))
    return [...texts].map((text) => unescapeComponent(text)).sort()
  }
  return {
    asOf,
    count,
    values,
    facetCounts(facet, selection) {
      const { [facet]: _own, ...others } = selection
      return Object.fromEntries(values(facet).map((value) => [String(value), count({ ...others, [facet]: [value] })]))
    },
  }
}

/** Items with one value for every facet. */
interface Cell {
  readonly texts: Readonly<Record<string, string>>
  readonly count: number
}

function cellsOf(entry: Entry, by: readonly string[], counted: readonly string[]): readonly Cell[] {
  const byTexts = textsOfSortKey(entry.SK?.S ?? WHOLE)
  const named = Object.fromEntries(by.map((facet, i) => [facet, byText(byTexts[i] ?? '')]))
  if (counted.length === 0) return [{ texts: named, count: Number(entry[TOTAL]?.N ?? 0) }]
  return Object.entries(entry).flatMap(([name, value]) => {
    const texts = counterTexts(name)
    if (texts === undefined) return []
    const cell = { ...named, ...Object.fromEntries(counted.map((facet, i) => [facet, texts[i] ?? ''])) }
    return [{ texts: cell, count: Number(value.N) }]
  })
}

/** Keys hold values as {@link facetText}, counters as {@link counterText}; cells are compared in the latter. */
function byText(text: string): string {
  return text === facetText('total') ? counterText('total') : text
}
