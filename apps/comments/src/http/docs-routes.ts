import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { html } from 'hono/html'
import { PROBLEM_CODES } from './problem-codes.ts'
import type { App } from './routing.ts'
import { DOCS_POLICY } from './security-headers.ts'

/** Files of Swagger UI that its page loads, and what they are. */
const ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
}

const START = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#docs', deepLinking: true, validatorUrl: null })`

/** `/openapi.json`, `/docs` which shows it, and `/docs/errors`, where the types of problems lead. */
export function addDocsRoutes(app: App): void {
  let description: object | undefined
  app.get('/openapi.json', (context) => {
    description ??= describeApi(app)
    return context.json(description)
  })
  app.get('/docs', (context) => {
    context.header('Content-Security-Policy', DOCS_POLICY)
    return context.html(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Comments: HTTP API</title>
<link rel="icon" href="/docs/assets/favicon-32x32.png">
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
</head>
<body>
<main id="docs"></main>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/assets/start.js"></script>
</body>
</html>`)
  })
  app.get('/docs/assets/start.js', (context) =>
    context.body(START, 200, { 'content-type': 'text/javascript; charset=utf-8' }),
  )
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  for (const [name, type] of Object.entries(ASSETS)) {
    app.get(`/docs/assets/${name}`, (context) =>
      context.body(new Uint8Array(readFileSync(join(folder, name))), 200, {
        'content-type': type,
        'cache-control': 'public, max-age=3600',
      }),
    )
  }
  app.get('/docs/errors', (context) =>
    context.html(html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Comments: errors</title></head>
<body>
<h1>Errors</h1>
${Object.entries(PROBLEM_CODES).map(
  ([code, { status, title, advice }]) => html`<section id="${code}">
<h2><code>${code}</code> (${status})</h2>
<p>${title}. ${advice}</p>
</section>`,
)}
</body>
</html>`),
  )
}

function describeApi(app: App): object {
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
  })
}
