import type { Context } from 'hono'
import {
  type AddRoute,
  type AppEnv,
  answerPage,
  listHeaders,
  type PageAddress,
  TAG,
  UNCHANGED,
  writtenIn,
} from 'lapidary-http/internal'
import { type ListParameters, parseListParameters } from '../list-parameters.ts'
import { readList } from '../read-list.ts'
import type { Services } from '../services.ts'
import { listTarget, resourceTarget } from './list-target.ts'
import { facetQuery, listQuery, pageSchema, productParams, resourceParams } from './schemas.ts'

const answers = {
  200: {
    description: 'A page.',
    schema: pageSchema,
    headers: { ...TAG, Link: '`next`, `prev`, `first`, `last`, where known.' },
  },
  304: UNCHANGED,
}
const problems = ['cursor_invalid', 'cursor_mismatch', 'not_implemented', 'unavailable'] as const

/** Adds the lists of comments, by query string and as a resource. */
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
      headers: listHeaders,
      answers,
      problems,
    },
    (context, { params: { productId }, query }) =>
      answerList(context, services, {
        productId,
        parameters: parseListParameters(query),
        target: (at, parameters) => listTarget(productId, parameters, at),
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
      headers: listHeaders,
      answers,
      problems,
    },
    (context, { params: { productId, language, ratings }, query }) => {
      const filter = new URLSearchParams(query)
      if (language !== '~') filter.set('language', language)
      if (ratings !== '~') filter.set('rating', ratings.replaceAll('.', ','))
      return answerList(context, services, {
        productId,
        parameters: parseListParameters(filter),
        target: (at, parameters) => resourceTarget(productId, parameters, at),
      })
    },
  )
}

interface PageRequest {
  readonly productId: string
  readonly parameters: ListParameters
  /** Returns the address of another page of the list; undefined = the first. */
  readonly target: (at: PageAddress | undefined, parameters: ListParameters) => string
}

async function answerList(context: Context<AppEnv>, services: Services, request: PageRequest): Promise<Response> {
  const { productId, parameters, target } = request
  const page = await readList(services, productId, parameters, { written: writtenIn(context.req) })
  return answerPage(context, page, {
    target: (at) => target(at, parameters),
    numbered: services.numbered,
    explain: parameters.explain,
  })
}
