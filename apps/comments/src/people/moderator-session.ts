import type { Context } from 'hono'
import { deleteCookie, getSignedCookie, setSignedCookie } from 'hono/cookie'
import { severalOf, type Tokens } from 'lapidary-http/internal'
import { isSecure } from './secure-cookie.ts'

/** The session of a moderator who gave the admin's token on the page. */
export interface ModeratorSession {
  open(c: Context): Promise<void>
  isOpen(c: Context): Promise<boolean>
  close(c: Context): void
}

const COOKIE = 'moderator'
const HOURS = 8

/**
 * Makes sessions that no server keeps: a cookie with the time of its end, signed by the admin's token. Another token ends all of them, and so does
 * the end of their time.
 */
export function createModeratorSession(
  tokens: Pick<Tokens, 'admin'>,
  { publicUrl, clock = Date.now }: { readonly publicUrl?: string | undefined; readonly clock?: () => number } = {},
): ModeratorSession {
  const secrets = severalOf(tokens.admin).map((token) => `moderator session: ${token}`)
  return {
    async open(c) {
      const endsAt = String(clock() + HOURS * 3_600_000)
      await setSignedCookie(c, COOKIE, endsAt, secrets[0] as string, {
        ...{ path: '/', httpOnly: true, sameSite: 'Strict', secure: isSecure(c, publicUrl), maxAge: HOURS * 3600 },
      })
    },
    async isOpen(c) {
      const opened = await Promise.all(secrets.map((secret) => getSignedCookie(c, secret, COOKIE)))
      return opened.some((endsAt) => typeof endsAt === 'string' && Number(endsAt) > clock())
    },
    close: (c) => void deleteCookie(c, COOKIE, { path: '/', secure: isSecure(c, publicUrl) }),
  }
}
