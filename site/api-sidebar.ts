/** An item of the sidebar, as the generators of the site and of the reference have it. */
export interface SidebarItem {
  readonly text: string
  readonly link?: string
  readonly items?: readonly SidebarItem[]
}

/** The kinds of what an entry exports that its sidebar names; types are reached from where they are used, and from the entry's own page. */
const NAMED = ['Functions', 'Classes', 'Variables']

/**
 * Returns a sidebar for each entry of the packages: what the entry exports, then all entries. One sidebar of everything was 300 KB in each of 550
 * pages, most of the site's bytes and of the time that building it took.
 */
export function apiSidebars(reference: readonly SidebarItem[]): Readonly<Record<string, readonly SidebarItem[]>> {
  const entries = reference.flatMap((entry) => entriesOf(entry))
  const all = { text: 'Packages', items: entries.map(({ text, link }) => ({ text, link })) }
  return Object.fromEntries([
    ['/api/', [all]],
    ...entries.map(({ text, link, items }) => [link, [...(items.length > 0 ? [{ text, link, items }] : []), all]]),
  ])
}

interface Entry {
  readonly text: string
  readonly link: string
  readonly items: readonly SidebarItem[]
}

/** The entry, and those below it: `lapidary/attach` is listed under `lapidary`. */
function entriesOf({ text, link = '', items = [] }: SidebarItem, above = ''): readonly Entry[] {
  const name = above === '' ? text : `${above}/${text}`
  const named = NAMED.flatMap((kind) => items.find((item) => item.text === kind)?.items ?? [])
  return [
    { text: name, link, items: named },
    ...items.filter((item) => item.link !== undefined).flatMap((item) => entriesOf(item, name)),
  ]
}
