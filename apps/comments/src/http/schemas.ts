import { DEFAULT_LIMIT, MAX_LIMIT } from 'lapidary'
import { z } from 'zod'
import {
  authorSchema,
  commentIdSchema,
  commentSchema,
  languageSchema,
  productIdSchema,
  ratingSchema,
  textSchema,
  timeSchema,
  titleSchema,
} from '../comment.ts'
import { LANGUAGE_TAG_PATTERN, MAX_LANGUAGE_TAG_LENGTH } from '../language-tag.ts'
import { MAX_PAGE } from '../list-parameters.ts'
import { PROBLEM_CODES } from './problem-codes.ts'

/** A schema of Unicode without control characters; lengths are in characters, as JSON Schema counts them. */
const identifier = {
  minLength: 1,
  maxLength: 128,
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
  description: '1 to 128 characters, no control characters.',
}

const documented = {
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
}

/** A comment as the API returns it. */
export const commentOutput = commentSchema.extend(documented).meta({ id: 'Comment' })

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
  })
  .meta({ id: 'NewComment' })

/** Adds null to a schema. `nullable()` of a schema with a name would become one that no null fits. */
export function orNull<T extends z.ZodType>(schema: T): z.ZodUnion<[T, z.ZodNull]> {
  return z.union([schema, z.null()])
}

const TAG_PATTERN = '(W/)?"[!#-~]*"'

/** Makes the schema of a header with a list of entity tags. */
function tagCondition(description: string) {
  const pattern = `^(\\*|${TAG_PATTERN}(, ?${TAG_PATTERN})*)$`
  return z
    .string()
    .meta({ description, pattern, examples: ['"3"', '*'] })
    .optional()
}

/** The attributes of a comment that can be changed. */
export const commentChanges = z
  .strictObject({
    language: documented.language.optional(),
    rating: documented.rating.optional(),
    title: documented.title.optional(),
    text: documented.text.optional(),
  })
  .meta({ id: 'CommentChanges' })

export const problemSchema = z
  .looseObject({
    type: z.string().meta({ description: 'The address that explains the code.' }),
    title: z.string(),
    status: z.int(),
    code: z.enum(Object.keys(PROBLEM_CODES) as [string, ...string[]]),
    detail: z.string(),
    errors: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .max(20)
      .optional(),
    errorsOmitted: z.int().min(1).optional().meta({ description: 'Errors beyond those under `errors`.' }),
    instance: z.string().meta({ description: 'Names this occurrence; the server logged it by the same name.' }),
  })
  .meta({ id: 'Problem', description: 'RFC 9457' })

const counts = z.record(z.string(), z.int())
const figures = z.object({ rcu: z.number(), requests: z.number(), rounds: z.number() })

const planSchema = z
  .looseObject({
    text: z.string(),
    tree: z
      .looseObject({ kind: z.string(), text: z.string() })
      .meta({ description: 'A node; `inputs` are nodes too.' }),
    estimated: figures,
    lists: figures.meta({ description: 'The part of `estimated` that the lists take.' }),
    actual: figures
      .extend({
        itemsRead: z.int(),
        itemsReturned: z.int(),
        itemsDiscarded: z.int(),
        itemsFilteredOut: z.int(),
        itemsReadAhead: z.int(),
        bytes: z.int(),
        ms: z.number(),
      })
      .nullable()
      .meta({ description: 'Everything that the request read: lists, counts and page index.' }),
    statisticsRcu: z.number().nullable().meta({ description: 'The part of `actual` that the counts took.' }),
    pageIndex: z.object({ rcu: z.number(), rounds: z.int() }).nullable().meta({
      description: 'The part of `actual` that the page index took: for the page’s place, or for its total.',
    }),
    rejected: z.array(
      z.object({
        text: z.string(),
        rcu: z.number().nullable(),
        rounds: z.number().nullable(),
        reason: z.string(),
        refusal: z
          .looseObject({ kind: z.string() })
          .optional()
          .meta({ description: 'The reason as data, of an index that can’t answer.' }),
      }),
    ),
    roundPrice: z.number().meta({ description: 'The price of an extra round, in RCU.' }),
    slots: z.array(z.int()).nullable().meta({
      description: 'The list that each item of the page came from: its number among the tree’s sources, from 0.',
    }),
    limits: z.array(z.string()),
    notes: z.array(z.looseObject({ kind: z.string() })).meta({ description: '`limits` as data, in the same order.' }),
  })
  .meta({ id: 'Plan', description: 'How the page was found, estimate beside what DynamoDB reported.' })

export const pageSchema = z
  .object({
    items: z.array(commentOutput),
    page: z.object({
      number: z.int().nullable().meta({ description: 'Null when reached by cursor.' }),
      about: z.int().nullable().meta({
        description:
          'The number of a page reached by cursor, counted on from the page where the cursors began. It ignores what came or went before it since. Null where that is not known.',
      }),
      count: z.int().nullable().meta({ description: 'Pages of the whole filter; null where `total` is.' }),
      total: z.int().nullable().meta({
        description:
          'Comments of the whole filter. Null, unless all of them are on the page, with `from` or `to`, and while the counts are not known or too far behind.',
      }),
      size: z.int(),
    }),
    cursors: z.object({
      next: z.string().nullable().meta({ description: 'Null exactly at the end.' }),
      previous: z.string().nullable().meta({ description: 'Null exactly at the start.' }),
    }),
    facets: z
      .object({ rating: counts, language: counts })
      .partial()
      .nullable()
      .meta({ description: 'Null with `from` or `to`, as counts cover all times, and while they are not known.' }),
    asOf: z
      .string()
      .nullable()
      .meta({ description: 'The time up to which the facets are counted; null without them.' }),
    plan: orNull(planSchema),
  })
  .meta({ id: 'Page' })

export const productParams = z.object({ productId: documented.productId })
export const commentParams = z.object({ id: documented.id })

/** The parameters of every form of a list; `parseListParameters` reads them. */
export const listQuery = z.object({
  limit: z.int().meta({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT }).optional(),
  order: z.enum(['newest', 'oldest']).meta({ default: 'newest' }).optional(),
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

/** The header of answers that are compared by a tag. */
export const TAG = { ETag: 'Weak; the same as long as the content is.' } as const
export const UNCHANGED = { description: 'It is as it was.', headers: TAG } as const
export const ifNoneMatch = z.object({ 'If-None-Match': tagCondition('Only if the ETag is none of these.') })

/** The headers of changes that say which version they are for. */
export const conditions = z.object({
  'If-Match': tagCondition('Only if the version is one of these: `"3"`, or `*`.'),
  'If-None-Match': tagCondition('Only if the version is none of these.'),
})

export const idempotencyKey = z.object({
  'Idempotency-Key': z
    .string()
    .meta({
      description: 'Sent again with the same body within a day: the first answer again.',
      pattern: '^[!-~]([ -~]{0,253}[!-~])?$',
    })
    .optional(),
})
