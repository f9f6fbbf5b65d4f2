import { type Condition, facetsOf, isWanted, matches } from '../model/condition.ts'
import type { Entry } from '../model/entry-bytes.ts'
import type { EntryReader } from '../model/entry-reader.ts'
import type { Filter } from '../model/query.ts'
import { entryValues } from './entry-values.ts'
import { type FilterExpression, filterExpression } from './filter-expression.ts'

/** The filter of one list: DynamoDB runs it, or this process where it is larger than DynamoDB takes. Both cost the same read. */
export interface SourceFilter {
  readonly expression?: FilterExpression | undefined
  readonly local?: LocalFilter | undefined
}

interface LocalFilter {
  /** Stored names of the attributes that it needs. */
  readonly names: readonly string[]
  passes(entry: Entry): boolean
}

export function sourceFilter(residual: Filter, also: Condition | undefined, codec: EntryReader): SourceFilter {
  const expression = filterExpression(residual, also, codec)
  if (expression !== 'too large') return { expression }
  const terms = Object.entries(residual)
  const facets = [...terms.map(([facet]) => facet), ...(also === undefined ? [] : facetsOf(also))]
  const local: LocalFilter = {
    names: facets.map((facet) => codec.storedName(facet)),
    passes(entry) {
      const isMet = terms.every(([facet, wanted]) =>
        entryValues(codec, entry, facet).some((value) => isWanted(wanted, value)),
      )
      return isMet && (also === undefined || matches(also, (facet) => entryValues(codec, entry, facet)))
    },
  }
  return { local }
}
