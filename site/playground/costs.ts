import type { Collection, Entry, Item } from 'lapidary'
import type { CollectionLayout } from 'lapidary/internal'
import { US_EAST_1 } from 'lapidary-adviser'
import { HOURS_A_MONTH, monthlyPrice, writeUnits } from 'lapidary-adviser/internal'
import type { Dollars, WriteCost } from './answer.ts'
import type { FacetShares } from './facet-shares.ts'
import { type Held, type Holding, holdingsOf, itemWith, type TypicalItem } from './typical-items.ts'

/** The share of provisioned capacity that the mean load uses; the adviser's. */
export const UTILISATION = 0.7
const SECONDS_A_MONTH = HOURS_A_MONTH * 3600
const MILLION = 1e6

/** Prices a million of something by the read units, or the write units, of one: as the adviser prices a month in which there are so many. */
export function dollarsAMillion(units: { readonly read?: number; readonly write?: number }): Dollars {
  const { read = 0, write = 0 } = units
  const aSecond = MILLION / SECONDS_A_MONTH
  const usage = { readUnitsPerSecond: read * aSecond, writeUnitsPerSecond: write * aSecond, storedBytes: 0 }
  const { onDemand, provisioned } = monthlyPrice(usage, US_EAST_1, UTILISATION)
  return { onDemand, provisioned }
}

/** The most typical items that writes are priced for; they are taken evenly. */
const MOST_PRICED = 60
const MOST_CHANGES = 6

type EntriesOf = (item: Item, version: number) => readonly Entry[]

/** Prices the writes of a typical item: one that comes, one that goes, and one of which an attribute changes. */
export function writeCosts(
  collection: Collection,
  layout: CollectionLayout,
  shares: readonly FacetShares[],
  typical: readonly TypicalItem[],
  entriesOf: EntriesOf,
): readonly WriteCost[] {
  const step = Math.max(1, typical.length / MOST_PRICED)
  const priced = Array.from(
    { length: Math.min(typical.length, MOST_PRICED) },
    (_, i) => typical[Math.floor(i * step)],
  ).flatMap((one, i) => (one === undefined ? [] : [{ ...one, i, entries: entriesOf(one.item, 1) }]))
  type Priced = (typeof priced)[number]
  const mean = (
    what: string,
    changes: (one: Priced) => readonly (readonly [Entry[], Entry[], number])[],
  ): WriteCost => {
    const byIndex: Record<string, number> = {}
    let [units, weight] = [0, 0]
    for (const one of priced) {
      for (const [before, after, share] of changes(one)) {
        weight += share * one.items
        for (const { index = '', units: charged } of writeUnits(layout, before, after)) {
          units += share * one.items * charged
          byIndex[index] = (byIndex[index] ?? 0) + share * one.items * charged
        }
      }
    }
    const of = (sum: number): number => (weight === 0 ? 0 : sum / weight)
    const parts = Object.fromEntries(Object.entries(byIndex).map(([index, sum]) => [index, of(sum)]))
    return { what, units: of(units), byIndex: parts, dollars: dollarsAMillion({ write: of(units) }) }
  }
  const edits = shares.flatMap((facet) => {
    if (collection.facets[facet.name]?.origin !== undefined) return []
    const holdings = holdingsOf(facet)
    const cost = mean(`change its ${facet.name}`, ({ held, i, items: _, entries, item }) => {
      const own = JSON.stringify(held[facet.name])
      const known = holdings.filter((other) => JSON.stringify(other.held) !== own)
      const others = known.length > 0 ? known : otherHoldings(facet, held[facet.name])
      const often = others.toSorted((a, b) => b.share - a.share).slice(0, MOST_CHANGES)
      return often.map(({ held: other, share }) => {
        const changed = { ...item, ...changedBy(collection, i, facet.name, other) }
        return [[...entries], [...entriesOf(changed, 2)], share] as const
      })
    })
    return cost.units === 0 ? [] : [cost]
  })
  return [
    mean('create an item', ({ entries }) => [[[], [...entries], 1]]),
    ...edits,
    mean('change another attribute', ({ entries, item }) => [
      [[...entries], [...entriesOf({ ...item, ...touched(item) }, 2)], 1],
    ]),
    mean('delete it', ({ entries }) => [[[...entries], [], 1]]),
  ]
}

/** Makes another value of an open facet of which one is known; a closed one has no other. */
function otherHoldings({ facet: { values } }: FacetShares, held: Held | undefined): readonly Holding[] {
  if (values !== undefined) return []
  if (typeof held === 'number') return [{ held: held + 1, share: 1 }]
  if (typeof held === 'string') return [{ held: `${held.slice(0, -1)}~`, share: 1 }]
  return Array.isArray(held) ? [{ held: ['another'], share: 1 }] : []
}

function changedBy(collection: Collection, i: number, facet: string, held: TypicalItem['held'][string]): Item {
  const { [facet]: value = null } = itemWith(collection, i, { [facet]: held })
  return { [facet]: value }
}

/** Another text of as many bytes in the attribute that the item is filled up with; an attribute of its own where it has none. */
function touched(item: Item): Item {
  const [filled] = Object.entries(item).filter(([, value]) => typeof value === 'string' && /^x+$/.test(value))
  return filled === undefined ? { note: 'x' } : { [filled[0]]: `${String(filled[1]).slice(1)}y` }
}
