import { defineCollection, lookup } from 'lapidary'
import * as z from 'zod'
import { commentIdSchema, commentSchema, productIdSchema, timeSchema } from '../comment.ts'

/** Why a person reports a comment. */
export const REPORT_REASONS = ['spam', 'abuse', 'private', 'off-topic', 'other'] as const

export type ReportReason = (typeof REPORT_REASONS)[number]

/**
 * The states of a case. `waiting`: the comment is new, and shown to its author alone. `reported`: it is shown, and a person reported it.
 * `hidden`: it was shown, and was taken back. `rejected`: it was refused. `settled`: it is shown, and the reports of it were looked at.
 */
export const CASE_STATES = ['waiting', 'reported', 'hidden', 'rejected', 'settled'] as const

export type CaseState = (typeof CASE_STATES)[number]

const reportSchema = z.strictObject({
  /** The id of the person: one report a person. It never leaves the server. */
  person: z.string(),
  reason: z.enum(REPORT_REASONS),
  text: z.string(),
  at: timeSchema,
})

export type Report = z.output<typeof reportSchema>

const caseSchema = z.strictObject({
  /** The id of the comment. */
  id: commentIdSchema,
  state: z.enum(CASE_STATES),
  /** The time since when the case has its state. */
  since: timeSchema,
  productId: productIdSchema,
  /** The comment, where it is not shown: then it is here and nowhere else. */
  comment: commentSchema.nullable(),
  reports: z.array(reportSchema),
  /** What the moderator told the author. */
  note: z.string(),
  version: z.int().min(1),
})

export type Case = z.output<typeof caseSchema>

/**
 * The collection of what moderators have to look at, by state. A comment that is not shown is in its case and in no list of comments, so readers
 * pay nothing for it, and no filter can forget it.
 *
 * What lists show is stored under names that comments use too: the table has no index more, and no index shows more. A test holds it.
 */
export const cases = defineCollection({
  name: 'CASE',
  schema: caseSchema,
  id: 'id',
  scope: { name: 'STATE', attribute: 'state' },
  order: 'since',
  facets: {},
  version: 'version',
  attributes: {
    ...{ id: 'i', state: 'p', since: 'c', version: 'v' },
    ...{ productId: lookup('product'), comment: lookup('comment'), reports: lookup('reports'), note: lookup('note') },
  },
})
