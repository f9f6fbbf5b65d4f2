import { type Condition, facetsOf, isWanted, matches, type Term } from '../../model/condition.ts'
import type { Facet } from '../../model/facet.ts'
import type { Column, ValueTest } from './column.ts'
import type { ColumnFacet } from './column-cells.ts'
import type { RowTest } from './row-test.ts'
import { valuesIn } from './values-in.ts'

/** Tells the rows that meet a condition, by the columns of its facets. */
export function conditionTest(condition: Condition, facets: readonly ColumnFacet[]): RowTest {
  const numbers = new Map(facets.map(({ name }, i) => [name, i]))
  const columns = facetsOf(condition)
    .map((facet) => numbers.get(facet) as number)
    .sort((a, b) => a - b)
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
    passes: (texts) =>
      matches(condition, (name) => {
        const i = numbers.get(name) as number
        return valuesIn((facets[i] as ColumnFacet).facet, texts[i] ?? '')
      }),
  }
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
  const text = (each: string): boolean => valuesIn(facet, each).some((value) => isWanted(wanted, value))
  // Texts that look like numbers, as postal codes do, are packed as numbers, and are none.
  const isNumber = facet.kind !== 'eachOf' && facet.type === 'number'
  return isNumber ? { text, number: (value) => isWanted(wanted, value) } : { text }
}
