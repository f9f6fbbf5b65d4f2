import { ALWAYS, type Condition, facetsOf, isWanted, matches } from '../model/condition.ts'
import type { Entry } from '../model/entry-bytes.ts'
import type { EntryReader } from '../model/entry-reader.ts'
import type { Filter } from '../model/query.ts'
import { entryValues } from './entry-values.ts'
import { type FilterExpression, filterExpression } from './filter-expression.ts'

/**
 * The filter of one list: DynamoDB runs it, and this process what is larger than DynamoDB takes and what functions make of items. Both cost the
 * same read.
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

export function sourceFilter(residual: Filter, also: Condition | undefined, codec: EntryReader): SourceFilter {
  const { stored, computed } = parted({ residual, also }, codec)
  const expression = filterExpression(stored.residual, stored.also, codec)
  if (expression === 'too large') return { local: localFilter({ residual, also }, codec) }
  return { expression, local: isNothing(computed) ? undefined : localFilter(computed, codec) }
}

/** Parts what DynamoDB can judge from what names a computed facet. */
function parted({ residual, also }: Asked, codec: EntryReader): { readonly stored: Asked; readonly computed: Asked } {
  const isStored = (facet: string): boolean => codec.storedPlace(facet) !== undefined
  const terms = Object.entries(residual)
  const parts = also === undefined ? [] : 'all' in also ? also.all : [also]
  const isStoredPart = (part: Condition): boolean => facetsOf(part).every(isStored)
  const asked = (isMeant: (stored: boolean) => boolean): Asked => ({
    residual: Object.fromEntries(terms.filter(([facet]) => isMeant(isStored(facet)))),
    also: together(parts.filter((part) => isMeant(isStoredPart(part)))),
  })
  return { stored: asked((stored) => stored), computed: asked((stored) => !stored) }
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
