import type { Context } from 'hono'
import { setCookie } from 'hono/cookie'
import { HttpProblem } from 'lapidary-http/internal'
import { requireProductId } from '../catalogue/product-id.ts'
import { commentIdSchema } from '../comment.ts'
import { noComment } from '../people/found-comment.ts'
import type { Services } from '../services.ts'
import { productPath } from './links.ts'
import { sentForm } from './sent-form.ts'
import type { WebSettings } from './settings.ts'
import { VOTED_COOKIE } from './voting.ts'

const MAX_FORM_BYTES = 16 * 1024
/** Seconds after which every list shows the vote by itself. */
const LISTED_SECONDS = 20

/** Answers `POST /p/:productId/comments/:commentId/vote`: counts the vote, or takes it back, and leads back to the list. */
export async function castVote(
  c: Context,
  services: Services,
  { people, limitWork = (work) => work() }: WebSettings,
  { productId, commentId }: { readonly productId: string; readonly commentId: string },
): Promise<Response> {
  const form = await sentForm(c, MAX_FORM_BYTES)
  requireProductId(productId)
  if (!commentIdSchema.safeParse(commentId).success) throw noComment(commentId)
  if (people === undefined) throw new HttpProblem('unauthorized', 'this shop knows no people, so nobody can vote')
  const person = await people.visitors.requirePerson(c)
  await limitWork(async () => {
    if ((await services.comments.get(commentId)).productId !== productId) throw noComment(commentId)
    await people.vote(person, commentId, form.get('vote') !== 'back')
  })
  const seen = { path: '/p/', maxAge: LISTED_SECONDS, httpOnly: true, sameSite: 'Lax' } as const
  setCookie(c, VOTED_COOKIE, commentId, seen)
  return c.redirect(
    `${productPath(productId)}${listOf(form.get('back'))}#comment-${encodeURIComponent(commentId)}`,
    303,
  )
}

/** Returns the parameters of the list that the reader came from, as an address of ours holds them. */
function listOf(back: string | null): string {
  const search = new URLSearchParams(back?.startsWith('?') ? back : '')
  search.delete('posted')
  return search.size === 0 ? '' : `?${search}`
}
