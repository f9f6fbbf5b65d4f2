import type { Context } from 'hono'
import type { HtmlEscapedString } from 'hono/utils/html'
import type { ContentfulStatusCode } from 'hono/utils/http-status'

/** Answers with a whole page. Lists change at any time, so browsers ask again, except when they go back. */
export async function htmlPage(
  c: Context,
  page: HtmlEscapedString | Promise<HtmlEscapedString>,
  status: ContentfulStatusCode = 200,
): Promise<Response> {
  c.header('Cache-Control', 'no-cache')
  return c.html(`<!doctype html>${await page}`, status)
}
