import type { WorkLimit } from 'lapidary-http/internal'
import type { Visitors } from '../people/visitors.ts'
import type { ShowProduct } from './product-shown.tsx'

/** The settings of the web pages. */
export interface WebSettings {
  /** Returns the role of a token; undefined when it is not known. */
  authorize(token: string, address: string): 'writer' | 'admin' | undefined
  /** Runs work on the database when its turn comes; at once when not given. */
  readonly limitWork?: WorkLimit | undefined
  /** Returns the name and the picture of a product; the pages show ids when not given. */
  readonly showProduct?: ShowProduct | undefined
  /** Says who sends requests; without it nobody votes. */
  readonly visitors?: Pick<Visitors, 'identity' | 'personOf' | 'requirePerson'> | undefined
  /** Milliseconds since 1970; `Date.now` when not given. */
  readonly clock?: (() => number) | undefined
}
