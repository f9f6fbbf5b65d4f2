import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import { deleteCookie, setSignedCookie } from 'hono/cookie'
import { parseSigned } from 'hono/utils/cookie'
import type { Identity, Person } from './person.ts'
import { isSecure } from './secure-cookie.ts'

/** A sign-in by name alone, for the demo: everybody is who they say they are. */
export interface DemoSignIn extends Identity {
  signIn(c: Context, name: string): Promise<void>
  signOut(c: Context): void
}

export const DEMO_COOKIE = 'person'
const DAYS = 30

/** @param secret Signs the cookie, so that one who signed in stays the same. */
export function createDemoSignIn(
  secret: string,
  { publicUrl, clock = Date.now }: { readonly publicUrl?: string | undefined; readonly clock?: () => number } = {},
): DemoSignIn {
  return {
    async identify(request) {
      const cookies = await parseSigned(request.headers.get('cookie') ?? '', secret, DEMO_COOKIE)
      const value = cookies[DEMO_COOKIE]
      return typeof value === 'string' ? personIn(value, clock()) : undefined
    },
    // Half of the people have bought any product, always the same.
    purchased: async ({ id }, productId) => (createHash('sha256').update(`${id} ${productId}`).digest()[0] ?? 0) < 128,
    signInAt: (returnTo) => `/sign-in?to=${encodeURIComponent(returnTo)}`,
    async signIn(c, name) {
      const value = Buffer.from(JSON.stringify({ name, until: clock() + DAYS * 86_400_000 })).toString('base64url')
      await setSignedCookie(c, DEMO_COOKIE, value, secret, {
        ...{ path: '/', httpOnly: true, sameSite: 'Lax', secure: isSecure(c, publicUrl), maxAge: DAYS * 86_400 },
      })
    },
    signOut: (c) => void deleteCookie(c, DEMO_COOKIE, { path: '/', secure: isSecure(c, publicUrl) }),
  }
}

/** Reads what the cookie says; it was signed here, so it has this form. */
function personIn(value: string, now: number): Person | undefined {
  const { name, until } = JSON.parse(Buffer.from(value, 'base64url').toString()) as { name: string; until: number }
  return until > now ? { id: idOf(name), name } : undefined
}

/** The same name is the same person, however it is written; normal forms can be many times as long as the name, so the id is a hash. */
function idOf(name: string): string {
  return `demo:${createHash('sha256').update(name.normalize('NFKC').toLowerCase()).digest('base64url')}`
}
