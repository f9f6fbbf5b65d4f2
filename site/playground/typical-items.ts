import type { Collection, FacetValue, Item } from 'lapidary'
import { evenly, fillerOf, madeItem, SCOPE_ID, valueAt } from 'lapidary-adviser/internal'
import { type FacetShares, isEach } from './facet-shares.ts'

/** An item that stands for several of a scope. */
export interface TypicalItem {
  readonly item: Item
  /** How many items of the scope are like it. */
  readonly items: number
  /** What it has of each facet. */
  readonly held: Readonly<Record<string, Held>>
}

/** One value, or those of an `eachOf` facet. */
export type Held = FacetValue | readonly FacetValue[]

/** What an item may have of a facet, with the share of items that have it. */
export interface Holding {
  readonly held: Held
  readonly share: number
}

/** The most combinations of values that are all made; of more, as many are drawn evenly. */
const MOST_COMBINATIONS = 600
const MOST_TOGETHER = 4
const DRAWN_SETS = 48

/** Returns what an item may have of a facet: each value, or each set of values. */
export function holdingsOf({ facet, values }: FacetShares): readonly Holding[] {
  const some = values.filter(({ share }) => share > 0)
  if (!isEach(facet)) return some.map(({ value, share }) => ({ held: value, share }))
  if (some.length > MOST_TOGETHER) {
    const sets = Array.from({ length: DRAWN_SETS }, (_, i) =>
      some.flatMap(({ value, share }, v) => (evenly(i, v) < share ? [value] : [])),
    )
    return sets.map((held) => ({ held, share: 1 / DRAWN_SETS }))
  }
  return some
    .reduce<readonly { readonly held: readonly FacetValue[]; readonly share: number }[]>(
      (sets, { value, share }) =>
        sets.flatMap((set) => [
          { held: [...set.held, value], share: set.share * share },
          { held: set.held, share: set.share * (1 - share) },
        ]),
      [{ held: [], share: 1 }],
    )
    .filter(({ share }) => share > 0)
}

/** Makes the items of a scope: facets are taken as independent, and whole items add up to the number that is asked for. */
export function typicalItems(
  collection: Collection,
  shares: readonly FacetShares[],
  { items, itemBytes }: { readonly items: number; readonly itemBytes: number },
): readonly TypicalItem[] {
  const fill = fillerOf(collection, { itemBytes, lookupBytes: 0 })
  const facets = shares.map((of) => [of.name, holdingsOf(of)] as const)
  const cells = combinations(facets)
  const counts = wholeParts(
    cells.map(({ share }) => share),
    items,
  )
  return cells.flatMap(({ held }, i) => {
    const count = counts[i] ?? 0
    return count === 0 ? [] : [{ item: fill(itemWith(collection, i, held)), items: count, held }]
  })
}

/** Makes the i-th item of a collection with what it has of facets, where their attributes are. */
export function itemWith(
  collection: Collection,
  i: number,
  held: Readonly<Record<string, Held>>,
  scope: string = SCOPE_ID,
): Item {
  const attributes: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(held)) {
    const origin = collection.facets[name]?.origin
    // The function of a computed facet makes its value of the other attributes.
    if (origin !== undefined && 'of' in origin) continue
    place(attributes, origin === undefined ? [name] : origin.path.split('.'), value)
  }
  return { ...madeItem(collection, i, attributes), [collection.scope.attribute]: scope }
}

function place(attributes: Record<string, unknown>, [first, ...rest]: readonly string[], value: unknown): void {
  if (first === undefined || value === null) return
  if (rest.length === 0) attributes[first] = value
  else {
    const inner = (attributes[first] ?? {}) as Record<string, unknown>
    attributes[first] = inner
    place(inner, rest, value)
  }
}

interface Cell {
  readonly held: Readonly<Record<string, Held>>
  readonly share: number
}

function combinations(facets: readonly (readonly [string, readonly Holding[]])[]): readonly Cell[] {
  const all = facets.reduce((product, [, holdings]) => product * holdings.length, 1)
  if (all <= MOST_COMBINATIONS) {
    return facets.reduce<readonly Cell[]>(
      (cells, [name, holdings]) =>
        cells.flatMap((cell) =>
          holdings.map(({ held, share }) => ({ held: { ...cell.held, [name]: held }, share: cell.share * share })),
        ),
      [{ held: {}, share: 1 }],
    )
  }
  return Array.from({ length: MOST_COMBINATIONS }, (_, i) => {
    const held = facets.map(([name, holdings], f) => {
      const points = holdings.map((each) => [each.held, each.share] as const)
      return [name, valueAt(points, evenly(i, f)) ?? null] as const
    })
    return { held: Object.fromEntries(held), share: 1 / MOST_COMBINATIONS }
  })
}

/** Parts a number into whole numbers by shares: those that are cut off most get what is left. */
export function wholeParts(shares: readonly number[], whole: number): readonly number[] {
  const sum = shares.reduce((all, share) => all + share, 0)
  const exact = shares.map((share) => (whole * share) / sum)
  const parts = exact.map(Math.floor)
  const left = whole - parts.reduce((all, part) => all + part, 0)
  const byCut = exact.map((part, i) => [part - Math.floor(part), i] as const).sort((a, b) => b[0] - a[0] || a[1] - b[1])
  for (const [, i] of byCut.slice(0, left)) parts[i] = (parts[i] ?? 0) + 1
  return parts
}
