import { DEFAULT_LIMIT, MAX_LIMIT } from 'lapidary'
import { MAX_PAGE, orNull, pageSchema as schemaOfPage } from 'lapidary-http/internal'
import * as z from 'zod'
import {
  answerSchema,
  authorSchema,
  commentAttributes,
  commentIdSchema,
  languageSchema,
  productIdSchema,
  ratingSchema,
  textSchema,
  timeSchema,
  titleSchema,
} from '../comment.ts'
import { LANGUAGE_TAG_PATTERN, MAX_LANGUAGE_TAG_LENGTH } from '../language-tag.ts'
import { ORDERS } from '../list-parameters.ts'
import { photoSchema } from '../photos/photo.ts'

/** A schema of Unicode without control characters; lengths are in characters, as JSON Schema counts them. */
const identifier = {
  minLength: 1,
  maxLength: 128,
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
  description: '1 to 128 characters, no control characters.',
}

/** The attributes of a comment, with what clients are told of them. */
export const documented = {
  id: commentIdSchema.meta({ ...identifier, examples: ['100001'] }),
  productId: productIdSchema.meta({ ...identifier, examples: ['42'] }),
  language: languageSchema.meta({
    type: 'string',
    maxLength: MAX_LANGUAGE_TAG_LENGTH,
    pattern: LANGUAGE_TAG_PATTERN,
    description: 'A BCP 47 tag; kept in lower case.',
    examples: ['en', 'pt-br'],
  }),
  rating: ratingSchema.meta({ description: 'Stars, 1 to 5.', examples: [5] }),
  title: titleSchema.meta({ maxLength: 200, description: 'Up to 200 characters.', examples: ['Just right'] }),
  text: textSchema.meta({
    minLength: 1,
    maxLength: 10_000,
    description: '1 to 10,000 characters.',
    examples: ['It does what it says.'],
  }),
  author: authorSchema.meta({ minLength: 1, maxLength: 100, description: '1 to 100 characters.', examples: ['Ada'] }),
  createdAt: timeSchema.meta({
    type: 'string',
    format: 'date-time',
    description: 'ISO 8601; kept in UTC to the millisecond.',
    examples: ['2020-11-09T12:00:00.123Z'],
  }),
  verified: z.boolean().meta({ description: 'Whether the writer bought the product.', examples: [true] }),
}

const documentedAnswer = answerSchema.extend({ text: documented.text, answeredAt: documented.createdAt })

/** A comment as the API returns it. */
export const commentOutput = commentAttributes
  .omit({ person: true, answered: true, attached: true })
  .extend({
    ...documented,
    photos: z.array(photoSchema).meta({
      description: 'Its photos: `/comments/{id}/photos/{photoId}` serves each in WebP. Width and height are pixels.',
    }),
    helpful: z
      .int()
      .min(0)
      .meta({ description: 'The people who found it helpful.', examples: [12] }),
    verified: documented.verified,
    answer: orNull(documentedAnswer).meta({ description: 'What the shop answered.' }),
  })
  .meta({ id: 'Comment' })

/** A comment as it is sent to be created: the server makes version and updatedAt, and whatever may be left out. */
export const newComment = z
  .strictObject({
    id: documented.id.optional(),
    productId: documented.productId.optional(),
    language: documented.language,
    rating: documented.rating,
    title: documented.title.default(''),
    text: documented.text,
    author: documented.author,
    createdAt: documented.createdAt.optional(),
    verified: documented.verified.default(false),
  })
  .meta({ id: 'NewComment' })

/** The attributes of a comment that can be changed. */
export const commentChanges = z
  .strictObject({
    language: documented.language.optional(),
    rating: documented.rating.optional(),
    title: documented.title.optional(),
    text: documented.text.optional(),
    verified: documented.verified.optional(),
  })
  .meta({ id: 'CommentChanges' })

export const pageSchema = schemaOfPage(commentOutput, {
  items: 'Comments',
  facets: ['rating', 'language', 'verified', 'answered'],
})

export const productParams = z.object({ productId: documented.productId })
export const commentParams = z.object({ id: documented.id })

/** The parameters of every form of a list; `parseListParameters` reads them. */
export const listQuery = z.object({
  limit: z.int().meta({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT }).optional(),
  verified: z
    .enum(['true', 'false'])
    .meta({ description: 'Whether the writer bought the product; absent = either.' })
    .optional(),
  answered: z.enum(['true', 'false']).meta({ description: 'Whether the shop answered; absent = either.' }).optional(),
  order: z
    .enum(ORDERS)
    .meta({
      default: 'newest',
      description:
        'By time, by helpful votes with the most first, or by rating. `from` and `to` go with `newest` and `oldest`.',
    })
    .optional(),
  from: documented.createdAt.optional().meta({ description: 'Least createdAt, inclusive.' }),
  to: documented.createdAt.optional().meta({ description: 'Greatest createdAt, exclusive.' }),
  cursor: z.string().meta({ description: 'From the `cursors` of another page.' }).optional(),
  page: z.int().min(1).max(MAX_PAGE).meta({ description: 'The page by number, from 1; not with `cursor`.' }).optional(),
  explain: z.enum(['true', 'false']).meta({ description: 'Adds the plan.', default: 'false' }).optional(),
})

export const languageQuery = z.object({
  language: documented.language.optional().meta({ description: 'One language; absent = any.' }),
})

export const facetQuery = languageQuery.extend({
  rating: z
    .array(ratingSchema)
    .meta({
      description: 'Any of these; repeated (`rating=4&rating=5`) or `4,5`. Absent = any.',
      param: { explode: true },
    })
    .optional(),
})

export const resourceParams = productParams.extend({
  language: z.union([z.literal('~'), documented.language]).meta({
    type: 'string',
    maxLength: MAX_LANGUAGE_TAG_LENGTH,
    pattern: LANGUAGE_TAG_PATTERN.replace('^(', '^(~|'),
    description: 'A language, or `~` for any.',
    examples: ['en', '~'],
  }),
  ratings: z
    .string()
    .regex(/^(~|[1-5](\.[1-5])*)$/, 'must be ratings from 1 to 5 joined by dots, or ~ for any')
    .meta({ description: 'Ratings joined by dots, or `~` for any.', examples: ['1.2.3', '~'] }),
})
