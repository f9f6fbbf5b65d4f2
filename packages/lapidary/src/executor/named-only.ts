import type { List } from '../layouts/layout.ts'
import type { Entry } from '../model/entry-bytes.ts'
import type { EntryReader } from '../model/entry-reader.ts'
import type { Selection } from '../model/query.ts'
import { entryValues } from './entry-values.ts'

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
  return (entry) =>
    open.every(([facet, wanted]) => entryValues(codec, entry, facet).some((value) => wanted.includes(value)))
}
