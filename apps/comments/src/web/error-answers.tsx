import type { Context } from 'hono'
import { type InputIssue, LapidaryError } from 'lapidary'
import { htmlPage } from './html-page.ts'
import { productPath } from './links.ts'
import { MessagePage } from './message-page.tsx'
import type { WebSettings } from './settings.ts'

/** A page for every failure: what was wrong in words, and a link that works. */
export async function answerError(c: Context, error: unknown, settings: WebSettings): Promise<Response> {
  const productId = c.req.param('productId')
  const home = { href: '/', text: 'To the front page' }
  const all = productId === undefined ? home : { href: productPath(productId), text: 'Show all comments' }
  const code = error instanceof LapidaryError ? error.code : undefined
  switch (code) {
    case 'cursor_invalid':
    case 'cursor_mismatch':
      return htmlPage(
        c,
        <MessagePage
          title="This link leads nowhere"
          text="The link to this page of comments is damaged, or was made for another filter."
          links={[{ href: sameList(c, ['cursor', 'page']), text: 'Go to the first page' }, all]}
          productId={productId}
        />,
        400,
      )
    case 'bad_request':
    case 'unprocessable':
      return htmlPage(
        c,
        <MessagePage
          title="This list can’t be shown"
          text="The address asks for something that does not exist:"
          issues={issuesOf(error)}
          links={[all]}
          productId={productId}
        />,
        400,
      )
    case 'not_implemented':
      return htmlPage(
        c,
        <MessagePage
          title="Not there yet"
          text="Pages can’t be opened by number yet. Use Next and Previous."
          links={[{ href: sameList(c, ['cursor', 'page']), text: 'Go to the first page' }]}
          productId={productId}
        />,
        501,
      )
    case 'unavailable':
      settings.report?.(error)
      c.header('Retry-After', '2')
      return htmlPage(
        c,
        <MessagePage
          title="One moment, please"
          text="The database is busy or away. Nothing was lost; try again in a few seconds."
          links={[{ href: c.req.method === 'GET' ? sameList(c) : all.href, text: 'Try again' }]}
          productId={productId}
        />,
        503,
      )
    default:
      settings.report?.(error)
      return htmlPage(
        c,
        <MessagePage
          title="Something went wrong"
          text="This is our mistake, and it was noted. Try again, or go back to the list."
          links={[all]}
          productId={productId}
        />,
        500,
      )
  }
}

function sameList(c: Context, without: readonly string[] = []): string {
  const url = new URL(c.req.url)
  for (const name of without) url.searchParams.delete(name)
  return `${url.pathname}${url.search}`
}

function issuesOf(error: unknown): readonly InputIssue[] {
  if (!(error instanceof LapidaryError)) return []
  const { errors } = error.details
  return Array.isArray(errors) ? (errors as readonly InputIssue[]) : []
}
