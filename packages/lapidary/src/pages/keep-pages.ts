import { createHash } from 'node:crypto'
import type { CopyProjection } from '../derived/copy-projection.ts'
import { cellReader } from '../derived/counts/counted-cell.ts'
import { declaredReader, isComputedBy } from '../derived/register/declared-reader.ts'
import { declarationOf, type PlainDeclaration, plainDeclaration } from '../derived/register/plain-declaration.ts'
import { type Shape, shapeId, shapeOf } from '../derived/register/shape.ts'
import type { Collection } from '../model/collection.ts'
import type { Entry } from '../model/entry.ts'
import type { FacetValue } from '../model/facet.ts'
import { escapeComponent } from '../model/key-text.ts'
import { orderNamed } from '../model/order.ts'
import type { PagesDeclaration } from '../model/page-declaration.ts'
import { isInOrder, positionOf, shortKey } from '../model/position.ts'
import { facetText } from '../model/query.ts'
import type { TableClient } from '../table/table-client.ts'
import { cellsOf, EVERY_GROUP, namespaceOf } from './cells.ts'
import { listsProjection } from './lists-projection.ts'
import { placeOf } from './place.ts'
import type { ListEntry, PageStore, PageStoreContext, SortedLists } from './sorted-lists.ts'

/**
 * What a store apart follows the change stream as. With other page indexes it is another follower: a process that does not keep one of
 * them does not move the checkpoint by which another process keeps it.
 */
export function followerOf(store: PageStore, collections: readonly Collection[]): string {
  const all = collections.flatMap((collection) =>
    pagesOf(collection).map((each) => pagesShape(store, collection, each)),
  )
  const ids = all.map(shapeId).sort()
  return `${store.name}.${createHash('sha256').update(ids.join('\n')).digest('hex').slice(0, 8)}`
}

/** What is numbered of a collection: each scope in the default order, and what is declared beside it. */
export function pagesOf({ pages }: Collection): readonly PagesDeclaration[] {
  return [{}, ...pages]
}

/** What the projections of page indexes are called. */
export const PAGES = 'pages'

/** What a page index is made by, as plain data. */
interface PagesMade {
  readonly store: string
  readonly settings?: unknown
  readonly declaration: PlainDeclaration
  readonly declared: Omit<PagesDeclaration, 'order'>
  /** What its lists are called in the store, but for the digest. */
  readonly named: string
}

export function pagesShape(store: PageStore, collection: Collection, declared: PagesDeclaration): Shape {
  const { facet, across } = declared
  const placed = { id: collection.id, idOrder: collection.idOrder, order: orderNamed(collection, declared.order) }
  const made: PagesMade = {
    store: store.name,
    ...(store.settings === undefined ? {} : { settings: store.settings }),
    // Cells are made of facets in the order of their names.
    declaration: plainDeclaration(collection, Object.keys(collection.facets).sort(), placed),
    declared: { ...(facet === undefined ? {} : { facet }), ...(across === undefined ? {} : { across }) },
    named: namespaceOf(collection, declared),
  }
  return shapeOf({ collection: collection.name, name: PAGES }, made)
}

/** Keeps a page index that another declaration has; undefined where its store can't be opened here, or a function of its facets is lacking. */
export async function pagesOfShape(shape: Shape, context: LocalContext): Promise<CopyProjection | undefined> {
  if (shape.name !== PAGES) return undefined
  const { store, settings, declaration } = shape.made as PagesMade
  if (!isComputedBy(context.own, declaration)) return undefined
  const { storeInTable } = await import('./store-in-table.ts')
  const opened = storeInTable(store, settings)
  return opened && keeperOf(opened, shape, context).keeping
}

/** What lists are opened with. */
export type OpeningContext = Omit<PageStoreContext, 'namespace'>

/** What lists are kept with: the collections of this process have the functions of computed facets. */
export type LocalContext = OpeningContext & { readonly own: readonly Collection[] }

/** The lists of a shape, and where items are in them. */
export interface PagesKeeper {
  readonly namespace: string
  readonly lists: SortedLists
  readonly entriesOf: (image: Entry) => readonly ListEntry[]
  /** What the stream does to them. */
  readonly keeping: CopyProjection
}

export function keeperOf(store: PageStore, shape: Shape, context: LocalContext): PagesKeeper {
  const { declaration, declared, named } = shape.made as PagesMade
  const namespace = `${named}.${shape.digest}`
  const open = (table: TableClient): SortedLists => store.open({ table, clock: context.clock, namespace })
  const lists = open(context.table)
  // What a store apart is filled with takes no units of the table; opened once, it knows at once that it is filled.
  const filledBy = (table: TableClient): SortedLists => (store.apart === true ? lists : open(table))
  const entriesOf = entriesReader(declaration, declared, context.own)
  const keeping = listsProjection(shape, {
    ...{ lists, filledBy, entriesOf, shown: 'the page index is', rebuiltAs: 'page-index' },
  })
  return { namespace, lists, entriesOf, keeping }
}

/** A value is as short as an id, so that the key of a group has room for it. */
const VALUE_BYTES = { longest: 64, kept: 40 } as const

export function groupText({ facet, across }: PagesDeclaration, scope: string, value: FacetValue | undefined): string {
  const group = across === true ? EVERY_GROUP : escapeComponent(scope)
  if (facet === undefined || value === undefined) return group
  return `${group}/${shortKey(String(value), facetText(value), VALUE_BYTES)}`
}

/** Tells where an item is: once for each value of the facet, nowhere for an image that no list has. */
function entriesReader(
  declaration: PlainDeclaration,
  declared: PagesMade['declared'],
  own: readonly Collection[],
): (image: Entry) => readonly ListEntry[] {
  const collection = declarationOf(declaration)
  const cells = cellsOf(collection)
  const reader = declaredReader(declaration, collection, own)
  const countable = cellReader(collection, reader, Object.keys(collection.facets))
  return (image) => {
    try {
      const { scope, values } = countable(image)
      const item = reader.plainItem(image)
      if (!isInOrder(collection.order, item)) return []
      const entry = { cell: cells.cellOf(item), place: placeOf(collection.order, positionOf(collection, item)) }
      const listed = declared.facet === undefined ? [undefined] : values(declared.facet)
      return listed.map((value) => ({ group: groupText(declared, scope, value), ...entry }))
    } catch {
      return []
    }
  }
}
