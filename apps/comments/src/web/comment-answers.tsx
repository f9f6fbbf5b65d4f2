import type { Context } from 'hono'
import { LapidaryError } from 'lapidary'
import { commentIdSchema } from '../comment.ts'
import type { Services } from '../services.ts'
import { CommentPage } from './comment-page.tsx'
import { htmlPage } from './html-page.tsx'
import { noteOwn } from './people/visitor-shown.ts'
import { requireProduct } from './product-id.ts'
import type { WebSettings } from './settings.ts'

/** Answers `GET /p/:productId/comments/:commentId`. */
export async function showComment(
  c: Context,
  services: Services,
  settings: WebSettings,
  { productId, commentId }: { readonly productId: string; readonly commentId: string },
): Promise<Response> {
  const product = await requireProduct(settings, productId)
  if (!commentIdSchema.safeParse(commentId).success) throw missing()
  const comment = await services.comments.get(commentId)
  if (comment.productId !== productId) throw missing()
  const person = await settings.people?.visitors.personOf(c)
  if (person !== undefined && comment.person === person.id) noteOwn(c, comment.id)
  return htmlPage(c, <CommentPage comment={comment} product={product} />)
}

function missing(): LapidaryError {
  return new LapidaryError('not_found', 'the product has no such comment')
}
