import type { Hono } from 'hono'

/** A person, as the shop that shows the comments knows them. */
export interface Person {
  /** The shop's own id of them: it never changes, and other people never see it. */
  readonly id: string
  /** The name under which they write. */
  readonly name: string
  /** Whether they decide on the comments of others, and answer them for the shop. */
  readonly isModerator?: boolean | undefined
}

/** Returns the person who sent a request, or undefined for one whom the shop does not know: from a cookie, a signed link, OpenID. */
export type Identify = (request: Request) => Promise<Person | undefined>

/** Tells whether a person has bought a product. It is asked when they write. */
export type Purchased = (person: Person, productId: string) => Promise<boolean>

/** All that a shop tells of its people. */
export interface Identity {
  readonly identify: Identify
  /** Without it no comment is of a verified purchase. */
  readonly purchased?: Purchased | undefined
  /** Returns the address at which a person signs in, and from which they come back to `returnTo`, a path of these pages. */
  readonly signInAt?: ((returnTo: string) => string) | undefined
  /** Says how a person signs in, where that is not at an address: by the link in a mail. The text is shown as it is. */
  readonly signInNote?: string | undefined
  /** Returns pages of its own, such as the one to which the link in a mail leads. */
  readonly routes?: (() => Hono) | undefined
}
