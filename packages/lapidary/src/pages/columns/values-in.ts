import type { Facet, FacetValue } from '../../model/facet.ts'
import { facetFromText } from '../../model/query.ts'
import { VALUE_SEPARATOR } from './column-cells.ts'

/** The values that a text in a column stands for. */
export function valuesIn(facet: Facet, text: string): readonly FacetValue[] {
  if (facet.kind !== 'eachOf') return [facetFromText(facet, text)]
  return text.split(VALUE_SEPARATOR).map((each) => facetFromText(facet, each))
}
