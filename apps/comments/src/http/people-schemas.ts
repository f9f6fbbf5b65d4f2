import { orNull } from 'lapidary-http/internal'
import * as z from 'zod'
import { CASE_STATES, REPORT_REASONS } from '../people/cases.ts'
import { commentOutput, documented } from './schemas.ts'

const time = documented.createdAt

/** Where a comment is, for its author and for moderators. */
const placeSchema = z.enum(['shown', 'waiting', 'hidden', 'rejected'])

/** What a person sends to write their comment, or to change it. */
export const ownFields = z
  .strictObject({
    language: documented.language,
    rating: documented.rating,
    title: documented.title.default(''),
    text: documented.text,
  })
  .meta({ id: 'OwnFields' })

/** A person's own comment, wherever it is. */
export const ownOutput = z
  .object({
    comment: commentOutput,
    place: placeSchema.meta({ description: '`shown`: everybody sees it; else its author and moderators.' }),
    note: z.string().meta({ description: 'What a moderator told its author.' }),
  })
  .meta({ id: 'OwnComment' })

/** What a person says against a comment. */
export const newReport = z
  .strictObject({
    reason: z.enum(REPORT_REASONS),
    text: z.string().max(1_000).default('').meta({ description: 'Up to 1,000 characters.' }),
  })
  .meta({ id: 'NewReport' })

/** A comment that a moderator has to look at, or has looked at. */
export const caseOutput = z
  .object({
    id: documented.id,
    state: z.enum(CASE_STATES).meta({ description: '`reported` and `settled` ones are shown.' }),
    since: time.meta({ description: 'The time since when it has this state.' }),
    productId: documented.productId,
    comment: orNull(commentOutput).meta({ description: 'Null where it was deleted meanwhile.' }),
    reports: z.array(z.object({ reason: z.enum(REPORT_REASONS), text: z.string(), at: time })),
    note: z.string(),
  })
  .meta({ id: 'Case' })

export const casePage = z
  .object({
    items: z.array(caseOutput),
    cursors: z.object({ next: z.string().nullable(), previous: z.string().nullable() }),
  })
  .meta({ id: 'CasePage' })

export const caseQuery = z.object({
  state: z.enum(CASE_STATES).meta({ default: 'waiting' }).optional(),
  limit: z.int().meta({ minimum: 1, maximum: 100, default: 20 }).optional(),
  cursor: z.string().meta({ description: 'From the `cursors` of another page.' }).optional(),
})

/** A moderator's decision. */
export const newPlace = z
  .strictObject({
    place: z.enum(['shown', 'hidden', 'rejected']),
    note: z.string().max(1_000).default('').meta({ description: 'What its author is told. Up to 1,000 characters.' }),
  })
  .meta({ id: 'NewPlace' })

export const newAnswer = z.strictObject({ text: documented.text }).meta({ id: 'NewAnswer' })
