import type { Context } from 'hono'
import type { InputIssue } from 'lapidary'
import type { HttpCode, HttpProblem } from 'lapidary-http/internal'
import { productIdSchema } from '../comment.ts'
import { parseListParameters } from '../list-parameters.ts'
import { htmlPage } from './html-page.tsx'
import { FIRST_PAGE, listPath, productPath } from './links.ts'
import { type MessageIssue, MessagePage, type MessagePageProps } from './message-page.tsx'
import type { Messages } from './messages/en.ts'
import { readerOf } from './reader.ts'

/** Tells whether a request names HTML in its `Accept`, as browsers do; a client that takes anything gets what programs get. */
export function asksForPage(accept: string | undefined): boolean {
  const wanted = new Map(
    (accept ?? '').split(',').map((part): [string, number] => {
      const [type = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
      return [type, weight === undefined ? 1 : Number(weight) || 0]
    }),
  )
  const weightOf = (type: string): number => wanted.get(type) ?? 0
  return weightOf('text/html') > Math.max(weightOf('application/json'), weightOf('application/problem+json'))
}

/** The message for each code, by its name in the catalogue of texts. */
const SAID = {
  not_found: 'notFound',
  method_not_allowed: 'formAddress',
  bad_request: 'badAddress',
  cursor_invalid: 'badLink',
  cursor_mismatch: 'badLink',
  not_implemented: 'noNumbers',
  rate_limited: 'guessing',
  too_large: 'tooLong',
  unavailable: 'away',
  internal_error: 'mistake',
} as const satisfies Readonly<Partial<Record<HttpCode, keyof Messages['problem']>>>

type Said = (typeof SAID)[keyof typeof SAID] | 'noProduct' | 'other'

function saidOf(code: HttpCode): Said {
  return code in SAID ? SAID[code as keyof typeof SAID] : 'other'
}

/** Answers a problem as a page, with links that work. */
export async function problemPage(c: Context, problem: HttpProblem): Promise<Response> {
  const { code, message, errors, errorsOmitted, headers, status } = problem
  const { words } = readerOf(c)
  const { problem: say } = words.say
  const isNoProduct = code === 'not_found' && errors?.some(({ path }) => path === 'productId') === true
  const said = isNoProduct ? 'noProduct' : saidOf(code)
  const { title, text } = say[said]
  const wait = headers['retry-after']
  const productId = isNoProduct ? undefined : productOf(c.req.path)
  const response = await htmlPage(
    c,
    <MessagePage
      status={status}
      title={title}
      text={
        code === 'rate_limited' && wait !== undefined
          ? `${text} ${say.wait(words.count(Number(wait), 'second'))}`
          : text
      }
      issues={
        (isNoProduct ? undefined : errors)?.map((error) => issueOf(error, said, say)) ??
        (said === 'other' ? [{ path: code, message }] : [])
      }
      issuesOmitted={errorsOmitted}
      links={linksOf(c, code, productId, words.say)}
      productId={productId}
    />,
    status as 400,
  )
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  response.headers.set('Cache-Control', 'no-store')
  return response
}

/** Says in the reader's language what a part of an address has to be; other issues are shown as programs get them. */
function issueOf({ path, message }: InputIssue, said: string, { wanted }: Messages['problem']): MessageIssue {
  const text = said === 'badAddress' && Object.hasOwn(wanted, path) ? wanted[path] : undefined
  return text === undefined ? { path, message } : { path, message: text, isTranslated: true }
}

function linksOf(c: Context, code: HttpCode, productId: string | undefined, say: Messages): MessagePageProps['links'] {
  const home = { href: '/', text: say.problem.home }
  const again = { href: sameAddress(c), text: say.problem.again }
  if (productId === undefined) return isServerSide(code) ? [again, home] : [home]
  const all = { href: productPath(productId), text: say.allComments }
  if (saidOf(code) === 'badLink' || code === 'not_implemented') {
    return [{ href: sameAddress(c, ['cursor', 'page']), text: say.problem.firstOfFilter }, all]
  }
  // Only the store of page numbers may be away.
  if (code === 'unavailable' && new URL(c.req.url).searchParams.has('page'))
    return [{ href: sameAddress(c, ['page']), text: say.problem.firstOfFilter }, again]
  const back = { href: listBehind(c, productId), text: say.backToComments }
  return isServerSide(code) && c.req.method === 'GET' ? [again, back] : [back, home]
}

function isServerSide(code: HttpCode): boolean {
  return code === 'unavailable' || code === 'internal_error'
}

/** Returns the first page of the list that an address asks for; of all comments where that can't be read. */
function listBehind(c: Context, productId: string): string {
  try {
    return listPath(productId, parseListParameters(new URL(c.req.url).searchParams), FIRST_PAGE)
  } catch {
    return productPath(productId)
  }
}

function sameAddress(c: Context, without: readonly string[] = []): string {
  const url = new URL(c.req.url)
  for (const name of without) url.searchParams.delete(name)
  return `${url.pathname}${url.search}`
}

/** Returns the product whose page or form a path is; undefined when there can be no such product. */
function productOf(path: string): string | undefined {
  const encoded = /^\/p\/([^/]+)/.exec(path)?.[1]
  if (encoded === undefined) return undefined
  try {
    const { data } = productIdSchema.safeParse(decodeURIComponent(encoded))
    return data
  } catch {
    return undefined
  }
}
