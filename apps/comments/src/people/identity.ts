/** @module comments/identity */
export type { Identify, Identity, Person, Purchased } from './person.ts'
export { type JwtCookieOptions, jwtCookie } from './ways/jwt-cookie.ts'
export { type MailLink, type MailLinkOptions, mailLink } from './ways/mail-link.tsx'
export { type OpenIdOptions, openId } from './ways/open-id.ts'
