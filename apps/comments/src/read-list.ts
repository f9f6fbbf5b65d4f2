import type { Page } from 'lapidary'
import type { Comment } from './comment.ts'
import { type ListParameters, refusedQuery } from './list-parameters.ts'
import type { Services } from './services.ts'

/** Reads the list that the parameters ask for; the same for the HTTP API and the web pages. */
export function readList(
  services: Services,
  productId: string,
  parameters: ListParameters,
  signal?: AbortSignal,
): Promise<Page<Comment>> {
  const { language, ratings, order, limit, from, to, cursor } = parameters
  const listed = services.comments.list({
    scope: productId,
    where: { ...(language === undefined ? {} : { language }), ...(ratings.length === 0 ? {} : { rating: ratings }) },
    order,
    limit,
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(cursor === undefined ? {} : { cursor }),
    ...(signal === undefined ? {} : { signal }),
  })
  return listed.catch(refusedQuery)
}
