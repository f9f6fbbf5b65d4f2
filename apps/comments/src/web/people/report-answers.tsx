import type { Context } from 'hono'
import { requireProduct } from '../../catalogue/product-id.ts'
import { commentIdSchema } from '../../comment.ts'
import { REPORT_REASONS } from '../../people/cases.ts'
import { noComment } from '../../people/found-comment.ts'
import type { Services } from '../../services.ts'
import { shownComment } from '../../shown-comment.ts'
import { htmlPage } from '../html-page.tsx'
import { commentPath } from '../links.ts'
import { readerOf } from '../reader.ts'
import { sentForm } from '../sent-form.ts'
import type { WebSettings } from '../settings.ts'
import type { CommentAddress } from './own-answers.tsx'
import { ReportPage, type ReportPageProps } from './report-page.tsx'

const MAX_FORM_BYTES = 32 * 1024
const MOST_TEXT = 1_000

/** Answers `GET /p/:productId/comments/:commentId/report`. */
export async function showReport(
  c: Context,
  services: Services,
  settings: WebSettings,
  address: CommentAddress,
): Promise<Response> {
  const props = await reported(c, services, settings, address)
  if (props instanceof Response) return props
  return htmlPage(c, <ReportPage {...props} isDone={new URL(c.req.url).searchParams.get('done') === 'reported'} />)
}

/** Answers `POST /p/:productId/comments/:commentId/report`. */
export async function sendReport(
  c: Context,
  services: Services,
  settings: WebSettings,
  address: CommentAddress,
): Promise<Response> {
  const body = await sentForm(c, MAX_FORM_BYTES)
  const props = await reported(c, services, settings, address)
  if (props instanceof Response) return props
  const reason = REPORT_REASONS.find((each) => each === body.get('reason'))
  const text = [...(body.get('text') ?? '').replaceAll('\r\n', '\n').trim()].slice(0, MOST_TEXT).join('')
  if (reason === undefined) return htmlPage(c, <ReportPage {...props} text={text} isWrong />, 422)
  const { people } = settings
  const person = await people?.visitors.requirePerson(c)
  if (person !== undefined) await people?.report(person, address.commentId, { reason, text })
  return c.redirect(`${commentPath(address.productId, address.commentId)}/report?done=reported`, 303)
}

/** Finds what is reported; a stranger is led to sign in. */
async function reported(
  c: Context,
  services: Services,
  settings: WebSettings,
  { productId, commentId }: CommentAddress,
): Promise<Pick<ReportPageProps, 'comment' | 'product'> | Response> {
  const { people } = settings
  const product = await requireProduct(settings, productId)
  if (people?.visitors.identity === undefined || !commentIdSchema.safeParse(commentId).success)
    throw noComment(commentId)
  const signIn = readerOf(c).visitor?.signInAt
  const isKnown = (await people.visitors.personOf(c)) !== undefined
  if (!isKnown && signIn !== undefined && c.req.method === 'GET') return c.redirect(signIn, 303)
  if (!isKnown) await people.visitors.requirePerson(c)
  const comment = await services.comments.get(commentId)
  if (comment.productId !== productId) throw noComment(commentId)
  return { comment: shownComment(comment), product }
}
