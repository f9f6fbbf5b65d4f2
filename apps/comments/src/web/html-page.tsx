import type { Context } from 'hono'
import type { Child } from 'hono/jsx'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { ReaderContext, readerOf } from './reader.ts'

/**
 * Answers with a whole page, as its reader writes numbers and dates. Lists change at any time, so browsers ask again, except when
 * they go back.
 */
export async function htmlPage(c: Context, page: Child, status: ContentfulStatusCode = 200): Promise<Response> {
  const html = await (<ReaderContext.Provider value={readerOf(c)}>{page}</ReaderContext.Provider>).toString()
  c.header('Cache-Control', 'no-cache')
  c.header('Vary', 'Accept-Language, Cookie', { append: true })
  return c.html(`<!doctype html>${html}`, status)
}
