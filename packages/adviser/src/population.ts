import type { Collection, FacetValue, Item } from 'lapidary'
import { createEntryCodec, entryBytes, orderAttributes, ownValue, type Selection, selects } from 'lapidary/internal'
import { evenly, valueAt } from './even-draw.ts'
import { type CheckedWorkload, SCOPE_ID } from './workload.ts'

/** An item that stands for a share of all items. */
export interface TypicalItem {
  readonly item: Item
  readonly share: number
}

/** The items of a scope, represented by some of them. */
export interface Population {
  readonly items: readonly TypicalItem[]
  /** Returns the share of a scope's items in a selection, 0 to 1. */
  share(selection: Selection): number
  /** Returns the values of a facet that items are known to have; undefined where none are known. */
  values(facet: string): readonly FacetValue[] | undefined
  /** Returns the item with another value of an attribute, with the chance of each value. */
  edited(item: Item, attribute: string): readonly TypicalItem[]
}

/** The most combinations of values that are all made; of more, as many are drawn. */
const MOST_ITEMS = 256

export function populationOf(collection: Collection, workload: CheckedWorkload): Population {
  const { items } = workload
  return {
    items: items === undefined ? madeItems(collection, workload) : givenItems(items),
    share: items === undefined ? shareOfFacets(workload) : shareOfItems(collection, items),
    values: (facet) => knownValues(workload, facet),
    edited: (item, attribute) => editedItems(collection, workload, item, attribute),
  }
}

function shareOfItems({ facets }: Collection, items: readonly Item[]): Population['share'] {
  return (selection) => items.filter((item) => selects(selection, item, facets)).length / items.length
}

/** Multiplies the shares of facets, as if facets were independent. */
function shareOfFacets({ frequencies }: CheckedWorkload): Population['share'] {
  return (selection) =>
    Object.entries(selection).reduce((product, [facet, values]) => {
      const shares = ownValue(frequencies, facet) ?? []
      const chosen = shares.filter(([value]) => values.includes(value))
      return product * chosen.reduce((sum, [, share]) => sum + share, 0)
    }, 1)
}

function givenItems(items: readonly Item[]): readonly TypicalItem[] {
  const step = Math.max(1, items.length / MOST_ITEMS)
  const taken = Array.from(
    { length: Math.min(items.length, MOST_ITEMS) },
    (_, i) => items[Math.floor(i * step)] as Item,
  )
  return taken.map((item) => ({ item, share: 1 / taken.length }))
}

function knownValues({ frequencies }: CheckedWorkload, facet: string): readonly FacetValue[] | undefined {
  const known = (ownValue(frequencies, facet) ?? [])
    .filter(([, , standsForOthers]) => standsForOthers !== true)
    .map(([value]) => value)
  return known.length === 0 ? undefined : known
}

/** Makes an item for every combination of values, or for as many as are drawn evenly. */
function madeItems(collection: Collection, workload: CheckedWorkload): readonly TypicalItem[] {
  const facets = Object.entries(workload.frequencies)
  const fill = fillerOf(collection, workload)
  const made = (i: number, values: Item): Item => fill(madeItem(collection, i, values))
  const combinations = facets.reduce((product, [, shares]) => product * shares.length, 1)
  if (combinations > MOST_ITEMS) {
    return Array.from({ length: MOST_ITEMS }, (_, i) => {
      const values = facets.map(([facet, shares], f) => [facet, valueAt(shares, evenly(i, f))])
      return { item: made(i, Object.fromEntries(values)), share: 1 / MOST_ITEMS }
    })
  }
  const cells = facets.reduce<readonly TypicalItem[]>(
    (found, [facet, shares]) =>
      found.flatMap(({ item, share }) =>
        shares.map(([value, of]) => ({ item: { ...item, [facet]: value }, share: share * of })),
      ),
    [{ item: {}, share: 1 }],
  )
  return cells.filter(({ share }) => share > 0).map(({ item, share }, i) => ({ item: made(i, item), share }))
}

const MADE_AT = Date.UTC(2026, 0, 1)

/** Makes the i-th of a collection's items, with these values of facets. */
export function madeItem({ id, scope, orders, version, updatedAt }: Collection, i: number, facets: Item): Item {
  const at = new Date(MADE_AT + i * 1000).toISOString()
  return {
    [id]: `01JXB0QR1RYGA95JZ7Q6P${String(i).padStart(5, '0')}`,
    [scope.attribute]: SCOPE_ID,
    ...(version === undefined ? {} : { [version]: 1 }),
    ...(updatedAt === undefined ? {} : { [updatedAt]: null }),
    ...Object.fromEntries(
      Object.values(orders).map(({ attribute, type }) => [
        attribute,
        type === 'number' ? MADE_AT + i : type === 'decimal' ? BigInt(MADE_AT + i) : at,
      ]),
    ),
    ...facets,
  }
}

/** Makes a function that pads items to the bytes that the workload gives, in lists and in a look-up. */
export function fillerOf(
  collection: Collection,
  { itemBytes, lookupBytes }: Pick<CheckedWorkload, 'itemBytes' | 'lookupBytes'>,
): (item: Item) => Item {
  const { id, scope, facets, version, updatedAt, attributes } = collection
  const codec = createEntryCodec({ ...collection, codec: undefined })
  const taken = [id, scope.attribute, ...orderAttributes(collection), version, updatedAt, ...Object.keys(facets)]
  const free = (place: 'list' | 'lookup'): string | undefined =>
    attributes === undefined
      ? `filler-${place}`
      : Object.keys(attributes).find((name) => attributes[name]?.shownIn === place && !taken.includes(name))
  const filled = (place: 'list' | 'lookup', bytes: number): Item => {
    const attribute = free(place)
    const room = attribute === undefined ? 0 : Math.round(bytes) - codec.storedName(attribute).length
    return attribute === undefined || room <= 0 ? {} : { [attribute]: 'x'.repeat(room) }
  }
  return (item) => ({
    ...item,
    ...filled('list', itemBytes - entryBytes(codec.toEntry(item))),
    ...filled('lookup', lookupBytes),
  })
}

function editedItems(
  { facets, orders, version, updatedAt, id }: Collection,
  { frequencies }: CheckedWorkload,
  item: Item,
  attribute: string,
): readonly TypicalItem[] {
  const changed = (value: unknown): Item => ({
    ...item,
    [attribute]: value,
    ...(version === undefined ? {} : { [version]: Number(item[version] ?? 1) + 1 }),
    ...(updatedAt === undefined ? {} : { [updatedAt]: new Date(MADE_AT - 1000).toISOString() }),
  })
  if (!Object.hasOwn(facets, attribute)) return [{ item: changed(otherValue(orders, item, attribute, id)), share: 1 }]
  const others = (ownValue(frequencies, attribute) ?? []).filter(
    ([value, share]) => value !== item[attribute] && share > 0,
  )
  const all = others.reduce((sum, [, share]) => sum + share, 0)
  return others.map(([value, share]) => ({ item: changed(value), share: share / all }))
}

/** Returns another value of as many bytes. */
function otherValue(orders: Collection['orders'], item: Item, attribute: string, id: string): unknown {
  const value = item[attribute]
  if (Object.values(orders).some((order) => order.attribute === attribute && order.type === 'time'))
    return new Date(Date.parse(String(value)) + 60_000).toISOString()
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  return typeof value === 'string' && value !== ''
    ? `${value.slice(0, -1)}${value.endsWith('~') ? '-' : '~'}`
    : `~${String(item[id]).slice(-1)}`
}
