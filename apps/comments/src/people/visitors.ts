import type { Context } from 'hono'
import { HttpProblem, type Logger } from 'lapidary-http/internal'
import { authorSchema } from '../comment.ts'
import { shopUnavailable } from '../shop-unavailable.ts'
import type { ModeratorSession } from './moderator-session.ts'
import type { Identity, Person } from './person.ts'

/** Says who sends requests. */
export interface Visitors {
  /** All that the shop tells of its people; undefined where machines alone write. */
  readonly identity: Identity | undefined
  /**
   * Returns the person who sent a request; asked once for each.
   *
   * @throws {HttpProblem} `forbidden` for a change that another site has sent; `unavailable` where the shop can't say who it is.
   */
  personOf(c: Context): Promise<Person | undefined>
  /** @throws {HttpProblem} `unauthorized`, and what {@link personOf} throws. */
  requirePerson(c: Context): Promise<Person>
  /**
   * Tells whether a person has bought a product, as the shop says.
   *
   * @throws {HttpProblem} `unavailable` where it can't say.
   */
  hasBought(person: Person, productId: string): Promise<boolean>
  /** Tells whether a moderator sent it: a person with that role, or one who gave the admin's token. */
  isModerator(c: Context): Promise<boolean>
}

export interface VisitorsOptions {
  readonly identity: Identity | undefined
  readonly session: ModeratorSession
  readonly logger: Pick<Logger, 'error'>
  /** The address of the pages as seen from outside; that of each request when not given. */
  readonly publicUrl?: string | undefined
}

/** The most characters of an id, as comments hold it. */
const LONGEST_ID = 256
const LONGEST_NAME = 100
const PERSON = 'person'

export function createVisitors({ identity, session, logger, publicUrl }: VisitorsOptions): Visitors {
  const askedFor = async (c: Context): Promise<Person | undefined> => {
    if (identity === undefined) return undefined
    let person: Person | undefined
    try {
      person = checkedPerson(await identity.identify(c.req.raw))
    } catch (error) {
      logger.error({ err: error }, 'identify() failed')
      // A reader is shown the page as a stranger sees it.
      if (isSafe(c)) return undefined
      throw shopUnavailable('the shop can’t say who you are; try again', error)
    }
    if (person !== undefined) requireOwnOrigin(c, publicUrl)
    return person
  }
  const visitors: Visitors = {
    identity,
    async personOf(c) {
      if (c.get(PERSON) === undefined) c.set(PERSON, { asked: askedFor(c) })
      return (c.get(PERSON) as { readonly asked: Promise<Person | undefined> }).asked
    },
    async requirePerson(c) {
      const person = await visitors.personOf(c)
      if (person === undefined) throw new HttpProblem('unauthorized', 'this is for people who are signed in')
      return person
    },
    async hasBought(person, productId) {
      try {
        return identity?.purchased === undefined ? false : trueOrFalse(await identity.purchased(person, productId))
      } catch (error) {
        logger.error({ err: error }, 'purchased() failed')
        throw shopUnavailable('the shop can’t say whether you bought it; try again', error)
      }
    },
    async isModerator(c) {
      if ((await visitors.personOf(c))?.isModerator === true) return true
      if (!(await session.isOpen(c))) return false
      requireOwnOrigin(c, publicUrl)
      return true
    },
  }
  return visitors
}

function isSafe({ req: { method } }: Context): boolean {
  return method === 'GET' || method === 'HEAD'
}

/**
 * Refuses a change that the page of another site makes a browser send with the cookies of this one. Browsers say where a request comes from, and
 * no page can change that. A program that says nothing sends no cookies that it was not told to send.
 *
 * @throws {HttpProblem} `forbidden`.
 */
export function requireOwnOrigin(c: Context, publicUrl: string | undefined): void {
  if (isSafe(c)) return
  const site = c.req.header('sec-fetch-site')
  const origin = c.req.header('origin')
  const isOwn =
    site === undefined
      ? origin === undefined || origin === (publicUrl ?? new URL(c.req.url).origin)
      : site === 'same-origin' || site === 'none'
  if (!isOwn) throw new HttpProblem('forbidden', 'this request comes from the page of another site')
}

/** Brings what the shop says into what a comment can hold. */
function checkedPerson(person: Person | undefined): Person | undefined {
  if (person === undefined) return undefined
  const { id, name } = person
  if (typeof id !== 'string' || id === '' || id.length > LONGEST_ID)
    throw new TypeError(
      `identify() returned an id that is no text of 1 to ${LONGEST_ID} characters; return the shop's own id of the person`,
    )
  const shown = [...String(name).toWellFormed().trim()].slice(0, LONGEST_NAME).join('')
  if (!authorSchema.safeParse(shown).success)
    throw new TypeError('identify() returned no name; return the one under which the person writes')
  return { ...person, name: shown }
}

function trueOrFalse(bought: boolean): boolean {
  if (typeof bought === 'boolean') return bought
  throw new TypeError('purchased() returned neither true nor false; return whether the person has bought the product')
}
