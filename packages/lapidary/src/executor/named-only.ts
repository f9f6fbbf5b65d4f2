import type { List } from '../layouts/layout.ts'
import type { Entry } from '../model/entry-bytes.ts'
import type { EntryReader } from '../model/entry-reader.ts'
import { facetValuesOf } from '../model/facet-values.ts'
import { ownValue } from '../model/own-value.ts'
import type { Selection } from '../model/query.ts'

/**
 * Tells the entries whose items have a value that a query names, of facets of which it names all that are declared. It costs no
 * capacity: a list shows the facets of its items. Undefined where the list is of one of the values each.
 */
export function namedOnly(
  whole: Selection | undefined,
  { holds }: List,
  codec: EntryReader,
): ((entry: Entry) => boolean) | undefined {
  const open = Object.entries(whole ?? {}).filter(([facet]) => !Object.hasOwn(holds, facet))
  if (open.length === 0) return undefined
  const checks = open.map(([facet, wanted]) => {
    const name = codec.storedName(facet)
    const each = codec.each(facet)
    return (entry: Entry): boolean => {
      // An entry without an attribute that is called `valueOf` has the one of every object.
      const value = ownValue(entry, name)
      const item = codec.plainItem(value === undefined ? {} : { [name]: value })
      return facetValuesOf(item, facet, each).some((value) => wanted.includes(value))
    }
  })
  return (entry) => checks.every((check) => check(entry))
}
