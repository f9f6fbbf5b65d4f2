import type { Entry } from '../model/entry-bytes.ts'
import type { EntryReader } from '../model/entry-reader.ts'
import type { FacetValue } from '../model/facet.ts'
import { listedValues } from '../model/facet-values.ts'

/** Returns the values of a facet that the item of an entry has, as an item is listed by them. */
export function entryValues(codec: EntryReader, entry: Entry, facet: string): readonly FacetValue[] {
  return listedValues(codec.heldValue(entry, facet), codec.each(facet))
}
