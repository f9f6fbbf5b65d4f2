import { anyOf, defineCollection, lookup, oneOf } from 'lapidary'
import * as z from 'zod'
import { inLayout } from './in-layout.ts'
import { isLanguageTag } from './language-tag.ts'
import { MOST_PHOTOS, type Photo, photoSchema } from './photos/photo.ts'

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

/** What the shop answers to a comment, and when. */
export const answerSchema = z.strictObject({ text: textSchema, answeredAt: timeSchema })

export type Answer = z.output<typeof answerSchema>

const photosSchema = z.array(photoSchema).max(MOST_PHOTOS)

/** What was attached to a comment: its writer's photos, and the answer of the shop. */
const attachedSchema = z.strictObject({ answer: answerSchema.optional(), photos: photosSchema.optional() })

export type Attached = z.output<typeof attachedSchema>

/** Gives an answer that was stored before there were photos, by itself, the name that it has now. What is neither is left to the schema. */
function withItsName(attached: Attached | null): Attached | null {
  const isAlone = typeof attached === 'object' && attached !== null && 'text' in attached
  return isAlone ? { answer: attached as unknown as Answer } : attached
}

/** The attributes of a comment as they are sent: those that the schema makes may be missing. */
export const commentAttributes = z.strictObject({
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
  /** The people who found it helpful; kept by votes. */
  helpful: z.int().min(0).default(0),
  /** Whether the writer bought the product. */
  verified: z.boolean().default(false),
  answer: answerSchema.nullable().optional(),
  photos: photosSchema.optional(),
  /** The writer's id, which never leaves the server; null for one whom the shop does not know. */
  person: z.string().min(1).max(256).nullable().default(null),
  /** Whether there is an answer, for the facet; made from `answer` whatever is sent. */
  answered: z.boolean().optional(),
  /** The answer and the photos as they are stored. */
  attached: z.preprocess(withItsName, attachedSchema.nullable()).optional(),
})

/** A whole comment, as it is stored: what is attached to it is one attribute, since DynamoDB lets the indexes of a table show 100 in all. */
export const commentSchema = commentAttributes.transform(({ answer, photos, ...comment }) => {
  const kept = attachedTo(comment)
  const attached = attachment({ answer: answer === undefined ? kept.answer : answer, photos: photos ?? kept.photos })
  return { ...comment, attached, answered: attached?.answer !== undefined }
})

export type Comment = z.output<typeof commentSchema>

/** What is attached to a comment, as programs use it. */
export interface AttachedParts {
  readonly answer: Answer | null
  readonly photos: readonly Photo[]
}

/** Returns what is attached to a stored comment. One of before there were photos has its answer alone. */
export function attachedTo(comment: object): AttachedParts {
  const { answer: alone = null, attached = alone }: Stored = comment
  if (attached === null) return { answer: null, photos: [] }
  if ('text' in attached) return { answer: attached, photos: [] }
  const { answer = null, photos = [] } = attached
  return { answer, photos }
}

/** Returns a comment that was held before there were photos in the form that it has now. */
export function inPresentForm(held: Comment): Comment {
  const { answer: _, ...comment } = held as Comment & Stored
  return { ...comment, attached: attachment(attachedTo(held)) }
}

interface Stored {
  readonly answer?: Answer | null
  readonly attached?: Attached | Answer | null
}

/** Returns what is stored of what is attached to a comment; null where that is nothing. */
export function attachment({ answer, photos }: AttachedParts): Attached | null {
  if (answer === null && photos.length === 0) return null
  return { ...(answer === null ? {} : { answer }), ...(photos.length === 0 ? {} : { photos: [...photos] }) }
}

const FILTERED = { optional: true, listed: false } as const

/**
 * The collection of comments of a product: newest first, by helpful votes or by rating, filtered by language, rating, whether the writer bought
 * the product and whether the shop answered. The last two are optional since comments of before they were declared lack them, and null counts as no.
 */
export const comments = defineCollection({
  name: 'COMMENT',
  schema: commentSchema,
  id: 'id',
  scope: { name: 'PRODUCT', attribute: 'productId' },
  order: 'createdAt',
  orders: {
    helpful: { attribute: 'helpful', type: 'number' },
    rating: { attribute: 'rating', type: 'number' },
  },
  facets: {
    language: oneOf(),
    rating: anyOf([1, 2, 3, 4, 5], { frequencies: { 5: 0.55, 4: 0.2, 3: 0.08, 2: 0.05, 1: 0.12 } }),
    verified: anyOf([true, false], { ...FILTERED, frequencies: { true: 0.7 } }),
    answered: anyOf([true, false], { ...FILTERED, frequencies: { true: 0.1 } }),
  },
  indexes: {
    all: {},
    byLanguage: { partition: ['language'] },
    byRating: { partition: ['rating'] },
    byLanguageAndRating: { partition: ['language', 'rating'] },
    allByHelpful: { order: 'helpful' },
    byLanguageByHelpful: { partition: ['language'], order: 'helpful' },
    allByRating: { order: 'rating' },
  },
  pages: [{ order: 'helpful' }, { order: 'rating' }],
  // For the ratings of a product by month.
  sums: ['rating'],
  statistics: { days: true },
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
    helpful: 'h',
    verified: 'b',
    attached: 'n',
    answered: 'd',
    person: lookup('w'),
  },
})

/**
 * Returns the collection for a layout. Native keys sort ids as they are: they accept any id only where the collection's positions sort ids the
 * same way.
 */
export function commentsIn(layout: string | undefined): typeof comments {
  // A power set has an index for each order, and a list for every filter in it.
  return layout === 'power-set' ? { ...comments, indexes: undefined } : inLayout(comments, layout)
}
