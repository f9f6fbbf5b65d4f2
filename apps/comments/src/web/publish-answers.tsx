import { randomUUID } from 'node:crypto'
import type { Context } from 'hono'
import { setCookie } from 'hono/cookie'
import { LapidaryError } from 'lapidary'
import { addressOf } from 'lapidary-http/internal'
import { requireProduct } from '../catalogue/product-id.ts'
import { parseListParameters } from '../list-parameters.ts'
import type { Person } from '../people/person.ts'
import type { Services } from '../services.ts'
import { htmlPage } from './html-page.tsx'
import { productPath } from './links.ts'
import { publishOwn } from './people/own-answers.tsx'
import {
  checkForm,
  type FormErrors,
  type FormValues,
  MAX_FORM_BYTES,
  NEWS_SECONDS,
  POSTED_COOKIE,
  readForm,
} from './posted-comment.ts'
import { answerList } from './product-answers.tsx'
import { readerOf } from './reader.ts'
import { RefusedForm } from './refused-form.tsx'
import { answerPhotoForm, besidePhotos, type PhotoForm } from './sent-form.ts'
import type { WebSettings } from './settings.ts'

/** The prefix of a form's idempotency key: a form that was sent twice within a day publishes once, and keys of the HTTP API differ. */
const KEY_PREFIX = 'form-'

/**
 * Answers `POST /p/:productId/comments`: back to the list when the comment is published, else the form again with what was typed. Without a
 * known token, or a person whom the shop knows, only the form comes back: a stranger's posts read nothing.
 */
export async function publishComment(
  c: Context,
  services: Services,
  settings: WebSettings,
  productId: string,
): Promise<Response> {
  const isByPeople = settings.people?.visitors.identity !== undefined
  const person = isByPeople ? await settings.people?.visitors.personOf(c) : undefined
  const sender = services.photos === undefined ? undefined : person
  return answerPhotoForm(c, { most: MAX_FORM_BYTES, sender }, (form) =>
    publish(c, services, settings, { productId, isByPeople, person, ...form }),
  )
}

interface Published extends PhotoForm {
  readonly productId: string
  /** Whether people write, and not machines by token. */
  readonly isByPeople: boolean
  readonly person: Person | undefined
}

async function publish(
  c: Context,
  services: Services,
  settings: WebSettings,
  { productId, isByPeople, person, fields, photos }: Published,
): Promise<Response> {
  const product = await requireProduct(settings, productId)
  const { values, token } = readForm(fields)
  const again = (status: 409 | 422, errors: FormErrors, problem?: string, idempotencyKey = formKey(values)) =>
    answerList(
      c,
      services,
      settings,
      productId,
      async () => parseListParameters(new URLSearchParams()),
      { values: { ...values, idempotencyKey }, errors, problem },
      status,
    )

  const { limitWork = (work) => work() } = settings
  if (isByPeople) {
    const typed = { ...values, idempotencyKey: formKey(values) }
    const publishAsPerson = () =>
      publishOwn(c, settings, person, { productId, typed, photos, again: (errors) => again(422, errors) })
    return besidePhotos(limitWork, photos)(publishAsPerson)
  }
  const { form: say } = readerOf(c).words.say
  const checked = checkForm(values, say.wrong)
  if (token === '' || settings.authorize(token, addressOf(c.env)) === undefined) {
    const refused = token === '' ? say.wrong.noToken : say.wrong.token
    const errors = { ...('errors' in checked ? checked.errors : {}), token: refused }
    const form = { values: { ...values, idempotencyKey: formKey(values) }, errors }
    return htmlPage(c, <RefusedForm productId={productId} product={product} form={form} />, 401)
  }
  return limitWork(async () => {
    if ('errors' in checked) return again(422, checked.errors)
    try {
      const comment = await services.comments.create(
        { productId, ...checked.comment },
        { idempotencyKey: KEY_PREFIX + formKey(values) },
      )
      setCookie(c, POSTED_COOKIE, comment.id, { path: '/p/', maxAge: NEWS_SECONDS, httpOnly: true, sameSite: 'Lax' })
      return c.redirect(`${productPath(productId)}?posted=${encodeURIComponent(comment.id)}#published`, 303)
    } catch (error) {
      const code = error instanceof LapidaryError ? error.code : undefined
      if (code !== 'idempotency_mismatch' && code !== 'not_found') throw error
      return again(409, {}, code === 'not_found' ? say.deleted : say.changed, randomUUID())
    }
  })
}

/** Returns the key that a browser sends back if it was given out; anything else gets a new one. */
function formKey({ idempotencyKey }: FormValues): string {
  return /^[\w-]{16,64}$/.test(idempotencyKey) ? idempotencyKey : randomUUID()
}
