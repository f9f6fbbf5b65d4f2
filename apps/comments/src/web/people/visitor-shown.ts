import type { Context } from 'hono'
import type { PeopleRules } from '../../people/people-rules.ts'
import { openablePath } from '../sent-address.ts'

/** The visitor of a page, as the page shows them. */
export interface VisitorShown {
  /** The name of a person who is signed in. */
  readonly name: string | undefined
  readonly isModerator: boolean
  /** The address at which they sign in and come back here. */
  readonly signInAt: string | undefined
  /** How they sign in, where that is not at an address. */
  readonly signInNote: string | undefined
  /** Whether they can sign out here. */
  readonly canSignOut: boolean
  /** Whether new comments wait for a moderator. */
  readonly waits: boolean
  /** The id of their own comment on the product, where that is known. */
  readonly ownId?: string | undefined
}

const VISITOR = 'visitor'

/** Notes who visits, for all that is shown of the answer. Nothing is noted where people are not known at all. */
export async function noteVisitor(c: Context, people: PeopleRules, canSignOut: boolean): Promise<void> {
  const { visitors, moderation } = people
  const { identity } = visitors
  const [person, isModerator] = await Promise.all([visitors.personOf(c), visitors.isModerator(c)])
  if (identity === undefined && !isModerator) return
  const visitor: VisitorShown = {
    ...{ name: person?.name, isModerator, canSignOut: canSignOut && person !== undefined },
    ...{ signInAt: identity?.signInAt?.(returnTo(c)), signInNote: identity?.signInNote, waits: moderation === 'wait' },
  }
  c.set(VISITOR, visitor)
}

/** Notes which comment is the visitor's own. */
export function noteOwn(c: Context, ownId: string | undefined): void {
  const visitor = visitorOf(c)
  if (visitor !== undefined) c.set(VISITOR, { ...visitor, ownId })
}

export function visitorOf(c: Context): VisitorShown | undefined {
  return c.get(VISITOR)
}

/** Returns the page to come back to. */
function returnTo(c: Context): string {
  const { pathname, search } = new URL(c.req.url)
  return c.req.method === 'GET' ? pathname + search : openablePath(pathname)
}
