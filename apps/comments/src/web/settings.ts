import type { WorkLimit } from '../http/work-limit.ts'
import type { ShowProduct } from './product-shown.tsx'

/** What the web pages need to know of the server that they run in. */
export interface WebSettings {
  /** What a token may do; undefined when it is not known. */
  authorize(token: string, address: string): 'writer' | 'admin' | undefined
  /** Runs what uses the database when its turn comes; at once when not given. */
  readonly limitWork?: WorkLimit | undefined
  /** What products are called and look like; ids alone when not given. */
  readonly showProduct?: ShowProduct | undefined
  /** Milliseconds since 1970; `Date.now` when not given. */
  readonly clock?: (() => number) | undefined
}
