import type { CopyProjection } from '../derived/copy-projection.ts'
import { cellReader } from '../derived/counts/counted-cell.ts'
import { declaredReader, isComputedBy } from '../derived/register/declared-reader.ts'
import { declarationOf, type PlainDeclaration, plainDeclaration } from '../derived/register/plain-declaration.ts'
import { type Shape, shapeOf } from '../derived/register/shape.ts'
import type { Collection } from '../model/collection.ts'
import type { Entry } from '../model/entry.ts'
import type { EntryReader } from '../model/entry-reader.ts'
import { LapidaryError } from '../model/errors.ts'
import { escapeComponent, unescapeComponent } from '../model/key-text.ts'
import { orderNamed } from '../model/order.ts'
import { ownValue } from '../model/own-value.ts'
import { HIGHEST, idOfRawKey, isInOrder, type Position, positionOf } from '../model/position.ts'
import type { TableClient } from '../table/table-client.ts'
import { withId } from './columns/cell-columns.ts'
import { columnCell, columnFacets } from './columns/column-cells.ts'
import { type ColumnSizes, MOST_COLUMNS } from './columns/column-sizes.ts'
import { type LoadedColumns, loadedColumns } from './columns/loaded-columns.ts'
import type { LocalContext } from './keep-pages.ts'
import { listsProjection } from './lists-projection.ts'
import { placeOf } from './place.ts'
import type { ListEntry } from './sorted-lists.ts'

/** What the projections of columns are called. */
export const COLUMNS = 'columns'

/** What columns are made by, as plain data. */
interface ColumnsMade {
  readonly declaration: PlainDeclaration
  /** Attributes that are added up, each with its stored name. */
  readonly sums: readonly (readonly [attribute: string, stored: string])[]
}

/** @throws {LapidaryError} `declaration_invalid` for more facets than can have a column. */
export function columnsShape(collection: Collection): Shape {
  const columns = columnFacets(collection)
  if (columns.length === 0 || columns.length > MOST_COLUMNS) {
    throw new LapidaryError(
      'declaration_invalid',
      `columns are for 1 to ${MOST_COLUMNS} facets and sums, and ${collection.name} has ${columns.length}; leave out derived.columns, or facets`,
    )
  }
  const placed = { id: collection.id, idOrder: collection.idOrder, order: orderNamed(collection, undefined) }
  const facets = Object.keys(collection.facets).sort()
  const made: ColumnsMade = {
    declaration: plainDeclaration(collection, facets, placed),
    sums: collection.sums.toSorted().map((name) => [name, ownValue(collection.attributes ?? {}, name)?.name ?? name]),
  }
  return shapeOf({ collection: collection.name, name: COLUMNS }, made)
}

/** Keeps the columns that another declaration has; undefined where this process lacks a function of their facets. */
export function columnsOfShape(shape: Shape, context: LocalContext): CopyProjection | undefined {
  if (shape.name !== COLUMNS || !isComputedBy(context.own, (shape.made as ColumnsMade).declaration)) return undefined
  return columnsKeeper(shape, context).keeping
}

/** The columns of a shape, and what keeps them. */
export interface ColumnsKeeper {
  readonly columns: LoadedColumns
  readonly entriesOf: (image: Entry) => readonly ListEntry[]
  readonly keeping: CopyProjection
}

export function columnsKeeper(
  shape: Shape,
  { table, clock, own, sizes }: LocalContext & { readonly sizes?: ColumnSizes | undefined },
): ColumnsKeeper {
  const { collection, made, digest } = shape
  const { declaration } = made as ColumnsMade
  const declared = columnsDeclaration(made as ColumnsMade)
  const facets = columnFacets(declared)
  const namespace = `${COLUMNS}.${escapeComponent(collection)}.${digest}`
  const open = (through: TableClient): LoadedColumns => loadedColumns(through, { namespace, clock, facets, sizes })
  const columns = open(table)
  const entriesOf = entriesReader(declared, declaredReader(declaration, declared, own), (made as ColumnsMade).sums)
  const keeping = listsProjection(shape, {
    ...{ lists: columns, filledBy: open, entriesOf, shown: 'columns are', rebuiltAs: COLUMNS },
  })
  return { columns, entriesOf, keeping }
}

/** A collection of which only that is right which columns are made of. */
function columnsDeclaration({ declaration, sums }: ColumnsMade): Collection {
  return { ...declarationOf(declaration), sums: sums.map(([attribute]) => attribute) }
}

/** The id that a position tells; undefined where it has a hash. */
export function idOf({ idOrder }: Pick<Collection, 'idOrder'>, { id }: Position): string | undefined {
  if (idOrder === 'raw') return idOfRawKey(id)
  return id.includes('~') ? undefined : unescapeComponent(id.replaceAll('%M', HIGHEST))
}

/** Tells where an item is, and its values; nowhere for an image that no list has. */
function entriesReader(
  collection: Collection,
  reader: Pick<EntryReader, 'plainItem'>,
  sums: ColumnsMade['sums'],
): (image: Entry) => readonly ListEntry[] {
  const columns = columnFacets(collection)
  const amountsOf = (image: Entry) =>
    Object.fromEntries(sums.map(([attribute, stored]) => [attribute, ownValue(image, stored)?.N]))
  const countable = cellReader(collection, reader, Object.keys(collection.facets))
  return (image) => {
    try {
      const { scope } = countable(image)
      const item = reader.plainItem(image)
      if (!isInOrder(collection.order, item)) return []
      const position = positionOf(collection, item)
      // Of a longer id the position has a hash, by which no item is found.
      const id = ownValue(item, collection.id)
      const hidden = typeof id === 'string' && idOf(collection, position) !== id ? id : undefined
      const cell = withId(columnCell(collection, columns, item, amountsOf(image)), hidden)
      return [{ group: escapeComponent(scope), cell, place: placeOf(collection.order, position) }]
    } catch {
      return []
    }
  }
}
