import { createHash, timingSafeEqual } from 'node:crypto'
import { HttpProblem } from './problem.ts'

/** What a token may do: a writer creates and changes, an admin also deletes and maintains. */
export type Role = 'writer' | 'admin'

/** The tokens of a server; without a writer token only the admin writes. */
export interface Tokens {
  readonly admin: string
  readonly writer?: string | undefined
}

/** What a token may do; undefined when it is not known. */
export type Authorize = (token: string) => Role | undefined

/** Tokens are compared by their hashes, so that the time it takes tells nothing of them. */
export function createAuthorize(tokens: Tokens): Authorize {
  const admin = digest(tokens.admin)
  const writer = tokens.writer === undefined ? undefined : digest(tokens.writer)
  return (token) => {
    const given = digest(token)
    const isAdmin = timingSafeEqual(given, admin)
    const isWriter = writer !== undefined && timingSafeEqual(given, writer)
    if (isAdmin) return 'admin'
    return isWriter ? 'writer' : undefined
  }
}

/** @throws {HttpProblem} `unauthorized` without a known token, `forbidden` when its role is not enough. */
export function requireRole(authorize: Authorize, header: string | undefined, needed: Role): void {
  const token = bearerToken(header)
  if (token === undefined) throw unauthorized('this needs a token: send Authorization: Bearer TOKEN', '')
  const role = authorize(token)
  if (role === undefined) throw unauthorized('the token is not known', ', error="invalid_token"')
  if (needed === 'admin' && role !== 'admin') {
    throw new HttpProblem('forbidden', 'this needs the admin token; the token given is a writer’s', {
      headers: { 'www-authenticate': 'Bearer realm="comments", error="insufficient_scope"' },
    })
  }
}

function bearerToken(header: string | undefined): string | undefined {
  return header === undefined ? undefined : /^Bearer +([\x21-\x7e]+) *$/i.exec(header)?.[1]
}

function unauthorized(detail: string, parameters: string): HttpProblem {
  return new HttpProblem('unauthorized', detail, {
    headers: { 'www-authenticate': `Bearer realm="comments"${parameters}` },
  })
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
