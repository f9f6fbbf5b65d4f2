import {
  type App,
  answerTagged,
  describeApi,
  type OpenApiDocument,
  type RouteDeclaration,
} from 'lapidary-http/internal'
import { ApiPage, ErrorsPage } from '../web/docs-pages.tsx'
import { htmlPage } from '../web/html-page.tsx'
import { inEnglish, readerOf } from '../web/reader.ts'

const INFO = {
  title: 'Product comments',
  version: '0.1.0',
  description: 'Comments of products, filtered by language and any set of ratings, newest or oldest first.',
  license: { name: 'MIT' },
}
const TAGS = ['Lists', 'Comments', 'People', 'Moderation', 'Statistics', 'Operation']

/** Adds `/openapi.json`, `/docs`, which shows it, and `/docs/errors`, to which the types of problems lead. */
export function addDocsRoutes(app: App, routes: readonly RouteDeclaration[]): void {
  let description: Promise<OpenApiDocument> | undefined
  const described = (): Promise<OpenApiDocument> => (description ??= describeApi({ info: INFO, tags: TAGS, routes }))
  app.get('/openapi.json', async (context) => answerTagged(context, { ...(await described()) }))
  app.get('/docs', async (context) =>
    htmlPage(context, ApiPage({ api: await described() }), 200, inEnglish(readerOf(context))),
  )
  app.get('/docs/errors', (context) => htmlPage(context, ErrorsPage(), 200, inEnglish(readerOf(context))))
}
