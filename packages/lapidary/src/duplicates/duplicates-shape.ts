import { plainDeclaration } from '../derived/register/plain-declaration.ts'
import { type Shape, shapeOf } from '../derived/register/shape.ts'
import type { CollectionLayout } from '../layouts/layout.ts'
import type { Collection } from '../model/collection.ts'

/** The name by which duplicates are rebuilt and reported. */
export const DUPLICATES = 'duplicates'

/** Returns the shape of the duplicates that the change stream keeps; undefined for a layout without such duplicates. */
export function duplicatesShape(
  collection: Collection,
  { duplicates, indexes }: Pick<CollectionLayout, 'duplicates' | 'indexes'>,
): Shape | undefined {
  if (duplicates?.kept !== 'stream') return undefined
  const { id, idOrder, order } = collection
  const declaration = plainDeclaration(collection, Object.keys(collection.facets), { id, idOrder, order })
  return shapeOf({ collection: collection.name, name: DUPLICATES }, { declaration, indexes })
}
