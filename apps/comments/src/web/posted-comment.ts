import * as z from 'zod'
import { authorSchema, languageSchema, ratingSchema, textSchema, titleSchema } from '../comment.ts'
import type { Messages } from './messages/en.ts'

/** The cookie that holds the id of a comment for as long as its publication is news. */
export const POSTED_COOKIE = 'posted'
/** Seconds for which a browser knows that it has just posted. */
export const NEWS_SECONDS = 120
/** Room for a comment of the greatest length, in the widest characters, percent-encoded. */
export const MAX_FORM_BYTES: number = 256 * 1024

export const FORM_FIELDS = ['rating', 'language', 'title', 'text', 'author'] as const

export type FormField = (typeof FORM_FIELDS)[number] | 'token' | 'photos'

/** The typed values, to be shown again, without the token. */
export type FormValues = Readonly<Record<(typeof FORM_FIELDS)[number], string>> & { readonly idempotencyKey: string }

/** The error of each wrong field, in words that stand beside its label. */
export type FormErrors = Readonly<Partial<Record<FormField, string>>>

export interface NewComment {
  readonly rating: 1 | 2 | 3 | 4 | 5
  readonly language: string
  readonly title: string
  readonly text: string
  readonly author: string
}

const formSchema = z.object({
  rating: z.preprocess((value) => (value === '' ? undefined : Number(value)), ratingSchema),
  language: languageSchema,
  title: titleSchema,
  text: textSchema,
  author: authorSchema,
})

/** Reads the fields of a submitted form; browsers send line ends as CR LF. */
export function readForm(body: URLSearchParams): { values: FormValues; token: string } {
  const text = (name: string): string => (body.get(name) ?? '').replaceAll('\r\n', '\n').trim()
  return {
    values: {
      rating: text('rating'),
      language: text('language'),
      title: text('title'),
      text: text('text'),
      author: text('author'),
      idempotencyKey: text('idempotencyKey'),
    },
    token: text('token'),
  }
}

/** @param wrong The message for each field that is wrong. */
export function checkForm(
  values: FormValues,
  wrong: Messages['form']['wrong'],
): { comment: NewComment } | { errors: FormErrors } {
  const result = formSchema.safeParse(values)
  if (result.success) return { comment: { ...result.data, rating: result.data.rating as NewComment['rating'] } }
  const refused = new Set(result.error.issues.map(({ path }) => path[0]))
  return {
    errors: Object.fromEntries(FORM_FIELDS.filter((field) => refused.has(field)).map((name) => [name, wrong[name]])),
  }
}
