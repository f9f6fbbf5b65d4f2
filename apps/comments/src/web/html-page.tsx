import type { Context } from 'hono'
import type { Child } from 'hono/jsx'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { type Reader, ReaderContext, readerOf } from './reader.ts'

/** Answers with a whole page in the language of its reader. Lists change at any time, so browsers ask again, except when they go back. */
export async function htmlPage(
  c: Context,
  page: Child,
  status: ContentfulStatusCode = 200,
  reader: Reader = readerOf(c),
): Promise<Response> {
  const html = await (<ReaderContext.Provider value={reader}>{page}</ReaderContext.Provider>).toString()
  // What one person is shown is kept for nobody else.
  c.header('Cache-Control', reader.visitor === undefined ? 'no-cache' : 'private, no-cache')
  c.header('Content-Language', reader.words.locale)
  c.header('Vary', 'Accept-Language, Cookie', { append: true })
  return c.html(`<!doctype html>${html}`, status)
}
