import type { Context } from 'hono'

/** Tells whether browsers reach the pages by HTTPS, so that a cookie must never go without it. */
export function isSecure(c: Context, publicUrl: string | undefined): boolean {
  return (publicUrl ?? c.req.url).startsWith('https:')
}
