import { type ApiDescription, ApiPage } from '../web/api-page.tsx'
import { ErrorsPage } from '../web/errors-page.tsx'
import { htmlPage } from '../web/html-page.tsx'
import { inEnglish, readerOf } from '../web/reader.ts'
import { PROBLEM_CODES } from './problem-codes.ts'
import type { App } from './routing.ts'
import { answerTagged } from './tagged-answer.ts'

/** Adds `/openapi.json`, `/docs`, which shows it, and `/docs/errors`, to which the types of problems lead. */
export function addDocsRoutes(app: App): void {
  let description: ApiDescription | undefined
  const described = (): ApiDescription => (description ??= describeApi(app))
  app.get('/openapi.json', (context) => answerTagged(context, { ...described() }))
  app.get('/docs', (context) => htmlPage(context, ApiPage(described()), 200, inEnglish(readerOf(context))))
  app.get('/docs/errors', (context) =>
    htmlPage(context, ErrorsPage({ codes: PROBLEM_CODES }), 200, inEnglish(readerOf(context))),
  )
}

function describeApi(app: App): ApiDescription {
  const bearer = (description: string) => ({ type: 'http', scheme: 'bearer', description }) as const
  app.openAPIRegistry.registerComponent('securitySchemes', 'writer', bearer('A writer’s token, or the admin’s.'))
  app.openAPIRegistry.registerComponent('securitySchemes', 'admin', bearer('The admin’s token.'))
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Product comments',
      version: '0.1.0',
      description: 'Comments of products, filtered by language and any set of ratings, newest or oldest first.',
      license: { name: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: ['Lists', 'Comments', 'Statistics', 'Operation'].map((name) => ({ name })),
  }) as unknown as ApiDescription
}
