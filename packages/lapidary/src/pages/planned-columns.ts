import type { Collection } from '../model/collection.ts'
import { withoutFacet } from '../model/combined-condition.ts'
import { type Condition, facetsOf, term } from '../model/condition.ts'
import type { Facet } from '../model/facet.ts'
import { askedOf, EVERY_SCOPE, type Query } from '../model/query.ts'
import { type ColumnsWay, type ColumnWeights, columnsWay } from '../planner/columns-plan.ts'
import type { Estimates } from '../planner/estimates.ts'
import { type ColumnFacet, columnFacets } from './columns/column-cells.ts'
import { COLUMN_SIZES } from './columns/column-sizes.ts'

/** The columns of a collection as a plan sees them, with nothing read. */
export interface PlannedColumns {
  readonly facets: readonly ColumnFacet[]
  /** What columns weigh of which nothing was seen. */
  readonly weights: ColumnWeights
  /** Whether the columns have what a query asks: one scope, in the default order. */
  answers(query: Query): boolean
  /** Whether a query asks something of facets that columns answer. */
  serves(query: Query): boolean
  /** The way by columns, and its price; undefined for a query that they do not serve. */
  way(query: Query, estimates: Estimates, weights?: ColumnWeights): ColumnsWay | undefined
}

export function plannedColumns(collection: Pick<Collection, 'facets' | 'sums'>): PlannedColumns {
  const facets = columnFacets(collection)
  const names = new Set(facets.map(({ name }) => name))
  const usual = weightsOf(facets)
  const answers = (query: Query): boolean => {
    const isOne = query.scope !== EVERY_SCOPE && query.alsoIn === undefined && query.by === undefined
    return isOne && facetsOf(conditionOf(query)).every((name) => names.has(name))
  }
  const serves = (query: Query): boolean =>
    query.having !== true && facetsOf(conditionOf(query)).length > 0 && answers(query)
  return {
    ...{ facets, answers, serves, weights: usual },
    way(query, estimates, weights = usual) {
      return serves(query) ? columnsWay(query, facetsOf(conditionOf(query)), estimates, weights) : undefined
    },
  }
}

/** As blocks of the usual size turn out in the bench `columns`. */
const HEAD_BYTES = 260
const CHUNKS = 20

function weightsOf(facets: readonly ColumnFacet[]): ColumnWeights {
  const bits = new Map(facets.map(({ name, facet }) => [name, bitsOf(facet)]))
  return {
    ...{ blockRows: COLUMN_SIZES.blockRows, headBytes: HEAD_BYTES, chunks: CHUNKS },
    bytesOf: (facet) => (bits.get(facet) ?? OPEN_BITS) / 8,
  }
}

/** Bits of an open facet's value: those of some hundred values. */
const OPEN_BITS = 7

function bitsOf({ values, optional }: Facet): number {
  return values === undefined ? OPEN_BITS : Math.log2(values.length + Number(optional)) + 0.2
}

/** All that a query asks of facets, but for its own choice of one. */
export function conditionOf(query: Query, without?: string): Condition {
  return { all: conjunctsOf(query, without) }
}

export function conjunctsOf(query: Query, without?: string): readonly Condition[] {
  const asked = Object.entries(askedOf(query)).filter(([facet]) => facet !== without)
  const terms = asked.map(([facet, wanted]) => term(facet, wanted))
  const also = without === undefined ? query.also : query.also && withoutFacet(query.also, without)
  return also === undefined ? terms : [...terms, also]
}
