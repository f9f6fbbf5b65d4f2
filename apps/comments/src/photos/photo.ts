import * as z from 'zod'

/** The most photos of a comment. */
export const MOST_PHOTOS = 4
/** The most bytes of a photo as it is sent. */
export const MAX_PHOTO_BYTES: number = 10 * 1024 * 1024
/** The types of image that can be sent. */
export const PHOTO_TYPES = ['image/jpeg', 'image/png', 'image/webp'] as const
/** The sizes in which a photo is kept: whole, and a square of its middle. */
export const PHOTO_SIZES = ['large', 'small'] as const

export type PhotoSize = (typeof PHOTO_SIZES)[number]

/** Ids are made at random, 128 bits of them: none is used twice, so what is kept under one never changes. */
export const photoIdSchema = z.string().regex(/^[\w-]{22}$/, 'must be the id of a photo: 22 letters, digits, - or _')

const sideSchema = z.int().min(1).max(100_000)

/** A photo of a comment, whose files are in a {@link PhotoStorage}. Width and height are pixels of the large one. */
export const photoSchema = z.strictObject({ id: photoIdSchema, width: sideSchema, height: sideSchema })

export type Photo = z.output<typeof photoSchema>
