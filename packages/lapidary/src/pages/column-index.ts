import type { CopyProjection, CopyState } from '../derived/copy-projection.ts'
import type { DerivedStates } from '../derived/register/derived-states.ts'
import type { Collection } from '../model/collection.ts'
import { type Condition, facetsOf } from '../model/condition.ts'
import type { Entry } from '../model/entry.ts'
import { LapidaryError } from '../model/errors.ts'
import type { Facet, FacetValue } from '../model/facet.ts'
import { escapeComponent, unescapeComponent } from '../model/key-text.ts'
import type { OrderValue, Position, Range } from '../model/position.ts'
import { facetText, type Query } from '../model/query.ts'
import { type ColumnsWay, type ColumnWeights, columnsRankPrice } from '../planner/columns-plan.ts'
import { conditionShare } from '../planner/condition-share.ts'
import type { Estimates } from '../planner/estimates.ts'
import type { PlanEstimate } from '../planner/plan.ts'
import type { ColumnSizes } from './columns/column-sizes.ts'
import type { Took } from './columns/match.ts'
import { valuesIn } from './columns/values-in.ts'
import { COLUMNS, columnsKeeper, columnsShape, idOf } from './keep-columns.ts'
import type { OpeningContext } from './keep-pages.ts'
import { cutAt, type Place, positionAt } from './place.ts'
import { conditionOf, conjunctsOf, plannedColumns } from './planned-columns.ts'
import type { ListEntry, SortedLists } from './sorted-lists.ts'

/** Which of the items that meet a query's condition are looked for. */
export interface ColumnsAsked {
  /** The part of the query's range that is left. */
  readonly range: Range
  readonly ascending: boolean
  readonly offset: number
  readonly size: number
  /** Blocks that are read at first; undefined = all at once, which tells the total. */
  readonly blocks: number | undefined
  /** RCU beyond which no further blocks are read. */
  readonly mostRcu: number
}

/** An item that is to be read. */
export interface FoundItem {
  readonly position: Position
  readonly id: string
}

/** Where items are that met the condition when their columns were written. */
export interface ColumnsFound extends Took {
  readonly items: readonly FoundItem[]
  /** Undefined where not all blocks were read. */
  readonly total: number | undefined
  /** Whether `mostRcu` ended it before enough was found. */
  readonly isCut: boolean
}

/** What is counted beside the total. */
export interface ColumnsCounted {
  readonly facets: readonly string[]
  /** Attributes whose amounts are told among the items that meet the whole condition. */
  readonly sums: readonly string[]
  /** Where the parts of a time line begin, each by its order value, given the first and the last one of the scope; none when not given. */
  readonly starts?: ((first: OrderValue, last: OrderValue) => readonly OrderValue[]) | undefined
}

/** A part of a time line. */
export interface CountedRange {
  readonly start: OrderValue
  readonly total: number
  /** Items of the scope, whether they meet the condition or not. */
  readonly items: number
  /** As those of the whole. */
  readonly sums: readonly ReadonlyMap<string, number>[]
}

export interface ColumnsCount extends Took {
  readonly total: number
  /** How many items have each value; null for those that have none. */
  readonly facets: readonly ReadonlyMap<FacetValue, number>[]
  /** How many items have each amount, as a decimal text. */
  readonly sums: readonly ReadonlyMap<string, number>[]
  readonly parts: readonly CountedRange[]
  /** Whether the columns had every item when they were read. */
  readonly isReady: boolean
}

/** Finds the items of a scope that meet any condition. */
export interface ColumnIndex {
  readonly facets: readonly string[]
  /** Whether its columns hold every item, and are kept. */
  state(): Promise<CopyState>
  /** Looks whether they can be used, for {@link way}. */
  look(): Promise<void>
  /** What finding an item by its rank should take: all columns that the query names are read. */
  rankPrice(query: Query, estimates: Estimates): PlanEstimate
  /** Whether the columns have what a query asks: one scope, in the default order. */
  answers(query: Query): boolean
  /** Why they do not answer now what they could; undefined where they do, and where they could not anyway. */
  refusal(query: Query): string | undefined
  /** The way by columns, and its price; undefined for a query that it does not answer, and while they are not complete. */
  way(query: Query, estimates: Estimates): ColumnsWay | undefined
  find(query: Query, asked: ColumnsAsked): Promise<ColumnsFound>
  /**
   * Counts the items of a scope that meet a query's condition, and those of each value of some facets and amounts: whatever is chosen of a facet
   * does not narrow its own.
   */
  count(query: Query, by: ColumnsCounted): Promise<ColumnsCount>
  readonly projection: CopyProjection
  /** The entry of an item that a scan saw; none for what no list has. */
  entriesOf(image: Entry): readonly ListEntry[]
  readonly lists: SortedLists
}

/** What columns are opened with: a test gives other sizes. */
interface ColumnsContext extends OpeningContext {
  readonly derivedStates: Pick<DerivedStates, 'unknown'>
  readonly sizes?: ColumnSizes
}

/** @throws {LapidaryError} `declaration_invalid`. */
export function openColumnIndex(collection: Collection, context: ColumnsContext): ColumnIndex {
  const shape = columnsShape(collection)
  const { columns, keeping, entriesOf } = columnsKeeper(shape, { ...context, own: [collection] })
  const planned = plannedColumns(collection)
  const { facets, weights } = planned
  const positionOfPlace = (place: Place): Position => positionAt(collection.order, place)
  /** By what this process has seen, and what it has not by the estimates. */
  const knownOf = (query: Query, estimates: Estimates): ColumnWeights => {
    const known = columns.known()
    if (known === undefined) return weights
    const conditions = conjunctsOf(query)
    const expected = (condition: Condition): number => conditionShare(condition, estimates)
    return {
      ...weights,
      share: known.shareOf(escapeComponent(query.scope), conditions, expected),
      chunksEach: known.chunksOf(escapeComponent(query.scope)),
      bytesOf: (facet) => known.weightOf(facet) ?? weights.bytesOf(facet),
    }
  }
  let seen: CopyState = 'absent'
  async function state(): Promise<CopyState> {
    const [reason, found] = await Promise.all([context.derivedStates.unknown(shape), columns.state()])
    return found === 'ready' ? (reason ?? found) : found
  }
  return {
    facets: facets.map(({ name }) => name),
    state,
    async look() {
      // Lists answer where it is not known.
      seen = await state().catch(() => 'absent' as const)
    },
    answers: planned.answers,
    refusal: (query) => (seen !== 'ready' && planned.serves(query) ? UNREADY[seen] : undefined),
    rankPrice: (query, estimates) =>
      columnsRankPrice(facetsOf(conditionOf(query)), estimates, knownOf(query, estimates)),
    way: (query, estimates) =>
      seen === 'ready' && planned.serves(query) ? planned.way(query, estimates, knownOf(query, estimates)) : undefined,
    async find(query, { range, ...asked }) {
      const { places, total, isReady, ...took } = await columns.search({
        ...asked,
        group: escapeComponent(query.scope),
        condition: conditionOf(query),
        lower: range.lower && cutAt(collection.order, range.lower),
        upper: range.upper && cutAt(collection.order, range.upper),
      })
      if (!isReady) throw filledAnew(collection.name)
      const items = places.map(({ id, ...place }): FoundItem => {
        const position = positionOfPlace(place)
        return { position, id: id ?? idOf(collection, position) ?? '' }
      })
      return { ...took, total, items }
    },
    async count(query, by) {
      const condition = conditionOf(query)
      const { from, to } = query
      const { starts } = by
      const orderAt = (place: Place): OrderValue => positionOfPlace(place).order
      const placeAt = (order: OrderValue): Place => cutAt(collection.order, { order, id: undefined, side: 'before' })
      const { counts, parts, ...told } = await columns.tally({
        ...{ group: escapeComponent(query.scope), condition },
        by: [
          ...by.facets.map((facet) => ({ facet, condition: conditionOf(query, facet) })),
          ...by.sums.map((facet) => ({ facet, condition })),
        ],
        parts: starts && {
          facets: by.sums,
          starts: (first, last) => starts(orderAt(first), orderAt(last)).map(placeAt),
        },
        lower: from && cutAt(collection.order, from),
        upper: to && cutAt(collection.order, to),
      })
      return {
        ...told,
        facets: by.facets.map((name, i) => {
          const values = new Map<FacetValue, number>()
          for (const [text, count] of counts[i] ?? []) {
            for (const value of valuesIn(collection.facets[name] as Facet, text)) {
              values.set(value, (values.get(value) ?? 0) + count)
            }
          }
          return values
        }),
        sums: by.sums.map((_, i) => amountsIn(counts[by.facets.length + i])),
        parts: parts.map((part) => {
          const { total, entries: items } = part
          return { start: orderAt(part.start), total, items, sums: part.counts.map(amountsIn) }
        }),
      }
    },
    projection: {
      ...keeping,
      async inspect() {
        const { PageInspection } = await import('./page-inspection.ts')
        const inspected = { label: undefined, lists: columns, entriesOf, positionAt: positionOfPlace }
        return new PageInspection(collection, context.table, {
          ...inspected,
          ...{ projection: COLUMNS, rebuiltAs: COLUMNS, hasManyLists: true },
        })
      },
    },
    entriesOf,
    lists: columns,
  }
}

/** The amounts that texts of a column stand for. */
function amountsIn(counts: ReadonlyMap<string, number> = new Map()): ReadonlyMap<string, number> {
  const amounts = [...counts].filter(([text]) => facetText(null) !== text)
  return new Map(amounts.map(([text, count]) => [unescapeComponent(text), count]))
}

const UNREADY: Readonly<Record<Exclude<CopyState, 'ready'>, string>> = {
  absent: 'are not built; run lapidary rebuild columns',
  filling: 'are being built',
  gap: 'lack changes that the change stream has lost; lapidary repair makes up for them',
  uncounted: 'know nothing, since no process follows the change stream',
  abandoned: 'were left behind by a process that could not keep them; run lapidary rebuild columns',
}

function filledAnew(name: string): LapidaryError {
  const message = `another process began to fill the columns of ${name} anew while they were read; ask again, and lists answer`
  return new LapidaryError('unavailable', message)
}
