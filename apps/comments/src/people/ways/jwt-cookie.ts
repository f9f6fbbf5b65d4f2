import { parse } from 'hono/utils/cookie'
import { errors, type JWTPayload, jwtVerify } from 'jose'
import type { Identity, Person } from '../person.ts'

/** The settings of {@link jwtCookie}. */
export interface JwtCookieOptions {
  /** The name of the shop's cookie. */
  readonly cookie: string
  /** The secret with which the shop signs it (HS256), at least 32 characters; several while one takes the place of another. */
  readonly secret: string | readonly string[]
  readonly issuer?: string
  readonly audience?: string
  /** Tells whether a person moderates; nobody does when not given. */
  readonly isModerator?: (claims: JWTPayload) => boolean
  readonly signInAt?: (returnTo: string) => string
}

const SHORTEST_SECRET = 32

/**
 * Knows people by the cookie of the shop, where that is a JSON Web Token with `sub`, `name` and `exp`. A cookie that is missing, over, or signed by
 * somebody else is of nobody.
 *
 * @throws {TypeError} for a short secret.
 */
export function jwtCookie(options: JwtCookieOptions): Identity {
  const { cookie, secret, issuer, audience, isModerator = () => false, signInAt } = options
  const keys = keysOf(secret)
  const checks = {
    ...{ algorithms: ['HS256'], requiredClaims: ['exp', 'sub', 'name'] },
    ...(issuer === undefined ? {} : { issuer }),
    ...(audience === undefined ? {} : { audience }),
  }
  return {
    async identify(request) {
      const token = parse(request.headers.get('cookie') ?? '', cookie)[cookie]
      const claims = token === undefined ? undefined : await claimsOf(token, keys, checks)
      return claims && personOf(claims, isModerator)
    },
    signInAt,
  }
}

/** @throws {TypeError} for a short secret. */
export function keysOf(secret: string | readonly string[]): readonly Uint8Array[] {
  return [secret].flat().map((each) => {
    if (each.length >= SHORTEST_SECRET) return new TextEncoder().encode(each)
    throw new TypeError(
      `the secret has ${each.length} characters; take at least ${SHORTEST_SECRET}: openssl rand -base64 32`,
    )
  })
}

/** Returns the claims of a token that one of the keys has signed; undefined for any other. */
export async function claimsOf(
  token: string,
  keys: readonly Uint8Array[],
  checks: Parameters<typeof jwtVerify>[2],
): Promise<JWTPayload | undefined> {
  for (const key of keys) {
    try {
      return (await jwtVerify(token, key, checks)).payload
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error
    }
  }
  return undefined
}

/** Returns the person that claims are of, by their usual names; undefined where they have no id or no name. */
export function personOf(claims: JWTPayload, isModerator: (claims: JWTPayload) => boolean): Person | undefined {
  const name = claims.name ?? claims.preferred_username ?? claims.given_name
  if (claims.sub === undefined || typeof name !== 'string' || name === '') return undefined
  return { id: claims.sub, name, isModerator: isModerator(claims) }
}
