import { shown } from './errors.ts'
import type { Facets } from './facet.ts'
import type { IndexDeclaration } from './index-declaration.ts'
import { invalidDeclaration } from './invalid-declaration.ts'
import { knownOptions, type OptionNames } from './known-options.ts'
import { type DeclaredOrders, orderNamed } from './order.ts'

/**
 * One more page index, for page numbers that the first one does not give: the first has each scope in the default order. Each index costs writes
 * of its own for every item that is in it.
 */
export interface PagesDeclaration<Name extends string = string> {
  /** The name of the order; the default one when not given. */
  readonly order?: string
  /** An `eachOf` or `hierarchy` facet, of which a query names one value: the index has an entry for each value of an item. */
  readonly facet?: Name
  /** Whether the index is for queries without a scope; an index has to list the items of all scopes. False when not given. */
  readonly across?: boolean
}

const PAGES_NAMES: OptionNames<PagesDeclaration> = { order: true, facet: true, across: true }

interface Declared extends DeclaredOrders {
  readonly facets: Facets
  readonly indexes: Readonly<Record<string, IndexDeclaration>> | undefined
}

/** @throws {LapidaryError} `declaration_invalid` for a page index that can't be, or that is declared twice. */
export function checkedPages(pages: readonly PagesDeclaration[], declared: Declared): readonly PagesDeclaration[] {
  const checked = pages.map((each) => checkedOne(each, declared))
  const twice = checked.find((each, i) => checked.findIndex((other) => isSamePages(each, other)) !== i)
  if (twice !== undefined) invalidDeclaration(`pages has ${shownPages(twice)} twice; leave out one of them`)
  return Object.freeze(checked)
}

function checkedOne(given: PagesDeclaration, { facets, indexes = {}, ...orders }: Declared): PagesDeclaration {
  const { order: by, facet, across = false } = knownOptions('pages', given, PAGES_NAMES, 'declaration_invalid')
  if (by !== undefined && !Object.hasOwn(orders.orders, by))
    invalidDeclaration(`pages has the order ${shown(by)}; the orders are ${Object.keys(orders.orders).join(', ')}`)
  const order = orderNamed(orders, by)
  const isFurther = order !== orders.order
  if (facet !== undefined && (!Object.hasOwn(facets, facet) || facets[facet]?.kind !== 'eachOf'))
    invalidDeclaration(
      `pages has the facet ${shown(facet)}, of which an item has one value, and every page index has pages by such a facet`,
    )
  if (!isFurther && facet === undefined && !across)
    invalidDeclaration(`pages has ${shownPages(given)}, which every collection has; leave it out`)
  const listsAll = Object.values(indexes).some(
    (index) => index.across !== undefined && orderNamed(orders, index.order) === order,
  )
  if (across && !listsAll)
    invalidDeclaration(`pages has ${shownPages(given)}, and no index of that order is across all scopes; declare one`)
  return Object.freeze({
    ...(isFurther && by !== undefined ? { order: by } : {}),
    ...(facet === undefined ? {} : { facet }),
    ...(across ? { across } : {}),
  })
}

export function isSamePages(a: PagesDeclaration, b: PagesDeclaration): boolean {
  return a.order === b.order && a.facet === b.facet && a.across === b.across
}

/** Shows a page index as it is declared: `{ order: 'amount' }`. */
export function shownPages({ order, facet, across }: PagesDeclaration): string {
  const parts = [
    ...(order === undefined ? [] : [`order: '${order}'`]),
    ...(facet === undefined ? [] : [`facet: '${facet}'`]),
    ...(across === undefined ? [] : [`across: ${across}`]),
  ]
  return `{ ${parts.join(', ')} }`
}
