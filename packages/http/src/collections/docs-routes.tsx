import type { Context } from 'hono'
import { describeApi, type OpenApiDocument } from '../api-description.ts'
import { ApiReference } from '../api-reference.tsx'
import { docsPage } from '../docs-page.tsx'
import { ErrorsReference } from '../errors-reference.tsx'
import type { RouteDeclaration } from '../route.ts'
import { answerTagged } from '../tagged-answer.ts'
import type { Access } from './access.ts'
import { COLLECTION_ROUTES } from './collection-routes.ts'
import { type Components, componentsOf } from './components.ts'
import type { CollectionNames } from './names.ts'
import type { Served } from './served.ts'
import type { View } from './view.ts'

/** What a description tells of an API beside its collections. */
export interface ApiTold {
  readonly title: string
  readonly version: string
  readonly description?: string | undefined
}

/** A collection as the caller who asks for a description sees it. */
export interface DescribedCollection {
  readonly served: Served
  readonly names: CollectionNames
  readonly view: View
  readonly access: Access
}

/** Writes the OpenAPI document of collections, as one caller sees them. */
export function describeCollections(
  told: ApiTold,
  collections: readonly DescribedCollection[],
  others: readonly RouteDeclaration[],
  base: string,
): Promise<OpenApiDocument> {
  const described = collections.map(describeCollection)
  return describeApi({
    info: {
      title: told.title,
      version: told.version,
      ...(told.description === undefined ? {} : { description: told.description }),
    },
    base: base === '' ? '/' : base,
    tags: [...collections.map(({ names }) => names.path), 'Operation'],
    routes: [...described.flatMap(({ routes }) => routes), ...others],
    schemas: Object.assign({}, ...described.map(({ schemas }) => schemas)),
  })
}

interface DescribedOne {
  readonly routes: readonly RouteDeclaration[]
  readonly schemas: Components['schemas']
}

function describeCollection({ view, names, access }: DescribedCollection): DescribedOne {
  const components = componentsOf(view, names)
  const routes = COLLECTION_ROUTES.filter(({ action }) => action !== 'leaderboard' || access.reads === undefined)
  return {
    schemas: components.schemas,
    routes: routes.flatMap(({ declare }) => declare(view, names, () => components) ?? []),
  }
}

/** Answers `/openapi.json`. */
export function answerDescription(context: Context, api: OpenApiDocument, cacheControl: string): Response {
  return answerTagged(context, { ...api }, {}, cacheControl)
}

/** Answers `/docs`. */
export function answerDocs(context: Context, api: OpenApiDocument, base: string): Promise<Response> {
  return docsPage(context, `${api.info.title}: HTTP API`, <ApiReference api={api} base={base} />)
}

/** Answers `/docs/errors`. */
export function answerErrors(context: Context, base: string): Promise<Response> {
  return docsPage(context, 'Errors of the HTTP API', <ErrorsReference base={base} />)
}
