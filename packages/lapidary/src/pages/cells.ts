import type { Collection, Item } from '../model/collection.ts'
import { type Condition, matches } from '../model/condition.ts'
import { shown } from '../model/errors.ts'
import type { Facet, FacetValue } from '../model/facet.ts'
import { eachOfFacet, facetValueOf } from '../model/facet-values.ts'
import { escapeComponent, unescapeComponent } from '../model/key-text.ts'
import { orderNamed } from '../model/order.ts'
import { ownValue } from '../model/own-value.ts'
import type { PagesDeclaration } from '../model/page-declaration.ts'
import { type Filter, facetFromText, facetText } from '../model/query.ts'
import { isInRange, isRange } from '../model/value-range.ts'

/**
 * The base lists of a scope: one for each combination of facet values, so an item is in exactly one, and every query is
 * answered by the union of some.
 */
export interface Cells {
  /** The list that an item is in: `en#5`; a facet without a value has none. */
  cellOf(item: Item): string
  /** Tells the lists whose union is a selection, of items that meet a condition where one is given. */
  includes(where: Filter, also?: Condition): (cell: string) => boolean
}

const SEPARATOR = '#'

/** The group of all scopes; no scope reads so in a key. */
export const EVERY_GROUP = '~'

/** Facets in the order of their names, so that a declaration whose facets are sorted otherwise is the same. */
export function cellsOf(collection: Pick<Collection, 'facets'>): Cells {
  const facets = rankedFacets(collection)
  const valueIn = (text: string, facet: string): FacetValue => facetFromText(collection.facets[facet] as Facet, text)
  return {
    cellOf: (item) =>
      facets.map((facet) => facetText(facetValueOf(item, facet, collection.facets[facet]))).join(SEPARATOR),
    includes(where, also) {
      const wanted = facets.map((facet) => {
        const asked = ownValue(where, facet)
        return asked && hasText(collection.facets[facet] as Facet, asked)
      })
      if (also === undefined && wanted.every((has) => has === undefined)) return () => true
      return (cell) => {
        const texts = cell.split(SEPARATOR)
        const isMet = (): boolean =>
          also === undefined || matches(also, (facet) => [valueIn(texts[facets.indexOf(facet)] ?? '', facet)])
        return wanted.every((has, i) => has?.(texts[i] ?? '') ?? true) && isMet()
      }
    },
  }
}

/** Tells the texts of the values that a filter asks for. */
function hasText(facet: Facet, wanted: Filter[string]): (text: string) => boolean {
  if (isRange(wanted)) return (text) => isInRange(wanted, facetFromText(facet, text))
  const texts = new Set(wanted.map(facetText))
  return (text) => texts.has(text)
}

/** An item is in one cell, so facets of which it may have several values are left out. */
function rankedFacets({ facets }: Pick<Collection, 'facets'>): readonly string[] {
  return Object.keys(facets)
    .filter((facet) => facets[facet]?.kind !== 'eachOf')
    .sort()
}

/** What keeps the lists of one declaration apart: with other facets cells are others, and in another order places are. */
export function namespaceOf(
  collection: Pick<Collection, 'name' | 'facets' | 'order' | 'orders'>,
  pages: PagesDeclaration,
): string {
  const { attribute, type } = orderNamed(collection, pages.order)
  const parts = [
    ...(pages.order === undefined ? [] : [`by(${escapeComponent(attribute)}.${type})`]),
    ...(pages.facet === undefined ? [] : [`each(${facetName(collection, pages.facet)})`]),
    ...(pages.across === true ? ['across'] : []),
  ]
  return `${collection.name}(${rankedFacets(collection).map(escapeComponent).join(',')})${parts.join('')}`
}

/** A path has other values where something else parts it. */
function facetName({ facets }: Pick<Collection, 'facets'>, name: string): string {
  const separator = eachOfFacet(facets[name])?.separator
  return separator === undefined ? escapeComponent(name) : `${escapeComponent(name)}.${escapeComponent(separator)}`
}

/** What is said of a group that has more lists than a store can name, and what to do about it. */
export function tooManyLists(namespace: string, group: string, cells: readonly string[]): string {
  const facets = (/\((.*?)\)/.exec(namespace)?.[1] ?? '').split(',').map((facet, i) => {
    const values = new Set(cells.map((cell) => cell.split(SEPARATOR)[i]))
    return { facet: unescapeComponent(facet), values: values.size }
  })
  const { facet, values } = facets.reduce((most, each) => (each.values > most.values ? each : most))
  const where = group === EVERY_GROUP ? 'all scopes' : `the scope ${shown(unescapeComponent(group))}`
  const found = `${cells.length} combinations of facet values, ${values} values of ${facet} alone`
  const instead = `leave ${facet} out of the facets, or keep the index in Redis, files or PostgreSQL`
  return `pages of ${where} have no numbers: the page index ${namespace} can't name all its lists (${found}); ${instead}; the first page and cursors work without it`
}
