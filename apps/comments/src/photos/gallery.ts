import { type CollectionClient, createLapidary, defineCollection, type LapidaryOptions } from 'lapidary'
import * as z from 'zod'
import { authorSchema, commentIdSchema, productIdSchema, ratingSchema, timeSchema } from '../comment.ts'
import { inLayout } from '../in-layout.ts'
import { MOST_PHOTOS, photoSchema } from './photo.ts'

const entrySchema = z.strictObject({
  /** The id of the comment. */
  id: commentIdSchema,
  productId: productIdSchema,
  author: authorSchema,
  rating: ratingSchema,
  createdAt: timeSchema,
  photos: z.array(photoSchema).min(1).max(MOST_PHOTOS),
  version: z.int().min(1),
})

/** A comment with photos, as the gallery of its product shows it. */
export type GalleryEntry = z.output<typeof entrySchema>

/**
 * The collection of the comments of a product that have photos: a sparse list, which only those comments have an entry in. So the gallery of a product
 * with a hundred thousand comments costs what its photos cost.
 *
 * It lies in the index that all comments are in, under names that comments use too: the table has no index more, and no index shows more.
 */
export const gallery = defineCollection({
  name: 'GALLERY',
  schema: entrySchema,
  id: 'id',
  scope: { name: 'PRODUCT', attribute: 'productId' },
  order: 'createdAt',
  facets: {},
  version: 'version',
  attributes: {
    ...{ id: 'i', productId: 'p', author: 'a', rating: 'r', createdAt: 'c', photos: 'n', version: 'v' },
  },
})

export type Gallery = CollectionClient<GalleryEntry, (typeof gallery)['facets']>

/** Opens the gallery, which is no part of the database of the comments: it is made from them, and no export or API of that database shows it again. */
export function openGallery(options: Omit<LapidaryOptions<Record<never, never>>, 'collections' | 'derived'>): Gallery {
  const collections = { gallery: inLayout(gallery, options.layout?.name) }
  return createLapidary({ ...options, collections }).gallery
}
