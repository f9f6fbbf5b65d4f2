import { ADMIN_TOKEN } from './comment-server.ts'

/** A comment as the server answers it. */
export interface Comment {
  readonly id: string
  readonly productId: string
  readonly language: string
  readonly rating: number
  readonly version: number
  readonly [attribute: string]: unknown
}

/** An answer of the server; undefined where the connection broke, or the server could not say whether the write was made. */
export type Answer = { readonly status: number; readonly body: unknown } | undefined

const UNAVAILABLE = 503

export async function ask(address: string, method: string, path: string, body?: object): Promise<Answer> {
  try {
    const response = await fetch(`${address}${path}`, {
      method,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (response.status === UNAVAILABLE) return undefined
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** Returns the answer of a `GET` that has to succeed. */
export async function read<T>(address: string, path: string): Promise<T> {
  const answer = await ask(address, 'GET', path)
  if (answer?.status !== 200) throw new Error(`GET ${path} answered ${JSON.stringify(answer)}`)
  return answer.body as T
}

/** Reads all comments of a product, page by page. */
export async function listAll(address: string, productId: string): Promise<Comment[]> {
  interface Page {
    readonly items: readonly Comment[]
    readonly cursors: { readonly next: string | null }
  }
  const comments: Comment[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const path = `/products/${productId}/comments?limit=100${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`
    const page: Page = await read<Page>(address, path)
    comments.push(...page.items)
    cursor = page.cursors.next
  }
  return comments
}
