import { createHash, timingSafeEqual } from 'node:crypto'
import type { Context, MiddlewareHandler } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'

/** The secrets of one studio. */
export interface Access {
  /** The token in the address that is printed. */
  readonly token: string
  /** The value of the session's cookie, into which the token is changed. */
  readonly session: string
}

/** Answers a request that is refused. */
export type Refuse = (context: Context, status: 401 | 403, message: string) => Response | Promise<Response>

const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i

/** Tells whether a Host header names this machine: a name that another page points to it by DNS is none of these. */
export function isLoopbackHost(host: string | undefined): boolean {
  return host !== undefined && LOOPBACK.test(host)
}

/**
 * Lets through only what the studio's own pages ask. A request has to name this machine as its host, so that no other page reaches the studio
 * by a name of its own; what changes something has to come from the studio's own origin; and all of it needs the session, which the token of
 * the printed address gives once, by a redirect that takes the token out of the address.
 */
export function requireAccess({ token, session }: Access, refuse: Refuse): MiddlewareHandler {
  return async (context, next) => {
    const { req } = context
    const host = req.header('Host')
    if (!isLoopbackHost(host)) return refuse(context, 403, 'The studio answers on 127.0.0.1 and localhost only.')
    const url = new URL(req.url)
    if (req.method !== 'GET' && req.method !== 'HEAD' && req.header('Origin') !== `http://${host}`)
      return refuse(context, 403, 'What changes something has to come from a page of the studio itself.')
    // Cookies know no ports: two studios on one machine need two names.
    const name = `lapidary-studio-${/:(\d+)$/.exec(host ?? '')?.[1] ?? '80'}`
    const given = url.searchParams.get('token')
    if (given !== null && req.method === 'GET') {
      if (!isSame(given, token))
        return refuse(
          context,
          401,
          'The token in the address is not the one of this studio. Open the address that it printed.',
        )
      setCookie(context, name, session, { httpOnly: true, sameSite: 'Strict', path: '/' })
      url.searchParams.delete('token')
      // Two slashes would begin the name of another host.
      return context.redirect(url.pathname.replace(/^\/+/, '/') + url.search, 303)
    }
    if (!isSame(getCookie(context, name) ?? '', session))
      return refuse(context, 401, 'Open the address that the studio printed: it holds the token of the session.')
    return next()
  }
}

/** Compares in a time that tells nothing of how much is the same. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}
