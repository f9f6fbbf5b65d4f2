import type { WorkLimit } from 'lapidary-http/internal'
import type { Catalogue } from '../catalogue/catalogue.ts'

/** The settings of the web pages. */
export interface WebSettings {
  /** Returns the role of a token; undefined when it is not known. */
  authorize(token: string, address: string): 'writer' | 'admin' | undefined
  /** Runs work on the database when its turn comes; at once when not given. */
  readonly limitWork?: WorkLimit | undefined
  /** The products; the pages show ids, and a page for each, when not given. */
  readonly catalogue?: Catalogue | undefined
  /** Milliseconds since 1970; `Date.now` when not given. */
  readonly clock?: (() => number) | undefined
}
