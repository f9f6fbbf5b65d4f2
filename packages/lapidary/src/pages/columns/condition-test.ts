import type { Facet, FacetValue } from '../../model/facet.ts'
import { isInRange, isRange } from '../../model/number-range.ts'
import { type Filter, facetFromText } from '../../model/query.ts'
import type { Column, ValueTest } from './column.ts'
import { VALUE_SEPARATOR } from './column-cells.ts'
import type { RowTest } from './row-test.ts'

/** TODO merged with model/condition. */
export type Condition =
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Term }
  | Term
interface Term {
  readonly facet: string
  readonly wanted: Filter[string]
}

/** A facet that has a column. */
export interface ColumnFacet {
  readonly name: string
  readonly facet: Facet
}

/** Tells the rows that meet a condition, by the columns of its facets. */
export function conditionTest(condition: Condition, facets: readonly ColumnFacet[]): RowTest {
  const numbers = new Map(facets.map(({ name }, i) => [name, i]))
  const columns = [...new Set(termsOf(condition).map(({ facet }) => numbers.get(facet) as number))].sort(
    (a, b) => a - b,
  )
  const tests = new Map<Term, ValueTest>()
  const testOf = (term: Term): ValueTest => {
    const known = tests.get(term) ?? valueTest((facets[numbers.get(term.facet) as number] as ColumnFacet).facet, term)
    tests.set(term, known)
    return known
  }
  return {
    columns,
    mask(read, rows) {
      return maskOf(condition, rows, (term) => {
        const column = read[columns.indexOf(numbers.get(term.facet) as number)] as Column
        return column.mask(testOf(term))
      })
    },
    passes: (texts) => holds(condition, (term) => testOf(term).text(texts[numbers.get(term.facet) as number] ?? '')),
  }
}

function termsOf(condition: Condition): readonly Term[] {
  if ('all' in condition) return condition.all.flatMap(termsOf)
  if ('any' in condition) return condition.any.flatMap(termsOf)
  return ['not' in condition ? condition.not : condition]
}

function holds(condition: Condition, of: (term: Term) => boolean): boolean {
  if ('all' in condition) return condition.all.every((each) => holds(each, of))
  if ('any' in condition) return condition.any.some((each) => holds(each, of))
  return 'not' in condition ? !of(condition.not) : of(condition)
}

function maskOf(condition: Condition, rows: number, of: (term: Term) => Uint8Array): Uint8Array {
  if ('not' in condition) {
    const mask = of(condition.not)
    for (let row = 0; row < rows; row++) mask[row] = 1 - (mask[row] as number)
    return mask
  }
  if ('facet' in condition) return of(condition)
  const isAll = 'all' in condition
  const parts = (isAll ? condition.all : condition.any).map((each) => maskOf(each, rows, of))
  const [mask = new Uint8Array(rows).fill(Number(isAll)), ...others] = parts
  for (const other of others) {
    for (let row = 0; row < rows; row++) {
      mask[row] = isAll
        ? (mask[row] as number) & (other[row] as number)
        : (mask[row] as number) | (other[row] as number)
    }
  }
  return mask
}

/** Tells the texts of a facet that have a wanted value. */
function valueTest(facet: Facet, { wanted }: Term): ValueTest {
  const isWanted = (value: FacetValue): boolean => (isRange(wanted) ? isInRange(wanted, value) : wanted.includes(value))
  const one = (text: string): boolean => isWanted(facetFromText(facet, text))
  if (facet.kind !== 'eachOf') return { text: one, number: isWanted }
  return { text: (text) => text.split(VALUE_SEPARATOR).some(one) }
}
