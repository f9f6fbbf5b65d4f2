import { badRequest } from './problem.ts'

/** The parts that a server adds to a request: its line and its socket, and an id where it has one; absent when the application is called without them. */
export interface Bindings {
  readonly incoming?: {
    readonly url?: string | undefined
    readonly socket: { readonly remoteAddress?: string | undefined }
  }
  readonly requestId?: string | undefined
}

/** Returns the address that a request came from, for limits of each address. */
export function addressOf(env: Bindings | undefined): string {
  return env?.incoming?.socket.remoteAddress ?? 'unknown'
}

/** The path and the query exactly as they were sent, percent-encoding and all. */
interface RequestTarget {
  readonly path: string
  readonly query: string
}

/** Reads the target from the request line, since a `URL` has already resolved `%2E%2E`, which is an id here. */
export function requestTarget(request: Request, env: Bindings | undefined): RequestTarget {
  const sent = env?.incoming?.url
  if (sent?.startsWith('/') !== true || hasDotSegment(sent)) {
    const { pathname, search } = new URL(request.url)
    return { path: pathname, query: search.slice(1) }
  }
  const [target = ''] = sent.split('#', 1)
  const mark = target.indexOf('?')
  return mark < 0 ? { path: target, query: '' } : { path: target.slice(0, mark), query: target.slice(mark + 1) }
}

/** Returns the path to route: still encoded, so that each parameter is decoded once, after routing, and an encoded `/` stays inside it. */
export function routedPath(request: Request, options?: { readonly env?: unknown }): string {
  return requestTarget(request, options?.env as Bindings | undefined).path
}

/** @throws {HttpProblem} `bad_request` when a part of the path is not well-formed percent-encoded UTF-8. */
export function requireDecodable({ path, query }: RequestTarget): void {
  if (decoded(path) === undefined) throw malformed('path')
  if (decoded(query) === undefined) throw malformed('query')
}

/** Returns the parameters of a query that {@link requireDecodable} has passed. */
export function queryParameters(request: Request, env: Bindings | undefined): URLSearchParams {
  return new URLSearchParams(requestTarget(request, env).query)
}

function malformed(part: string): Error {
  return badRequest('the address was refused', [
    { path: part, message: 'must be percent-encoded UTF-8 (a % stands before two hexadecimal digits)' },
  ])
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Tells whether a target has a plain `.` or `..`, which every client resolves before it sends; only an encoded one can be an id. */
function hasDotSegment(target: string): boolean {
  return /\/\.\.?(?:[/?#]|$)/.test(target)
}
