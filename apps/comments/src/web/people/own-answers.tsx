import { randomUUID } from 'node:crypto'
import type { Context } from 'hono'
import { setCookie } from 'hono/cookie'
import { LapidaryError } from 'lapidary'
import { HttpProblem } from 'lapidary-http/internal'
import { requireProduct, requireProductId } from '../../catalogue/product-id.ts'
import { commentIdSchema } from '../../comment.ts'
import { placeOf } from '../../people/case-list.ts'
import { type FoundComment, noComment, requireComment } from '../../people/found-comment.ts'
import type { PeopleRules } from '../../people/people-rules.ts'
import type { Person } from '../../people/person.ts'
import { MOST_PHOTOS } from '../../photos/photo.ts'
import type { Services } from '../../services.ts'
import { shownComment } from '../../shown-comment.ts'
import { htmlPage } from '../html-page.tsx'
import { commentPath, productPath } from '../links.ts'
import {
  checkForm,
  type FormErrors,
  type FormValues,
  MAX_FORM_BYTES,
  NEWS_SECONDS,
  POSTED_COOKIE,
  readForm,
} from '../posted-comment.ts'
import { type Reader, readerOf } from '../reader.ts'
import { RefusedForm } from '../refused-form.tsx'
import { answerPhotoForm, besidePhotos, type PhotoForm } from '../sent-form.ts'
import type { WebSettings } from '../settings.ts'
import { EditPage } from './edit-page.tsx'
import type { OwnShown } from './write-section.tsx'

/** Where a comment is on the pages. */
export interface CommentAddress {
  readonly productId: string
  readonly commentId: string
}

/** Returns the visitor's own comment on a product, for the page of the product. */
export async function ownShown(c: Context, { people }: WebSettings, productId: string): Promise<OwnShown | undefined> {
  const person = await people?.visitors.personOf(c)
  const found = person && (await people?.own(person, productId))
  return found && toShow(found)
}

function toShow(found: FoundComment): OwnShown {
  const note = found.isShown ? '' : (found.case?.note ?? '')
  return { comment: shownComment(found.comment), place: placeOf(found), note }
}

/**
 * Answers the form of a person who is signed in: back to the list, or to what they have written, where it waits. One who has written a comment
 * before gets that one to change, with what they typed.
 */
export async function publishOwn(
  c: Context,
  settings: WebSettings,
  person: Person | undefined,
  {
    productId,
    typed,
    photos,
    again,
  }: {
    readonly productId: string
    readonly typed: FormValues
    readonly photos: readonly Uint8Array[]
    readonly again: (errors: FormErrors) => Promise<Response>
  },
): Promise<Response> {
  const people = settings.people as PeopleRules
  const { say } = readerOf(c).words
  const values = { ...typed, author: person?.name ?? '' }
  const product = await requireProduct(settings, productId)
  if (person === undefined) {
    const problem = say.people.signIn.first
    return htmlPage(
      c,
      <RefusedForm productId={productId} product={product} form={{ values, errors: {}, problem }} />,
      401,
    )
  }
  const checked = checkForm(values, say.form.wrong)
  if ('errors' in checked) return again(checked.errors)
  const { author: _, ...fields } = checked.comment
  try {
    const { comment, isShown } = await people.write(person, productId, fields, photos)
    return written(c, comment, isShown)
  } catch (error) {
    const refused = photoErrors(error, readerOf(c))
    if (refused !== undefined) return again(refused)
    const id = error instanceof LapidaryError && error.code === 'already_exists' && error.details.commentId
    const found = typeof id === 'string' ? await people.own(person, productId) : undefined
    if (found === undefined) throw error
    const form = { values, errors: {}, problem: say.people.own.onlyOne }
    return htmlPage(c, <EditPage {...toShow(found)} product={product} form={form} />, 409)
  }
}

/** Answers `GET /p/:productId/comments/:commentId/edit`. */
export async function showEdit(
  c: Context,
  services: Services,
  settings: WebSettings,
  address: CommentAddress,
): Promise<Response> {
  const found = await requireOwn(c, services, settings, address)
  if (found instanceof Response) return found
  const product = await settings.catalogue?.get(address.productId)
  const form = { values: valuesOf(found.comment), errors: {} }
  return htmlPage(c, <EditPage {...toShow(found)} product={product} form={form} />)
}

/** Answers `POST /p/:productId/comments/:commentId/edit`. */
export async function saveEdit(
  c: Context,
  services: Services,
  settings: WebSettings,
  address: CommentAddress,
): Promise<Response> {
  // A stranger is told so before anything large is read of them.
  const { limitWork = (work) => work() } = settings
  const found = await limitWork(() => requireOwn(c, services, settings, address))
  if (found instanceof Response) return found
  const people = settings.people as PeopleRules
  const person = await people.visitors.requirePerson(c)
  const sender = services.photos === undefined ? undefined : person
  return answerPhotoForm(c, { most: MAX_FORM_BYTES, sender }, (form) =>
    saveOwn(c, services, settings, { address, found, people, person, ...form }),
  )
}

interface Edited extends PhotoForm {
  readonly address: CommentAddress
  readonly found: FoundComment
  readonly people: PeopleRules
  readonly person: Person
}

async function saveOwn(
  c: Context,
  services: Services,
  settings: WebSettings,
  { address, found, people, person, fields: body, photos }: Edited,
): Promise<Response> {
  const { limitWork = (work) => work() } = settings
  const { say } = readerOf(c).words
  const { values } = readForm(body)
  const typed = { ...values, author: person.name }
  const product = await settings.catalogue?.get(address.productId)
  const again = (current: FoundComment, status: 409 | 422, errors: FormErrors, problem?: string) =>
    htmlPage(c, <EditPage {...toShow(current)} product={product} form={{ values: typed, errors, problem }} />, status)
  const checked = checkForm(typed, say.form.wrong)
  if ('errors' in checked) return again(found, 422, checked.errors)
  const { author: _, ...changes } = checked.comment
  try {
    const ifVersion = Number(body.get('version')) || undefined
    const changed = { added: photos, removed: body.getAll('remove') }
    const { comment, isShown } = await besidePhotos(
      limitWork,
      photos,
    )(() => people.edit(person, address.commentId, changes, ifVersion, changed))
    return written(c, comment, isShown, commentPath(address.productId, address.commentId))
  } catch (error) {
    const refused = photoErrors(error, readerOf(c))
    if (refused !== undefined) return again(found, 422, refused)
    if (!(error instanceof LapidaryError && error.code === 'version_conflict')) throw error
    return again(await requireComment(services, address.commentId), 409, {}, say.people.own.conflict)
  }
}

/** Answers `POST /p/:productId/comments/:commentId/delete`. */
export async function deleteOwn(
  c: Context,
  services: Services,
  settings: WebSettings,
  address: CommentAddress,
): Promise<Response> {
  const found = await requireOwn(c, services, settings, address)
  if (found instanceof Response) return found
  const people = settings.people as PeopleRules
  await people.remove(await people.visitors.requirePerson(c), address.commentId)
  tellNews(c, address.commentId)
  return c.redirect(`${productPath(address.productId)}?done=deleted#write`, 303)
}

/** Finds the visitor's own comment at an address; a stranger is led to sign in, or told that there is none. */
async function requireOwn(
  c: Context,
  services: Services,
  { people }: WebSettings,
  { productId, commentId }: CommentAddress,
): Promise<FoundComment | Response> {
  requireProductId(productId)
  if (people?.visitors.identity === undefined || !commentIdSchema.safeParse(commentId).success)
    throw noComment(commentId)
  const person = await people.visitors.personOf(c)
  const signIn = readerOf(c).visitor?.signInAt
  if (person === undefined && signIn !== undefined && c.req.method === 'GET') return c.redirect(signIn, 303)
  if (person === undefined) throw new HttpProblem('unauthorized', 'this is for people who are signed in')
  const found = await requireComment(services, commentId)
  if (found.comment.person !== person.id || found.comment.productId !== productId) throw noComment(commentId)
  return found
}

function written(c: Context, { id, productId }: FoundComment['comment'], isShown: boolean, to?: string): Response {
  tellNews(c, id)
  if (!isShown) return c.redirect(`${productPath(productId)}#write`, 303)
  return c.redirect(to ?? `${productPath(productId)}?posted=${encodeURIComponent(id)}#published`, 303)
}

/** Lets the next lists of this browser show the comment as it is now. */
function tellNews(c: Context, id: string): void {
  setCookie(c, POSTED_COOKIE, id, { path: '/p/', maxAge: NEWS_SECONDS, httpOnly: true, sameSite: 'Lax' })
}

/** Returns what is wrong with photos that were refused; undefined for another error. */
function photoErrors(error: unknown, { words: { number, say } }: Reader): FormErrors | undefined {
  if (!(error instanceof HttpProblem && error.code === 'unprocessable')) return undefined
  const [{ path } = { path: '' }] = error.errors ?? []
  if (path === 'photos') return { photos: say.photos.tooMany(number(MOST_PHOTOS)) }
  return path === 'photo' ? { photos: say.photos.wrong } : undefined
}

function valuesOf({ rating, language, title, text, author }: FoundComment['comment']): FormValues {
  return { rating: String(rating), language, title, text, author, idempotencyKey: randomUUID() }
}
