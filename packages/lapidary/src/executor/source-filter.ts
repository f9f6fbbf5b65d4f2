import { type Condition, facetsOf, isWanted, matches } from '../model/condition.ts'
import type { Entry } from '../model/entry-bytes.ts'
import type { EntryReader } from '../model/entry-reader.ts'
import type { Filter } from '../model/query.ts'
import { entryValues } from './entry-values.ts'
import { type FilterExpression, filterExpression } from './filter-expression.ts'

/**
 * The filter of one list. DynamoDB runs it, or this process where DynamoDB would not take it: it is too large, or asks of a key attribute of the
 * index. Both cost the same read.
 */
export interface SourceFilter {
  readonly expression?: FilterExpression | undefined
  readonly local?: LocalFilter | undefined
}

interface LocalFilter {
  /** Stored names of the attributes that it needs. */
  readonly names: readonly string[]
  passes(entry: Entry): boolean
}

interface Asked {
  readonly residual: Filter
  readonly also: Condition | undefined
}

export function sourceFilter(
  { residual, also }: Asked,
  codec: EntryReader,
  keyNames: readonly string[] = [],
): SourceFilter {
  const terms = Object.entries(residual)
  const facets = [...terms.map(([facet]) => facet), ...(also === undefined ? [] : facetsOf(also))]
  const names = facets.map((facet) => codec.storedName(facet))
  const isOfKey = names.some((name) => keyNames.includes(name))
  const expression = isOfKey ? 'refused' : filterExpression(residual, also, codec)
  if (expression !== 'refused') return { expression }
  const local: LocalFilter = {
    names,
    passes(entry) {
      const isMet = terms.every(([facet, wanted]) =>
        entryValues(codec, entry, facet).some((value) => isWanted(wanted, value)),
      )
      return isMet && (also === undefined || matches(also, (facet) => entryValues(codec, entry, facet)))
    },
  }
  return { local }
}
