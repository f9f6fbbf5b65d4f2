import type { MiddlewareHandler } from 'hono'

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Headers of every answer; a route that sets one itself is left alone. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
}

/**
 * Sets them on an answer that is made without `context.header()`, which would make a new one for each, with its body as a stream.
 *
 * @param all Others than these.
 */
export function setSecurityHeaders(
  { headers }: Response,
  all: Readonly<Record<string, string>> = SECURITY_HEADERS,
): void {
  for (const name in all) if (!headers.has(name)) headers.set(name, all[name] as string)
}

/**
 * Sets them on every answer of an application.
 *
 * @param more Further headers of every answer.
 */
export function securityHeaders(more: Readonly<Record<string, string>> = {}): MiddlewareHandler {
  const all = { ...SECURITY_HEADERS, ...more }
  return async (context, next) => {
    await next()
    setSecurityHeaders(context.res, all)
  }
}
