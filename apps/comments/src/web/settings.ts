import type { WorkLimit } from 'lapidary-http/internal'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { DemoSignIn } from '../people/demo-sign-in.ts'
import type { ModeratorSession } from '../people/moderator-session.ts'
import type { PeopleRules } from '../people/people-rules.ts'

/** The settings of the web pages. */
export interface WebSettings {
  /** Returns the role of a token; undefined when it is not known. */
  authorize(token: string, address: string): 'writer' | 'admin' | undefined
  /** Runs work on the database when its turn comes; at once when not given. */
  readonly limitWork?: WorkLimit | undefined
  /** The products; the pages show ids, and a page for each, when not given. */
  readonly catalogue?: Catalogue | undefined
  /** What people may do, by the rules of the shop; without it machines alone write, by token. */
  readonly people?: PeopleRules | undefined
  /** The sessions of moderators who give the admin's token. */
  readonly session?: ModeratorSession | undefined
  /** Lets people sign in by a name alone, in a demo. */
  readonly demo?: DemoSignIn | undefined
  /** The address of the pages as seen from outside; that of each request when not given. */
  readonly publicUrl?: string | undefined
  /** Milliseconds since 1970; `Date.now` when not given. */
  readonly clock?: (() => number) | undefined
}
