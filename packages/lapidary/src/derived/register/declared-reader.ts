import type { Collection } from '../../model/collection.ts'
import { createEntryReader, type EntryReader } from '../../model/entry-reader.ts'
import { ownValue } from '../../model/own-value.ts'
import type { PlainDeclaration } from './plain-declaration.ts'

/**
 * Reads items as derived data see them. What functions make of an item stands under the name of the facet, as if it were an attribute: no
 * attribute has that name.
 *
 * @param collection What {@link declarationOf} makes of the declaration.
 * @param own The collections of this process, which have the functions: see {@link isComputedBy}.
 */
export function declaredReader(
  declaration: PlainDeclaration,
  collection: Collection,
  own: readonly Collection[],
): Pick<EntryReader, 'plainItem'> {
  const reader = createEntryReader(collection)
  const computed = computedFacets(declaration).map(([name]) => name)
  const computing = own.find(({ name }) => name === declaration.collection)
  if (computed.length === 0 || computing === undefined) return reader
  const { heldValue } = createEntryReader(computing)
  return {
    plainItem: (image) => ({
      ...reader.plainItem(image),
      ...Object.fromEntries(computed.map((name) => [name, heldValue(image, name)])),
    }),
  }
}

/**
 * Tells whether a process has all functions by which derived data are made. Without them it can't keep the data of another process, as it can't
 * keep a projection of one's own.
 */
export function isComputedBy(own: readonly Collection[], declaration: PlainDeclaration): boolean {
  const facets = own.find(({ name }) => name === declaration.collection)?.facets ?? {}
  return computedFacets(declaration).every(([name, version]) => {
    const origin = ownValue(facets, name)?.origin
    return origin !== undefined && 'of' in origin && origin.version === version
  })
}

function computedFacets({ facets }: PlainDeclaration): readonly (readonly [name: string, version: number])[] {
  return facets.flatMap(([name, { computed }]) => (computed === undefined ? [] : [[name, computed] as const]))
}
