import { LapidaryError, shown } from 'lapidary'
import { HttpProblem } from '../problem.ts'
import { type RoleOf, requireRole, rolesByToken, severalOf, type Tokens } from '../tokens.ts'

/** What a request wants to do with a collection. */
export interface Action {
  /** A `replace` that finds no item asks again, as `create`. `describe` is for `/openapi.json` and `/docs`: a collection that may not be described is left out. */
  readonly kind: 'list' | 'count' | 'leaderboard' | 'get' | 'create' | 'replace' | 'patch' | 'delete' | 'describe'
  /** The collection by its name in code, which is the one in addresses: `orders`. */
  readonly collection: string
  /** The address that the request came from, where the server tells it. */
  readonly address: string
}

/** What a caller may see and do of a collection; everything that is not said. */
export interface Access {
  /** The name of the caller: keys of idempotency are theirs alone. */
  readonly who?: string | undefined
  /** The scopes that may be read; any other is answered as one that is not there, 404. All when not given. */
  readonly reads?: readonly string[] | undefined
  /** The scopes that may be written; those that may be read when not given. */
  readonly writes?: readonly string[] | undefined
  /**
   * Attributes that are not there for the caller, and facets by their names: in no item, filter, count, sum, order, board, plan or error, and not
   * to be set. A facet whose values a function makes is not there either once something is hidden, unless `computed` names it.
   */
  readonly hidden?: readonly string[] | undefined
  /** Computed facets that tell nothing of what is hidden. */
  readonly computed?: readonly string[] | undefined
  /** Attributes that may be seen and not set. */
  readonly fixed?: readonly string[] | undefined
}

/**
 * Decides what a request may see and do. It throws an {@link HttpProblem} to refuse: `unauthorized` for one that has to say who it is,
 * `forbidden`, or `not_found`.
 */
export type Authorize = (request: Request, action: Action) => Access | Promise<Access>

const READING: readonly Action['kind'][] = ['list', 'count', 'leaderboard', 'get', 'describe']

/**
 * Lets all requests read, writers create and change, and the admin also delete, by bearer tokens. An address that has sent too many wrong tokens
 * has to wait.
 *
 * @throws {LapidaryError} `declaration_invalid` for a token of fewer than 16 characters.
 * @example
 * ```ts
 * import { lapidaryRoutes } from 'lapidary-http'
 *
 * const routes = lapidaryRoutes(lapidary, { authorize: byTokens({ admin: 'the token of an admin' }) })
 * ```
 */
export function byTokens(tokens: Tokens): Authorize {
  const admins = severalOf(tokens.admin)
  if (admins.length === 0)
    throw new LapidaryError('declaration_invalid', 'admin is an empty list; give at least one token')
  for (const token of [...admins, ...severalOf(tokens.writer)]) {
    if (!/^[\x21-\x7e]{16,512}$/.test(token))
      throw new LapidaryError(
        'declaration_invalid',
        'a token has 16 to 512 visible ASCII characters without a space; make one with: openssl rand -base64 24',
      )
  }
  const roleOf: RoleOf = rolesByToken(tokens)
  return ({ headers }, { kind, address }) => {
    if (READING.includes(kind)) return {}
    const header = headers.get('authorization') ?? undefined
    requireRole(roleOf, { header, address, needed: kind === 'delete' ? 'admin' : 'writer' })
    return {}
  }
}

/** Tells whether an access leaves anything out, so that its answers are for this caller alone. */
export function isPersonal({ who, reads, hidden = [] }: Access): boolean {
  return who !== undefined || reads !== undefined || hidden.length > 0
}

/** Tells whether a scope may be read. */
export function mayRead({ reads }: Access, scope: unknown): boolean {
  return reads === undefined || reads.includes(scope as string)
}

/** Tells whether a scope may be written. */
export function mayWrite(access: Access, scope: unknown): boolean {
  const { writes } = access
  return mayRead(access, scope) && (writes === undefined || writes.includes(scope as string))
}

/** Makes the answer for a scope that the caller may not read: the same as for one that does not exist. */
export function noSuchScope(name: string, scope: unknown): HttpProblem {
  return new HttpProblem('not_found', `there is no ${name} ${shown(scope)}`)
}

/** @throws {HttpProblem} `not_found` for a scope that may not be read, `forbidden` for one that may not be written. */
export function requireWritable(access: Access, name: string, scope: unknown): void {
  if (mayWrite(access, scope)) return
  if (!mayRead(access, scope)) throw noSuchScope(name, scope)
  throw new HttpProblem('forbidden', `${name} ${shown(scope)} may be read by this caller, and not written`)
}
