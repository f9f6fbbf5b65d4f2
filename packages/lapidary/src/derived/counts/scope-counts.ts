import type { Collection } from '../../model/collection.ts'
import { withoutFacet } from '../../model/combined-condition.ts'
import { type Condition, matches } from '../../model/condition.ts'
import type { Entry } from '../../model/entry.ts'
import type { Facet, FacetValue } from '../../model/facet.ts'
import { ownValue } from '../../model/own-value.ts'
import { facetFromText, facetText, type Selection } from '../../model/query.ts'
import { textsOfSortKey, WHOLE } from '../../model/reserved-keys.ts'
import { HEAVY_CLASSES, type SizeClass, USUAL_BYTES } from '../../planner/size-classes.ts'
import { type Amount, addedAmounts } from '../amount.ts'
import { sumIn } from './counted-attribute.ts'
import {
  ANY_TEXT,
  bytesName,
  classCounterName,
  counterText,
  counterTexts,
  statisticsShape,
  summedName,
  sumName,
  TOTAL,
  TOTAL_BYTES,
  TOTAL_SIZED,
} from './counts-shape.ts'

/**
 * The counts of one scope: how many items each list has, without reading any. A selection is one that {@link isCounted}; of several
 * values of an `eachOf` facet it is what their lists have together, some items more than once.
 */
export interface ScopeStatistics {
  /** Items in a selection, of those that meet a condition where one is given, exactly as far as changes are counted. */
  count(selection: Selection, also?: Condition): number
  /**
   * The exact sum of an attribute that is summed beside the counts, over the items in a selection that meet the condition, and how many of them have
   * it.
   */
  sum(attribute: string, selection: Selection, also?: Condition): ExactSum
  /** Mean bytes of what lists show of the items in a selection; undefined where some were counted without their bytes. */
  bytes(selection: Selection): number | undefined
  /** How many of those items are heavy, the heaviest class first and all others in the last; undefined as the mean is. */
  sizeClasses(selection: Selection): readonly SizeClass[] | undefined
  /**
   * Disjunctive counts for each value of a facet: its own selection does not narrow them. Values of a closed facet are all
   * there, with 0 where there is none; of an open facet those that occur, at most {@link MOST_FACET_VALUES} and the most frequent
   * then, beside those that are selected. Of a condition, what asks of that facet alone does not narrow them either.
   */
  facetCounts(facet: string, selection: Selection, also?: Condition): Readonly<Record<string, number>>
  /** The values that a facet has in this scope. */
  values(facet: string): readonly FacetValue[]
  /** Whether items may have values of a facet that are not declared: some are counted, or none are, since nothing is counted by it. */
  hasOthers(facet: string): boolean
  /** Whether all items are counted by the facets as they are declared, and not by others as before a change. */
  readonly whole: boolean
  /** When the last change that is counted was made; undefined when nothing was ever counted. */
  readonly asOf: string | undefined
}

/** What some items have of an attribute together. */
export interface ExactSum {
  /** A decimal number with all digits. */
  readonly sum: string
  /** How many items have the attribute. */
  readonly count: number
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

  const each = [...by, ...counted].filter((facet) => ownValue(collection.facets, facet)?.kind === 'eachOf')
  // A plan asks the same of many lists, and the next page asks again.
  const sums = new Map<string, Sums>()
  const sumOf = (selection: Selection, also?: Condition): Sums => {
    const name = JSON.stringify([selection, also])
    const sum = sums.get(name) ?? sumOfCells(also === undefined ? cells : cells.filter(isMet(also)), selection, each)
    sums.set(name, sum)
    return sum
  }
  const isMet =
    (also: Condition) =>
    ({ texts }: Cell): boolean =>
      matches(also, (facet) => [facetFromText(collection.facets[facet] as Facet, ownValue(texts, facet) ?? '')])
  const count = (selection: Selection, also?: Condition): number => sumOf(selection, also).count
  const values = (facet: string): readonly FacetValue[] => {
    const declared = ownValue(collection.facets, facet)?.values
    if (declared !== undefined) return declared
    const texts = new Set(cells.filter((cell) => cell.count > 0).map((cell) => ownValue(cell.texts, facet) ?? ''))
    texts.delete(ANY_TEXT)
    const known = ownValue(collection.facets, facet)
    // An item may lack a facet that is required, as one from before it was declared: that is no value of it.
    if (known?.optional !== true) texts.delete(counterText(null))
    return known === undefined ? [] : [...texts].map((text) => facetFromText(known, text)).sort()
  }
  const all = entries.find((entry) => entry.SK?.S === WHOLE)
  return {
    asOf,
    whole: count({}) === Number(all?.[TOTAL]?.N ?? 0),
    count,
    sum(attribute, selection, also) {
      let sum: Amount = '0'
      let count = 0
      const chosen = cellsIn(cells, selection, each)
      for (const { entry, counter } of also === undefined ? chosen : chosen.filter(isMet(also))) {
        sum = addedAmounts(sum, sumIn(entry, sumName(counter, attribute)))
        count += Number(ownValue(entry, summedName(counter, attribute))?.N ?? 0)
      }
      return { sum: String(sum), count }
    },
    bytes(selection) {
      const sum = sumOf(selection)
      const mean = sum.bytes / sum.count
      return mean > 0 && Number.isFinite(mean) ? mean : undefined
    },
    sizeClasses(selection) {
      const { bytes, heavy } = sumOf(selection)
      if (!(bytes > 0)) return undefined
      const classes = HEAVY_CLASSES.map((most, i): SizeClass => ({ entries: Math.max(0, heavy[i] ?? 0), bytes: most }))
      return [...classes.reverse(), { entries: Number.POSITIVE_INFINITY, bytes: USUAL_BYTES }]
    },
    values,
    hasOthers(facet) {
      if (!by.includes(facet) && !counted.includes(facet)) return true
      const declared = new Set([...values(facet).map(counterText), ANY_TEXT])
      return cells.some((cell) => cell.count !== 0 && !declared.has(cell.texts[facet] ?? ''))
    },
    facetCounts(facet, selection, also) {
      const { [facet]: _own, ...others } = selection
      const own = ownValue(selection, facet) ?? []
      const beside = also && withoutFacet(also, facet)
      const counts = values(facet).map((value) => ({ value, count: count({ ...others, [facet]: [value] }, beside) }))
      const top = ownValue(collection.facets, facet)?.values === undefined ? mostFrequent(counts, own) : counts
      return Object.fromEntries(top.map(({ value, count }) => [String(value), count]))
    },
  }
}

/** Values of an open facet that are counted for a page. */
const MOST_FACET_VALUES = 100

/** In the order of the values. */
function mostFrequent<C extends { readonly value: FacetValue; readonly count: number }>(
  counts: readonly C[],
  selected: readonly FacetValue[],
): readonly C[] {
  if (counts.length <= MOST_FACET_VALUES) return counts
  const top = new Set([...counts].sort((a, b) => b.count - a.count).slice(0, MOST_FACET_VALUES))
  return counts.filter((each) => top.has(each) || selected.includes(each.value))
}

interface Sums {
  readonly count: number
  /** Of all of them together; not a number where they are not kept. */
  readonly bytes: number
  /** How many of them are in each of {@link HEAVY_CLASSES}. */
  readonly heavy: readonly number[]
}

/** Items with one value for every facet. */
interface Cell extends Sums {
  readonly texts: Readonly<Record<string, string>>
  /** The item of counts that it is in, and its counter. */
  readonly entry: Entry
  readonly counter: string
}

/** @param each Facets of whose values each item may have several: where none is chosen, each item counts once. */
function cellsIn(cells: readonly Cell[], selection: Selection, each: readonly string[]): readonly Cell[] {
  const chosen = Object.entries(selection).map(([facet, values]) => [facet, new Set(values.map(counterText))] as const)
  const open = each.filter((facet) => !Object.hasOwn(selection, facet))
  const wanted = [...chosen, ...open.map((facet) => [facet, new Set([ANY_TEXT])] as const)]
  return cells.filter((cell) => wanted.every(([facet, texts]) => texts.has(ownValue(cell.texts, facet) ?? '')))
}

function sumOfCells(cells: readonly Cell[], selection: Selection, each: readonly string[]): Sums {
  let [count, bytes] = [0, 0]
  const heavy = HEAVY_CLASSES.map(() => 0)
  for (const cell of cellsIn(cells, selection, each)) {
    count += cell.count
    bytes += cell.bytes
    cell.heavy.forEach((entries, i) => {
      heavy[i] = (heavy[i] ?? 0) + entries
    })
  }
  return { count, bytes, heavy }
}

function cellsOf(entry: Entry, by: readonly string[], counted: readonly string[]): readonly Cell[] {
  const byTexts = textsOfSortKey(entry.SK?.S ?? WHOLE)
  const named = Object.fromEntries(by.map((facet, i) => [facet, byText(byTexts[i] ?? '')]))
  // Not a number unless the bytes of each item are in.
  const bytes = (name: string): number =>
    entry[TOTAL_SIZED]?.N === entry[TOTAL]?.N ? Number(entry[name]?.N) : Number.NaN
  const heavy = (counter: string): readonly number[] =>
    HEAVY_CLASSES.map((most) => Number(entry[classCounterName(most, counter)]?.N ?? 0))
  if (counted.length === 0) {
    const total = { count: Number(entry[TOTAL]?.N ?? 0), bytes: bytes(TOTAL_BYTES), heavy: heavy(TOTAL) }
    return [{ texts: named, ...total, entry, counter: TOTAL }]
  }
  return Object.entries(entry).flatMap(([name, value]) => {
    const texts = counterTexts(name)
    // Another declaration counted by other facets.
    if (texts === undefined || texts.length !== counted.length) return []
    const cell = { ...named, ...Object.fromEntries(counted.map((facet, i) => [facet, texts[i] ?? ''])) }
    const sums = { count: Number(value.N), bytes: bytes(bytesName(name)), heavy: heavy(name) }
    return [{ texts: cell, ...sums, entry, counter: name }]
  })
}

/** Keys hold values as {@link facetText}, counters as {@link counterText}; cells are compared in the latter. */
function byText(text: string): string {
  return text === facetText('total') ? counterText('total') : text
}
