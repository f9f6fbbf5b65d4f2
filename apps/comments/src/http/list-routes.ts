import type { Context } from 'hono'
import { type ListParameters, parseListParameters } from '../list-parameters.ts'
import { readList } from '../read-list.ts'
import type { Services } from '../services.ts'
import { linkHeader, pathSegment } from './links.ts'
import { badRequest, notImplemented } from './problem.ts'
import type { AddRoute, AppEnv } from './routing.ts'
import { facetQuery, listQuery, pageSchema, productParams, resourceParams } from './schemas.ts'

const answers = {
  200: { description: 'A page.', schema: pageSchema, headers: { Link: '`next`, `prev`, `first`, where known.' } },
}
const problems = ['cursor_invalid', 'cursor_mismatch', 'not_implemented', 'unavailable'] as const

/** Lists of comments, by query string and as a resource. */
export function addListRoutes(addRoute: AddRoute, services: Services): void {
  addRoute(
    {
      method: 'get',
      path: '/products/{productId}/comments',
      operationId: 'listComments',
      summary: 'A page of a product’s comments',
      description: 'Parameters without a value count as absent.',
      tag: 'Lists',
      params: productParams,
      query: facetQuery.extend(listQuery.shape),
      answers,
      problems,
    },
    (context, { params: { productId }, query }) =>
      answerPage(context, services, {
        productId,
        path: `/products/${pathSegment(productId)}/comments`,
        query,
        parameters: parseListParameters(query),
      }),
  )
  addRoute(
    {
      method: 'get',
      path: '/products/{productId}/comments/{language}/{ratings}',
      operationId: 'listCommentsOf',
      summary: 'The same page as a resource',
      description: '`/products/42/comments/en/1.2.3`; `~` stands for any.',
      tag: 'Lists',
      params: resourceParams,
      query: listQuery,
      answers,
      problems,
    },
    (context, { params: { productId, language, ratings }, query }) => {
      const filter = new URLSearchParams(query)
      if (language !== '~') filter.set('language', language)
      if (ratings !== '~') filter.set('rating', ratings.replaceAll('.', ','))
      return answerPage(context, services, {
        productId,
        path: `/products/${pathSegment(productId)}/comments/${language}/${ratings}`,
        query,
        parameters: parseListParameters(filter),
      })
    },
  )
}

interface PageRequest {
  readonly productId: string
  /** Of the links to other pages. */
  readonly path: string
  readonly query: URLSearchParams
  readonly parameters: ListParameters
}

async function answerPage(context: Context<AppEnv>, services: Services, request: PageRequest): Promise<Response> {
  const { productId, path, query } = request
  const explain = explainOf(query)
  if (request.parameters.page !== undefined) throw notImplemented('pages by number are')
  const page = await readList(services, productId, request.parameters, { signal: context.req.raw.signal })
  const target = (to: string | null | undefined): string | undefined => {
    if (to === null) return undefined
    const next = new URLSearchParams([...query].filter(([name, value]) => name !== 'cursor' && value !== ''))
    if (to !== undefined) next.set('cursor', to)
    return next.size === 0 ? path : `${path}?${next}`
  }
  const { next, previous } = page.cursors
  context.header('Link', linkHeader({ next: target(next), prev: target(previous), first: target(undefined) }))
  return context.json({ ...page, plan: explain ? page.plan : null })
}

function explainOf(query: URLSearchParams): boolean {
  const values = query.getAll('explain').filter((value) => value !== '')
  if (values.length > 1 || values.some((value) => value !== 'true' && value !== 'false')) {
    throw badRequest('the query was refused', [{ path: 'explain', message: 'must be true or false, once' }])
  }
  return values[0] === 'true'
}
