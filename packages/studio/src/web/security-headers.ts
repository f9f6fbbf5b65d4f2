import type { MiddlewareHandler } from 'hono'

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Headers of every answer. Items may be secret, so nothing is kept by the browser but style and script. */
const HEADERS: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  // With no-referrer a browser would send `Origin: null` with the studio's own forms.
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
}

/** Sets the headers; a route that sets one itself is left alone. */
export function securityHeaders(): MiddlewareHandler {
  return async (context, next) => {
    await next()
    for (const [name, value] of Object.entries(HEADERS))
      if (!context.res.headers.has(name)) context.res.headers.set(name, value)
  }
}
