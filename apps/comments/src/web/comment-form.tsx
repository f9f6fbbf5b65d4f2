import type { Child } from 'hono/jsx'
import { Icon } from './icons.tsx'
import { productPath } from './links.ts'
import { FORM_FIELDS, type FormErrors, type FormField, type FormValues } from './posted-comment.ts'
import { useWords } from './reader.ts'
import { COMMON_LANGUAGES } from './words.ts'

export interface CommentFormProps {
  readonly productId: string
  readonly values: FormValues
  readonly errors: FormErrors
  /** A problem of the whole form, rather than of one field. */
  readonly problem?: string | undefined
  /** Whether it is open from the start; after mistakes it always is. */
  readonly open?: boolean
}

/** The most characters, as the schema of a comment has them. */
const MOST = { title: 200, text: 10_000, author: 100 } as const

/** Shows the form for a comment. It works without the script; with it, the token is kept for this tab. */
export function CommentForm({ productId, values, errors, problem, open = false }: CommentFormProps) {
  const { languageTitle, locale, say } = useWords()
  const { form } = say
  const failed = problem !== undefined || Object.keys(errors).length > 0
  const languages = [...new Set([...COMMON_LANGUAGES, values.language])]
    .filter((tag) => tag !== '')
    .sort((a, b) => languageTitle(a).localeCompare(languageTitle(b), locale))
  return (
    <details class="write sheet" id="write" data-keep="node" open={failed || open}>
      <summary class="write-summary">
        {form.title}
        <Icon name="chevron" />
      </summary>
      <form
        class="write-form"
        id="write-form"
        action={`${productPath(productId)}/comments`}
        method="post"
        novalidate={failed}
        data-token-refused={errors.token === undefined ? undefined : 'true'}
      >
        {failed ? <ErrorSummary errors={errors} problem={problem} /> : null}
        <input type="hidden" name="idempotencyKey" value={values.idempotencyKey} />
        <fieldset class="stars-field" {...describedBy('rating', errors)}>
          <legend class="field-name">{form.rating}</legend>
          <div class="star-choices">
            {([1, 2, 3, 4, 5] as const).map((rating) => (
              <label class="star-choice">
                <input
                  type="radio"
                  name="rating"
                  value={String(rating)}
                  id={`write-rating-${rating}`}
                  checked={values.rating === String(rating)}
                  required
                />
                <Icon name="star" size={32} />
                <span class="star-word">
                  {rating} – {form.ratings[rating]}
                </span>
              </label>
            ))}
          </div>
          <FieldError name="rating" errors={errors} />
        </fieldset>
        <Field name="title" label={form.titleLabel} hint={form.optional} most={MOST.title} errors={errors}>
          <input
            class="field"
            id="write-title"
            name="title"
            value={values.title}
            maxlength={MOST.title}
            dir="auto"
            {...describedBy('title', errors)}
          />
        </Field>
        <Field name="text" label={form.text} most={MOST.text} errors={errors}>
          <textarea
            class="field"
            id="write-text"
            name="text"
            rows={6}
            maxlength={MOST.text}
            dir="auto"
            required
            {...describedBy('text', errors)}
          >
            {values.text}
          </textarea>
        </Field>
        <div class="field-pair">
          <Field name="author" label={form.author} errors={errors}>
            <input
              class="field"
              id="write-author"
              name="author"
              value={values.author}
              autocomplete="name"
              maxlength={MOST.author}
              dir="auto"
              required
              {...describedBy('author', errors)}
            />
          </Field>
          <Field name="language" label={form.language} errors={errors}>
            <select class="field" id="write-language" name="language" {...describedBy('language', errors)}>
              {languages.map((tag) => (
                <option value={tag} selected={tag === values.language}>
                  {languageTitle(tag)}
                </option>
              ))}
            </select>
          </Field>
        </div>
        <Field name="token" label={form.token} hint={form.tokenHint} errors={errors}>
          <input
            class="field"
            id="write-token"
            name="token"
            type="password"
            autocomplete="off"
            required
            {...describedBy('token', errors)}
          />
        </Field>
        <button class="button" type="submit">
          {form.publish}
        </button>
      </form>
    </details>
  )
}

/** Shows all mistakes, each by the name of its field; beside the field, which has its name, stands the mistake alone. */
function ErrorSummary({ errors, problem }: { errors: FormErrors; problem: string | undefined }) {
  const { form } = useWords().say
  const { rating, titleLabel: title, text, author, language, token } = form
  const labels = { rating, title, text, author, language, token }
  const wrong = [...FORM_FIELDS, 'token' as const].filter((name) => errors[name] !== undefined)
  return (
    <div class="form-problem" id="form-problem" tabindex={-1} autofocus>
      <p>{problem ?? form.unpublished}</p>
      <ul>
        {wrong.map((name) => (
          <li>
            <a href={name === 'rating' ? '#write-rating-1' : `#write-${name}`}>
              {labels[name]} – {errors[name]}
            </a>
          </li>
        ))}
      </ul>
    </div>
  )
}

interface FieldProps {
  readonly name: FormField
  readonly label: string
  readonly hint?: string
  /** The most characters; the script counts them. */
  readonly most?: number
  readonly errors: FormErrors
  readonly children: Child
}

function Field({ name, label, hint, most, errors, children }: FieldProps) {
  const { number, say } = useWords()
  return (
    <div class="field-group">
      <label class="field-name" for={`write-${name}`}>
        {label}
        {hint === undefined ? null : <span class="field-hint"> {hint}</span>}
      </label>
      {children}
      {most === undefined ? null : (
        <p class="field-counter" data-counter={`write-${name}`} data-typed={say.form.typed}>
          {say.form.upTo(number(most))}
        </p>
      )}
      <FieldError name={name} errors={errors} />
    </div>
  )
}

function FieldError({ name, errors }: { name: FormField; errors: FormErrors }) {
  if (errors[name] === undefined) return null
  return (
    <p class="field-error" id={`write-${name}-error`}>
      {errors[name]}
    </p>
  )
}

function describedBy(name: FormField, errors: FormErrors) {
  return errors[name] === undefined
    ? {}
    : { 'aria-invalid': 'true' as const, 'aria-describedby': `write-${name}-error` }
}
