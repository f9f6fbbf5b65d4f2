import type { Child } from 'hono/jsx'
import type { ShownComment } from '../shown-comment.ts'
import { describedBy, FieldError } from './field-error.tsx'
import { Icon } from './icons.tsx'
import { productPath } from './links.ts'
import { PhotoFields } from './photos/photo-fields.tsx'
import { FORM_FIELDS, type FormErrors, type FormField, type FormValues } from './posted-comment.ts'
import { useReader, useWords } from './reader.ts'
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

export interface WriteFormProps extends Omit<CommentFormProps, 'productId' | 'open'> {
  readonly action: string
  /** The text of its button. */
  readonly submit: string
  /** The version of the comment that it changes. */
  readonly version?: number | undefined
  /** The comment that it changes, whose photos can be removed. */
  readonly comment?: ShownComment | undefined
}

/** The most characters, as the schema of a comment has them. */
const MOST = { title: 200, text: 10_000, author: 100 } as const

/** Shows a sheet with the form for a comment, which opens without the script too. */
export function CommentForm({ productId, open = false, ...form }: CommentFormProps) {
  const { say } = useWords()
  return (
    <details class="write sheet" id="write" data-keep="node" open={hasFailed(form) || open}>
      <summary class="write-summary">
        {say.form.title}
        <Icon name="chevron" />
      </summary>
      <WriteForm {...form} action={`${productPath(productId)}/comments`} submit={say.form.publish} />
    </details>
  )
}

function hasFailed({ errors, problem }: Pick<CommentFormProps, 'errors' | 'problem'>): boolean {
  return problem !== undefined || Object.keys(errors).length > 0
}

/**
 * Shows the fields of a comment. Where the shop knows its people, it asks for neither name nor token; else the script keeps the token for this
 * tab.
 */
export function WriteForm({ values, errors, problem, action, submit, version, comment }: WriteFormProps) {
  const { visitor, words, hasPhotos } = useReader()
  const { isolate, languageTitle, locale, say } = words
  const { form } = say
  const asksForToken =
    visitor?.name === undefined && visitor?.signInAt === undefined && visitor?.signInNote === undefined
  const failed = hasFailed({ errors, problem })
  const takesPhotos = hasPhotos && !asksForToken
  const languages = [...new Set([...COMMON_LANGUAGES, values.language])]
    .filter((tag) => tag !== '')
    .sort((a, b) => languageTitle(a).localeCompare(languageTitle(b), locale))
  return (
    <form
      class="write-form"
      id="write-form"
      action={action}
      method="post"
      enctype={takesPhotos ? 'multipart/form-data' : undefined}
      novalidate={failed}
      data-token-refused={errors.token === undefined ? undefined : 'true'}
    >
      {failed ? <ErrorSummary errors={errors} problem={problem} /> : null}
      {version === undefined ? (
        <input type="hidden" name="idempotencyKey" value={values.idempotencyKey} />
      ) : (
        <input type="hidden" name="version" value={String(version)} />
      )}
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
      {takesPhotos ? <PhotoFields comment={comment} errors={errors} /> : null}
      <div class="field-pair">
        {asksForToken ? (
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
        ) : null}
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
      {asksForToken ? (
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
      ) : (
        <p class="write-as">
          {visitor?.name === undefined ? null : say.people.write.as(isolate(visitor.name))}{' '}
          {visitor?.waits === true ? say.people.write.waits : null}
        </p>
      )}
      <button class="button" type="submit">
        {submit}
      </button>
    </form>
  )
}

/** Shows all mistakes, each by the name of its field; beside the field, which has its name, stands the mistake alone. */
function ErrorSummary({ errors, problem }: { errors: FormErrors; problem: string | undefined }) {
  const { form, photos } = useWords().say
  const { rating, titleLabel: title, text, author, language, token } = form
  const labels = { rating, title, text, author, language, token, photos: photos.label }
  const wrong = [...FORM_FIELDS, 'photos' as const, 'token' as const].filter((name) => errors[name] !== undefined)
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
