import { ALWAYS, type Condition, facetsOf, isWanted, matches } from '../model/condition.ts'
import type { Entry } from '../model/entry-bytes.ts'
import type { EntryReader } from '../model/entry-reader.ts'
import type { Filter } from '../model/query.ts'
import { entryValues } from './entry-values.ts'
import { type FilterExpression, filterExpression } from './filter-expression.ts'

/**
 * The filter of one list. DynamoDB runs it, and this process the part that DynamoDB would not take: what functions make of items, what asks of a
 * key attribute of the index, and all of it where it is too large. Both cost the same read.
 */
export interface SourceFilter {
  readonly expression?: FilterExpression | undefined
  readonly local?: LocalFilter | undefined
}

interface LocalFilter {
  /** Stored names of the attributes that it needs; undefined for all that the list shows. */
  readonly names: readonly string[] | undefined
  passes(entry: Entry): boolean
}

/** What is asked of an item: of facets each, and all together. */
interface Asked {
  readonly residual: Filter
  readonly also: Condition | undefined
}

export function sourceFilter(asked: Asked, codec: EntryReader, keyNames: readonly string[] = []): SourceFilter {
  const { there, here } = parted(asked, codec, keyNames)
  const expression = filterExpression(there.residual, there.also, codec)
  if (expression === 'refused') return { local: localFilter(asked, codec) }
  return { expression, local: isNothing(here) ? undefined : localFilter(here, codec) }
}

/** Parts what DynamoDB can judge, there, from what this process has to. */
function parted(
  { residual, also }: Asked,
  codec: EntryReader,
  keyNames: readonly string[],
): { readonly there: Asked; readonly here: Asked } {
  const isThere = (facet: string): boolean => {
    const place = codec.storedPlace(facet)
    return place !== undefined && !keyNames.includes(place.name)
  }
  const terms = Object.entries(residual)
  const parts = also === undefined ? [] : 'all' in also ? also.all : [also]
  const isPartThere = (part: Condition): boolean => facetsOf(part).every(isThere)
  const asked = (wanted: boolean): Asked => ({
    residual: Object.fromEntries(terms.filter(([facet]) => isThere(facet) === wanted)),
    also: together(parts.filter((part) => isPartThere(part) === wanted)),
  })
  return { there: asked(true), here: asked(false) }
}

function together(parts: readonly Condition[]): Condition | undefined {
  return parts.length > 1 ? { all: parts } : parts[0]
}

function isNothing({ residual, also }: Asked): boolean {
  return Object.keys(residual).length === 0 && also === undefined
}

function localFilter({ residual, also = ALWAYS }: Asked, codec: EntryReader): LocalFilter {
  const terms = Object.entries(residual)
  const places = [...terms.map(([facet]) => facet), ...facetsOf(also)].map((facet) => codec.storedPlace(facet)?.name)
  const isMet = (entry: Entry): boolean =>
    terms.every(([facet, wanted]) => entryValues(codec, entry, facet).some((value) => isWanted(wanted, value)))
  return {
    names: places.includes(undefined) ? undefined : places.filter((name) => name !== undefined),
    passes: (entry) => isMet(entry) && matches(also, (facet) => entryValues(codec, entry, facet)),
  }
}
