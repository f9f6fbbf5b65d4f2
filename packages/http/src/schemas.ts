import * as z from 'zod'
import { PROBLEM_CODES } from './problem-codes.ts'
import { WRITTEN } from './written.ts'

/** Adds null to a schema. `nullable()` of a schema with a name would become one that no null fits. */
export function orNull<T extends z.ZodType>(schema: T): z.ZodUnion<[T, z.ZodNull]> {
  return z.union([schema, z.null()])
}

const TAG_PATTERN = '(W/)?"[!#-~]*"'

/** Makes the schema of a header with a list of entity tags. */
function tagCondition(description: string): z.ZodOptional<z.ZodString> {
  const pattern = `^(\\*|${TAG_PATTERN}(, ?${TAG_PATTERN})*)$`
  return z
    .string()
    .meta({ description, pattern, examples: ['"3"', '*'] })
    .optional()
}

export const problemSchema: z.ZodType = z
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

const counts: z.ZodType = z.record(z.string(), z.int())
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

/** The greatest page number that is read as one; no list has so many pages. */
export const MAX_PAGE = 999_999_999_999_999

/** The words of a page's schema. */
interface PageWords {
  /** The name of the schema; `Page` when not given. */
  readonly id?: string
  /** What the items are called: `Comments`. */
  readonly items: string
  /** The facets whose values may be counted. */
  readonly facets: readonly string[]
}

/** Makes the schema of a page of items. */
export function pageSchema(item: z.ZodType, { id = 'Page', items, facets }: PageWords): z.ZodType {
  return z
    .object({
      items: z.array(item),
      page: z.object({
        number: z.int().nullable().meta({ description: 'Null when reached by cursor.' }),
        about: z.int().nullable().meta({
          description:
            'The number of a page reached by cursor, counted on from the page where the cursors began. It ignores what came or went before it since. Null where that is not known.',
        }),
        count: z.int().nullable().meta({ description: 'Pages of the whole filter; null where `total` is.' }),
        total: z
          .int()
          .nullable()
          .meta({
            description: `${items} of the whole filter. Null, unless all of them are on the page, with \`from\` or \`to\`, and while the counts are not known or too far behind.`,
          }),
        size: z.int(),
      }),
      cursors: z.object({
        next: z.string().nullable().meta({ description: 'Null exactly at the end.' }),
        previous: z.string().nullable().meta({ description: 'Null exactly at the start.' }),
      }),
      facets: z
        .object(Object.fromEntries(facets.map((facet) => [facet, counts])))
        .partial()
        .nullable()
        .meta({ description: 'Null with `from` or `to`, as counts cover all times, and while they are not known.' }),
      asOf: z
        .string()
        .nullable()
        .meta({ description: 'The time up to which the facets are counted; null without them.' }),
      plan: orNull(planSchema),
    })
    .meta({ id })
}

/** The header of answers that are compared by a tag. */
export const TAG: Readonly<Record<string, string>> = { ETag: 'Weak; the same as long as the content is.' }
export const UNCHANGED: { readonly description: string; readonly headers: typeof TAG } = {
  description: 'It is as it was.',
  headers: TAG,
}
export const ifNoneMatch: z.ZodObject = z.object({
  'If-None-Match': tagCondition('Only if the ETag is none of these.'),
})

/** The headers of lists. */
export const listHeaders: z.ZodObject = ifNoneMatch.extend({
  [WRITTEN]: z
    .string()
    .meta({
      description:
        'What the answers to your writes had under this name, at most 10, with commas: the page shows these items as they are now.',
      pattern: '^[!-~]+$',
    })
    .optional(),
})
/** The header of answers to writes. */
export const WRITTEN_HEADER: Readonly<Record<string, string>> = {
  [WRITTEN]: 'What to send with the next list, so that it shows what was written.',
}

/** The headers of changes that say which version they are for. */
export const conditions: z.ZodObject = z.object({
  'If-Match': tagCondition('Only if the version is one of these: `"3"`, or `*`.'),
  'If-None-Match': tagCondition('Only if the version is none of these.'),
})

export const idempotencyKey: z.ZodObject = z.object({
  'Idempotency-Key': z
    .string()
    .meta({
      description: 'Sent again with the same body within a day: the first answer again.',
      pattern: '^[!-~]([ -~]{0,253}[!-~])?$',
    })
    .optional(),
})
