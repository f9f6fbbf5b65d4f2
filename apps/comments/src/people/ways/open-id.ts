import { parse } from 'hono/utils/cookie'
import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose'
import type { Identity } from '../person.ts'
import { personOf } from './jwt-cookie.ts'

/** The settings of {@link openId}. */
export interface OpenIdOptions {
  /** The address of the issuer, as its tokens have it in `iss`: `https://login.shop.example`. */
  readonly issuer: string
  /** The id under which the issuer knows the shop, as its tokens have it in `aud`. */
  readonly audience: string
  /** The cookie in which the shop's sign-in, or the gateway before it, keeps the token; `Authorization: Bearer` when not given. */
  readonly cookie?: string
  /** Tells whether a person moderates; nobody does when not given. */
  readonly isModerator?: (claims: JWTPayload) => boolean
  readonly signInAt?: (returnTo: string) => string
}

/** Only signatures by a key that the issuer keeps for itself: the public keys of others must not pass as secrets. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']

/** Milliseconds for which an issuer that did not answer is not asked again: as long as `Retry-After` says. */
const AWAY_MS = 5_000
/** The codes of errors when the issuer's keys can't be read. */
const AWAY: readonly string[] = [errors.JWKSTimeout.code, errors.JWKSInvalid.code, errors.JOSEError.code]

/**
 * Knows people by the ID token of an OpenID provider: Auth0, Cognito, Entra, Google, Keycloak. Its keys are read at its well-known address, once,
 * and again when it signs by a new one. A token of another issuer, for another audience, or that is over, is of nobody.
 */
export function openId(options: OpenIdOptions): Identity {
  const { issuer, audience, cookie, isModerator = () => false, signInAt } = options
  let keys: Promise<ReturnType<typeof createRemoteJWKSet>> | undefined
  let awayUntil = Number.POSITIVE_INFINITY
  const keysOfIssuer = (): Promise<ReturnType<typeof createRemoteJWKSet>> => {
    if (keys === undefined || Date.now() >= awayUntil) {
      keys = discoveredKeys(issuer)
      awayUntil = Number.POSITIVE_INFINITY
      // Others who come meanwhile are told the same; nobody waits for an issuer that is away again and again.
      keys.catch(() => (awayUntil = Date.now() + AWAY_MS))
    }
    return keys
  }
  return {
    async identify(request) {
      const token = tokenIn(request.headers, cookie)
      if (token === undefined) return undefined
      const checks = { issuer, audience, algorithms: ALGORITHMS, requiredClaims: ['exp', 'sub'] }
      try {
        return personOf((await jwtVerify(token, await keysOfIssuer(), checks)).payload, isModerator)
      } catch (error) {
        // The issuer that does not answer is another matter than a token that is no good.
        if (error instanceof errors.JOSEError && !AWAY.includes(error.code)) return undefined
        throw error
      }
    },
    signInAt,
  }
}

/** Returns a token of three parts; anything else, like a token of this API, is none. */
function tokenIn(headers: Headers, cookie: string | undefined): string | undefined {
  const given =
    cookie === undefined
      ? /^Bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '')?.[1]
      : parse(headers.get('cookie') ?? '', cookie)[cookie]
  return given?.split('.').length === 3 ? given : undefined
}

async function discoveredKeys(issuer: string): Promise<ReturnType<typeof createRemoteJWKSet>> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const response = await fetch(address, { signal: AbortSignal.timeout(5_000) })
  const { jwks_uri: keys, issuer: named } = (await response.json()) as { jwks_uri?: string; issuer?: string }
  if (!response.ok || keys === undefined || named !== issuer)
    throw new Error(
      `${address} does not describe the issuer ${issuer} (status ${response.status}); is the address right?`,
    )
  return createRemoteJWKSet(new URL(keys))
}
