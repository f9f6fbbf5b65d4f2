import type { Context } from 'hono'
import { LapidaryError } from 'lapidary'
import { requireProduct } from '../catalogue/product-id.ts'
import { commentIdSchema } from '../comment.ts'
import type { Services } from '../services.ts'
import { shownComment } from '../shown-comment.ts'
import { CommentPage } from './comment-page.tsx'
import { htmlPage } from './html-page.tsx'
import { noteOwn } from './people/visitor-shown.ts'
import type { WebSettings } from './settings.ts'
import { votingOf } from './voting.ts'

/** Answers `GET /p/:productId/comments/:commentId`. */
export async function showComment(
  c: Context,
  services: Services,
  settings: WebSettings,
  { productId, commentId }: { readonly productId: string; readonly commentId: string },
): Promise<Response> {
  const product = await requireProduct(settings, productId)
  if (!commentIdSchema.safeParse(commentId).success) throw missing()
  const stored = await services.comments.get(commentId)
  const comment = shownComment(stored)
  if (comment.productId !== productId) throw missing()
  const person = await settings.people?.visitors.personOf(c)
  if (person !== undefined && stored.person === person.id) noteOwn(c, comment.id)
  const voting = await votingOf(c, services, settings, productId)
  return htmlPage(c, <CommentPage comment={comment} product={product} voting={voting} />)
}

function missing(): LapidaryError {
  return new LapidaryError('not_found', 'the product has no such comment')
}
