/** A person, as the shop that shows the comments knows them. */
export interface Person {
  /** The shop's own id of them: it never changes, and other people never see it. */
  readonly id: string
  /** The name under which they write. */
  readonly name: string
}

/** Returns the person who sent a request, or undefined for one whom the shop does not know: from a cookie, a signed link, OpenID. */
export type Identify = (request: Request) => Promise<Person | undefined>
