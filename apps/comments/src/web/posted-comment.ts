import { z } from 'zod'
import { authorSchema, languageSchema, ratingSchema, textSchema, titleSchema } from '../comment.ts'

export const FORM_FIELDS = ['rating', 'language', 'title', 'text', 'author'] as const

export type FormField = (typeof FORM_FIELDS)[number] | 'token'

/** What was typed, to be shown again. The token is not among it. */
export type FormValues = Readonly<Record<(typeof FORM_FIELDS)[number], string>> & { readonly idempotencyKey: string }

/** What is wrong with a field, in words that stand beside it. */
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

const PROBLEMS: Readonly<Record<(typeof FORM_FIELDS)[number], string>> = {
  rating: 'Your rating: choose 1 to 5 stars.',
  language: 'Language: choose one.',
  title: 'Title: use at most 200 characters.',
  text: 'Comment: write 1 to 10,000 characters.',
  author: 'Your name: write 1 to 100 characters.',
}

/** The fields of a submitted form; browsers send line ends as CR LF. */
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

export function checkForm(values: FormValues): { comment: NewComment } | { errors: FormErrors } {
  const result = formSchema.safeParse(values)
  if (result.success) return { comment: { ...result.data, rating: result.data.rating as NewComment['rating'] } }
  const wrong = new Set(result.error.issues.map(({ path }) => path[0]))
  return {
    errors: Object.fromEntries(FORM_FIELDS.filter((field) => wrong.has(field)).map((name) => [name, PROBLEMS[name]])),
  }
}
