import type { Context } from 'hono'
import { productIdSchema } from '../comment.ts'
import type { HttpProblem } from '../http/problem.ts'
import { type HttpCode, PROBLEM_CODES } from '../http/problem-codes.ts'
import { parseListParameters } from '../list-parameters.ts'
import { htmlPage } from './html-page.tsx'
import { FIRST_PAGE, listPath, productPath } from './links.ts'
import { MessagePage, type MessagePageProps } from './message-page.tsx'

/** Whether a request asks for a page by name, as browsers do; whoever takes anything gets what programs get. */
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

interface Words {
  readonly title: string
  readonly text: string
}

const BAD_LINK: Words = {
  title: 'This link leads nowhere',
  text: 'The link to this page of comments is damaged, or was made for another filter.',
}

const WORDS: Readonly<Partial<Record<HttpCode, Words>>> = {
  not_found: {
    title: 'There is no such page',
    text: 'The address may be old or mistyped, or what was there was deleted.',
  },
  method_not_allowed: { title: 'There is no such page', text: 'Forms are sent to this address; it can’t be opened.' },
  bad_request: { title: 'This address can’t be read', text: 'Something in it is not what it should be:' },
  cursor_invalid: BAD_LINK,
  cursor_mismatch: BAD_LINK,
  not_implemented: { title: 'Not there yet', text: 'Pages can’t be opened by number yet. Use Next and Previous.' },
  rate_limited: { title: 'Too many wrong tokens', text: 'So that tokens can’t be guessed, this address has to wait.' },
  too_large: { title: 'Too long', text: 'A comment has at most 10,000 characters.' },
  unavailable: {
    title: 'One moment, please',
    text: 'The database is busy or away. Nothing was lost; try again in a few seconds.',
  },
  internal_error: { title: 'Something went wrong', text: 'This is our mistake, and it was noted.' },
}

/** A problem as a page, with links that work. */
export async function problemPage(c: Context, problem: HttpProblem): Promise<Response> {
  const { code, message, errors, errorsOmitted, headers, status } = problem
  const { title, text } = WORDS[code] ?? { title: PROBLEM_CODES[code].title, text: message }
  const wait = headers['retry-after']
  const productId = productOf(c.req.path)
  const response = await htmlPage(
    c,
    <MessagePage
      status={status}
      title={title}
      text={code === 'rate_limited' && wait !== undefined ? `${text} Try again in ${wait} seconds.` : text}
      issues={errors ?? []}
      issuesOmitted={errorsOmitted}
      links={linksOf(c, code, productId)}
      productId={productId}
    />,
    status as 400,
  )
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  response.headers.set('Cache-Control', 'no-store')
  return response
}

function linksOf(c: Context, code: HttpCode, productId: string | undefined): MessagePageProps['links'] {
  const home = { href: '/', text: 'To the front page' }
  if (productId === undefined) return isServerSide(code) ? [tryAgain(c), home] : [home]
  const all = { href: productPath(productId), text: 'All comments' }
  if (WORDS[code] === BAD_LINK || code === 'not_implemented') {
    return [{ href: sameAddress(c, ['cursor', 'page']), text: 'First page of this filter' }, all]
  }
  const back = { href: listBehind(c, productId), text: 'Back to the comments' }
  return isServerSide(code) && c.req.method === 'GET' ? [tryAgain(c), back] : [back, home]
}

function isServerSide(code: HttpCode): boolean {
  return code === 'unavailable' || code === 'internal_error'
}

function tryAgain(c: Context): MessagePageProps['links'][number] {
  return { href: sameAddress(c), text: 'Try again' }
}

/** The first page of the list that an address asks for; of all comments where that can't be read. */
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

/** The product whose page or form a path is; undefined when there can be no such product. */
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
