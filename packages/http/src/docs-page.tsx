import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import { raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import { SECURITY_HEADERS } from './security-headers.ts'

const STYLE = `:root{color-scheme:light dark;--line:#8884;--soft:#8881;font:16px/1.5 system-ui,sans-serif}
body{margin:0 auto;max-width:60rem;padding:1.5rem}
h1{font-size:1.6rem}h2{font-size:1.15rem;margin:0 0 .5rem}h3{font-size:1rem;margin:1rem 0 .25rem}
code{font:.9em/1.4 ui-monospace,monospace;background:var(--soft);border-radius:4px;padding:.1em .3em;overflow-wrap:anywhere}
.api-part{border:1px solid var(--line);border-radius:8px;padding:1rem;margin:1rem 0}
.api-facts{opacity:.75;font-size:.9em}
dl{margin:.5rem 0}dt{margin-top:.5rem}dd{margin:0 0 0 1.5rem}ul{padding-left:1.25rem}a{color:inherit}`
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

/** Answers a page of documents: without a script, and with a style of its own. */
export async function docsPage(context: Context, title: string, body: Child): Promise<Response> {
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>{title}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <style>{raw(STYLE)}</style>
      </head>
      <body>
        <main>{body}</main>
      </body>
    </html>
  )
  const policy = SECURITY_HEADERS['Content-Security-Policy'] ?? ''
  context.header('Content-Security-Policy', policy.replace("style-src 'self'", `style-src 'sha256-${STYLE_HASH}'`))
  return context.html(`<!doctype html>${await page.toString()}`)
}
