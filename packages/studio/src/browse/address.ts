/** The parameters of a list's address, in the order in which addresses have them. Those of facets are `is.status`, `from.price`… */
export type Parameters = URLSearchParams

/** What is asked of a facet in an address, by the beginning of the parameter's name. */
export const FACET_PARAMETERS = ['is', 'not', 'from', 'to', 'starts'] as const
export type FacetParameter = (typeof FACET_PARAMETERS)[number]

/** Parameters that say which items; a change of them leads to the first page. */
const PLACE = ['page', 'cursor'] as const
const FILTERS = ['where', 'from', 'to'] as const
const OTHERS = ['scope', 'all', 'by', 'order', 'limit', 'cols', 'cap', 'plan'] as const
export const PLAIN_PARAMETERS: readonly string[] = [...OTHERS, ...FILTERS, ...PLACE]

/** A change of parameters: a text or texts to set, null to take it out. */
export type Edit = Readonly<Record<string, string | readonly string[] | null>>

/** Returns the parameters after a change, at the first page unless the change names one. */
export function edited(parameters: Parameters, edit: Edit): Parameters {
  const next = new URLSearchParams(parameters)
  for (const name of PLACE) next.delete(name)
  for (const [name, value] of Object.entries(edit)) {
    next.delete(name)
    for (const each of value === null ? [] : [value].flat()) next.append(name, each)
  }
  return next
}

/** Adds a value to a parameter, or takes it out where it is there. */
export function toggled(parameters: Parameters, name: string, value: string): Parameters {
  const values = parameters.getAll(name)
  const next = values.includes(value) ? values.filter((each) => each !== value) : [...values, value]
  return edited(parameters, { [name]: next })
}

/** Returns the parameters without filters; scope, order and columns stay. */
export function unfiltered(parameters: Parameters): Parameters {
  const filters = [...parameters.keys()].filter((name) => isFilter(name))
  return edited(parameters, Object.fromEntries(filters.map((name) => [name, null])))
}

/** Tells whether a parameter says which items are shown, of those in the scope. */
export function isFilter(name: string): boolean {
  return (FILTERS as readonly string[]).includes(name) || facetParameter(name) !== undefined
}

/** Reads `from.price` as what is asked and of which facet. */
export function facetParameter(name: string): readonly [asked: FacetParameter, facet: string] | undefined {
  const at = name.indexOf('.')
  const asked = FACET_PARAMETERS.find((each) => each === name.slice(0, at))
  return asked === undefined || at < 0 ? undefined : [asked, name.slice(at + 1)]
}

/** Writes the address of a collection's list. */
export function listPath(name: string, parameters: Parameters): string {
  const query = parameters.toString()
  return `/c/${encodeURIComponent(name)}${query === '' ? '' : `?${query}`}`
}

/** Writes the address of an item. Its id is a parameter: browsers would resolve one of dots in a path. */
export function itemPath(name: string, id: string, page: 'item' | 'delete' = 'item'): string {
  return `/c/${encodeURIComponent(name)}/${page}?${new URLSearchParams({ id })}`
}
