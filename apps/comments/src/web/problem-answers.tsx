import type { Context } from 'hono'
import type { HttpProblem } from '../http/problem.ts'
import { type HttpCode, PROBLEM_CODES } from '../http/problem-codes.ts'
import { htmlPage } from './html-page.ts'
import { productPath } from './links.ts'
import { MessagePage } from './message-page.tsx'

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

const WORDS: Readonly<Partial<Record<HttpCode, { readonly title: string; readonly text: string }>>> = {
  not_found: { title: 'There is no such page', text: 'The address may be old, or mistyped.' },
  method_not_allowed: { title: 'There is no such page', text: 'Forms are sent to this address; it can’t be opened.' },
  bad_request: { title: 'This address can’t be read', text: 'Something in it is not what it should be:' },
  rate_limited: { title: 'Too many wrong tokens', text: 'So that nobody can guess tokens, this address has to wait.' },
  unavailable: {
    title: 'One moment, please',
    text: 'The database is busy or away. Nothing was lost; try again in a few seconds.',
  },
  internal_error: { title: 'Something went wrong', text: 'This is our mistake, and it was noted.' },
}

/** A problem as a page, with a link that works. */
export async function problemPage(
  c: Context,
  { code, message, errors, headers, status }: HttpProblem,
): Promise<Response> {
  const { title, text } = WORDS[code] ?? { title: PROBLEM_CODES[code].title, text: message }
  const wait = headers['retry-after']
  const productId = productOf(c.req.path)
  const response = await htmlPage(
    c,
    <MessagePage
      title={title}
      text={code === 'rate_limited' && wait !== undefined ? `${text} Try again in ${wait} seconds.` : text}
      issues={errors ?? []}
      links={[
        productId === undefined
          ? { href: '/', text: 'To the front page' }
          : { href: productPath(productId), text: 'Back to the comments' },
      ]}
      productId={productId}
    />,
    status as 400,
  )
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  response.headers.set('Cache-Control', 'no-store')
  return response
}

/** The product whose page or form a path is; the path may be one that can't be read. */
function productOf(path: string): string | undefined {
  const encoded = /^\/p\/([^/]+)/.exec(path)?.[1]
  if (encoded === undefined) return undefined
  try {
    return decodeURIComponent(encoded)
  } catch {
    return undefined
  }
}
