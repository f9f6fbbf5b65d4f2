import { anyOf, defineCollection, oneOf } from 'lapidary'
import * as z from 'zod'
import { isLanguageTag } from './language-tag.ts'

/** A text in which every character can be stored and shown: well-formed Unicode within a length in characters. */
function text(least: number, most: number) {
  return z
    .string()
    .refine((value) => value.isWellFormed(), 'must be well-formed Unicode')
    .refine(
      (value) => [...value].length >= least && [...value].length <= most,
      `must have ${least} to ${most} characters`,
    )
}

/** Ids hold any Unicode but control characters. */
function identifier() {
  return text(1, 128).refine((value) => !/\p{Cc}/u.test(value), 'must hold no control characters')
}

/** A BCP 47 tag in lower case: `en`, `pt-br`. */
export const languageSchema = z
  .string()
  .refine(isLanguageTag, 'must be a BCP 47 language tag like en or pt-br, of at most 35 characters')
  .transform((tag) => tag.toLowerCase())

/** An ISO 8601 time, brought to UTC and milliseconds. */
export const timeSchema = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 time like 2020-11-09T12:00:00.123Z' })
  .transform((value, context) => {
    const time = new Date(value)
    const year = Number.isNaN(time.getTime()) ? -1 : time.getUTCFullYear()
    if (year < 1 || year > 9999) {
      context.addIssue({ code: 'custom', message: 'must be a time in the years 0001 to 9999' })
      return z.NEVER
    }
    return time.toISOString()
  })

export const productIdSchema = identifier()
export const commentIdSchema = identifier()
export const ratingSchema = z.int().min(1).max(5)
export const titleSchema = text(0, 200)
export const textSchema = text(1, 10_000)
export const authorSchema = text(1, 100)

/** A whole comment, as it is stored and returned. */
export const commentSchema = z.strictObject({
  id: commentIdSchema,
  productId: productIdSchema,
  language: languageSchema,
  rating: ratingSchema,
  title: titleSchema,
  text: textSchema,
  author: authorSchema,
  createdAt: timeSchema,
  updatedAt: timeSchema.nullable(),
  version: z.int().min(1),
})

export type Comment = z.output<typeof commentSchema>

/** The collection of comments of a product, newest first, filtered by language and rating. */
export const comments = defineCollection({
  name: 'COMMENT',
  schema: commentSchema,
  id: 'id',
  scope: { name: 'PRODUCT', attribute: 'productId' },
  order: 'createdAt',
  facets: {
    language: oneOf(),
    rating: anyOf([1, 2, 3, 4, 5], { frequencies: { 5: 0.55, 4: 0.2, 3: 0.08, 2: 0.05, 1: 0.12 } }),
  },
  leaderboards: { 'five-star': { where: { rating: [5] } } },
  version: 'version',
  updatedAt: 'updatedAt',
  attributes: {
    id: 'i',
    productId: 'p',
    language: 'l',
    rating: 'r',
    title: 't',
    text: 'x',
    author: 'a',
    createdAt: 'c',
    updatedAt: 'u',
    version: 'v',
  },
})

/**
 * Returns the collection for a layout. Native keys sort ids as they are: they accept any id only where the collection's positions sort ids the
 * same way.
 */
export function commentsIn(layout: string | undefined): typeof comments {
  return layout === 'native-keys' ? { ...comments, idOrder: 'raw' } : comments
}
