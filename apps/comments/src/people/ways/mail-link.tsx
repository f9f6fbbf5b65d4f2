import { Hono } from 'hono'
import { setCookie } from 'hono/cookie'
import { parse } from 'hono/utils/cookie'
import { SignJWT } from 'jose'
import { htmlPage } from '../../web/html-page.tsx'
import { productPath } from '../../web/links.ts'
import { MailLinkPage } from '../../web/people/mail-link-page.tsx'
import { sentForm } from '../../web/sent-form.ts'
import type { Identity, Person } from '../person.ts'
import { isSecure } from '../secure-cookie.ts'
import { requireOwnOrigin } from '../visitors.ts'
import { claimsOf, keysOf, personOf } from './jwt-cookie.ts'

/** The settings of {@link mailLink}. */
export interface MailLinkOptions {
  /** Signs the links, at least 32 characters; several while one takes the place of another, of which the first signs. */
  readonly secret: string | readonly string[]
  /** The address of the pages, as in a mail: `https://shop.example`. */
  readonly publicUrl: string
  /** Days for which a link, and the cookie that it leads to, is good; 60 when not given. */
  readonly days?: number
  /** How one who has no link gets one, in the shop's own words: shown in the place of the form. */
  readonly signInNote: string
}

/** The way of {@link mailLink}. */
export interface MailLink extends Identity {
  /** Returns the link for the mail of an order: whoever opens it writes as this person, on these products, as one who bought them. */
  linkFor(person: Pick<Person, 'id' | 'name'>, productIds: readonly string[]): Promise<string>
}

interface Buyer extends Person {
  readonly bought: readonly string[]
}

const COOKIE = 'from-mail'
const PATH = '/from-mail'
const CHECKS = { algorithms: ['HS256'], audience: 'lapidary mail link', requiredClaims: ['exp', 'sub', 'name'] }
const MAX_FORM_BYTES = 8 * 1024

/**
 * Knows people by a signed link in the mail of their order; they need no account. The link leads to a page with a button: programs that open the
 * links of mails to look for harm sign nobody in, and nor does another site.
 */
export function mailLink({ secret, publicUrl, days = 60, signInNote }: MailLinkOptions): MailLink {
  const keys = keysOf(secret)
  const buyerOf = async (token: string): Promise<Buyer | undefined> => {
    const claims = await claimsOf(token, keys, CHECKS)
    const person = claims && personOf(claims, () => false)
    return person && { ...person, bought: Array.isArray(claims.bought) ? claims.bought.map(String) : [] }
  }
  return {
    signInNote,
    async linkFor({ id, name }, productIds) {
      const token = await new SignJWT({ name, bought: [...productIds] })
        .setProtectedHeader({ alg: 'HS256' })
        .setSubject(id)
        .setAudience(CHECKS.audience)
        .setExpirationTime(`${days} days`)
        .sign(keys[0] as Uint8Array)
      return `${publicUrl}${PATH}?token=${token}`
    },
    identify: async (request) => {
      const token = parse(request.headers.get('cookie') ?? '', COOKIE)[COOKIE]
      return token === undefined ? undefined : buyerOf(token)
    },
    purchased: async (person, productId) => (person as Buyer).bought.includes(productId),
    routes() {
      const routes = new Hono()
      routes.get(PATH, async (c) => {
        const token = c.req.query('token') ?? ''
        const buyer = await buyerOf(token)
        const response = await htmlPage(
          c,
          <MailLinkPage name={buyer?.name} token={token} />,
          buyer === undefined ? 401 : 200,
        )
        response.headers.set('Cache-Control', 'no-store')
        return response
      })
      routes.post(PATH, async (c) => {
        requireOwnOrigin(c, publicUrl)
        const token = (await sentForm(c, MAX_FORM_BYTES)).get('token') ?? ''
        const buyer = await buyerOf(token)
        if (buyer === undefined) return htmlPage(c, <MailLinkPage name={undefined} token="" />, 401)
        setCookie(c, COOKIE, token, {
          ...{ path: '/', httpOnly: true, sameSite: 'Lax', secure: isSecure(c, publicUrl), maxAge: days * 86_400 },
        })
        const [productId] = buyer.bought
        return c.redirect(productId === undefined ? '/' : `${productPath(productId)}#write`, 303)
      })
      return routes
    },
  }
}
