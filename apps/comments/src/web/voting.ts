import type { Context } from 'hono'
import { getCookie } from 'hono/cookie'
import type { Comment } from '../comment.ts'
import { commentIdSchema } from '../comment.ts'
import type { Services } from '../services.ts'
import { votesOf } from '../votes/votes.ts'
import { visitorOf } from './people/visitor-shown.ts'
import type { WebSettings } from './settings.ts'

/** How the reader of a page can vote. */
export type Voting =
  /** The shop knows no people: how many found a comment helpful is told. */
  | { readonly kind: 'none' }
  /** The reader has to sign in first, at this address. */
  | { readonly kind: 'signIn'; readonly href: string }
  | {
      readonly kind: 'open'
      /** Tells whether the reader has voted for a comment. */
      readonly has: (comment: Pick<Comment, 'id' | 'createdAt'>) => boolean
      /** The part of the list's address to which a vote without the script leads back. */
      readonly back: string
      /** RCU of the read of the reader's votes. */
      readonly rcu: number
    }

/** The cookie with the id of the comment that the reader has just voted for: lists may not show the vote yet. */
export const VOTED_COOKIE = 'voted'

/** Finds out how the reader of a page can vote, and for what on this product they have. */
export async function votingOf(
  c: Context,
  services: Services,
  { people }: Pick<WebSettings, 'people'>,
  productId: string,
): Promise<Voting> {
  const person = await people?.visitors.personOf(c)
  if (person !== undefined) {
    const { has, rcu } = await votesOf(services, person, productId)
    return { kind: 'open', has, back: new URL(c.req.url).search, rcu }
  }
  const href = visitorOf(c)?.signInAt
  return href === undefined ? { kind: 'none' } : { kind: 'signIn', href }
}

/** Returns the id of the comment that the reader has just voted for. */
export function votedId(c: Context): string | undefined {
  return commentIdSchema.safeParse(getCookie(c, VOTED_COOKIE)).data
}
