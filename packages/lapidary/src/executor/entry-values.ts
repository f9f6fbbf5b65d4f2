import type { Entry } from '../model/entry-bytes.ts'
import type { EntryReader } from '../model/entry-reader.ts'
import type { FacetValue } from '../model/facet.ts'
import { facetValuesOf } from '../model/facet-values.ts'
import { ownValue } from '../model/own-value.ts'

/** Returns the values of a facet that the item of an entry has, as an item is listed by them. */
export function entryValues(codec: EntryReader, entry: Entry, facet: string): readonly FacetValue[] {
  const name = codec.storedName(facet)
  // An entry without an attribute that is called `valueOf` has the one of every object.
  const value = ownValue(entry, name)
  return facetValuesOf(codec.plainItem(value === undefined ? {} : { [name]: value }), facet, codec.each(facet))
}
