import { createHash, timingSafeEqual } from 'node:crypto'
import { createFailureLimit } from './failure-limit.ts'
import { HttpProblem } from './problem.ts'

/** The rights of a token: a writer creates and changes, an admin also deletes and maintains. */
export type Role = 'writer' | 'admin'

/** The tokens of a server, each one or several that are good at a time; without a writer token only the admin writes. */
export interface Tokens {
  readonly admin: string | readonly string[]
  readonly writer?: string | readonly string[] | undefined
}

/**
 * Returns the role of a token from an address; undefined when the token is not known.
 *
 * @throws {HttpProblem} `rate_limited` when the address has sent too many wrong tokens: then the token is not compared.
 */
export type RoleOf = (token: string, address?: string) => Role | undefined

const MOST_FAILURES = 100
const MINUTE_MS = 60_000

/**
 * Compares tokens by their hashes, so that the time it takes reveals nothing of them. After too many wrong tokens an address has to wait
 * whatever it sends, or else guessing could go on: a right token would still be told from a wrong one. Only roles that this address has used
 * before are still compared, so that a stranger who shares the address does not lock them out.
 */
export function rolesByToken(tokens: Tokens, clock: () => number = Date.now): RoleOf {
  const limit = createFailureLimit(MOST_FAILURES, MINUTE_MS, clock)
  const known = [
    ...severalOf(tokens.writer).map((token) => ({ role: 'writer' as const, hash: digest(token) })),
    ...severalOf(tokens.admin).map((token) => ({ role: 'admin' as const, hash: digest(token) })),
  ]
  return (token, address = 'unknown') => {
    const wait = limit.waitSeconds(address)
    const given = digest(token)
    const compared = wait === 0 ? known : known.filter(({ role }) => limit.hasSucceeded(address, role))
    const role = compared.filter(({ hash }) => timingSafeEqual(given, hash)).at(-1)?.role
    if (role !== undefined) limit.succeed(address, role)
    else if (wait > 0) throw tooManyFailures(wait)
    else limit.fail(address)
    return role
  }
}

/** Returns one token, several or none as a list. */
export function severalOf(tokens: string | readonly string[] | undefined): readonly string[] {
  return tokens === undefined ? [] : typeof tokens === 'string' ? [tokens] : tokens
}

/** @throws {HttpProblem} `unauthorized` without a known token, `forbidden` when its role is not enough, `rate_limited`. */
export function requireRole(
  roleOf: RoleOf,
  { header, address, needed }: { readonly header: string | undefined; readonly address: string; readonly needed: Role },
): void {
  if (header === undefined) throw unauthorized('this needs a token: send Authorization: Bearer TOKEN', '')
  // A header without a bearer token counts as a wrong token; no token has a space.
  const role = roleOf(bearerToken(header) ?? '', address)
  if (role === undefined) throw unauthorized('the token is not known', ', error="invalid_token"')
  if (needed === 'admin' && role !== 'admin') {
    throw new HttpProblem('forbidden', 'this needs the admin token; the token given is a writer’s', {
      headers: { 'www-authenticate': 'Bearer realm="lapidary", error="insufficient_scope"' },
    })
  }
}

function bearerToken(header: string): string | undefined {
  return /^Bearer +([\x21-\x7e]+) *$/i.exec(header)?.[1]
}

/** @param parameters Those of the challenge, beside its realm. */
export function unauthorized(detail: string, parameters: string): HttpProblem {
  return new HttpProblem('unauthorized', detail, {
    headers: { 'www-authenticate': `Bearer realm="lapidary"${parameters}` },
  })
}

function tooManyFailures(seconds: number): HttpProblem {
  return new HttpProblem('rate_limited', `too many wrong tokens from this address; try again in ${seconds} s`, {
    headers: { 'retry-after': String(seconds) },
  })
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
