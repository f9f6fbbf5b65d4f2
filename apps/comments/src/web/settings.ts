import type { WorkLimit } from '../http/work-limit.ts'

/** What the web pages need to know of the server that they run in. */
export interface WebSettings {
  /** What a token may do; undefined when it is not known. */
  authorize(token: string, address: string): 'writer' | 'admin' | undefined
  /** Runs what uses the database when its turn comes; at once when not given. */
  readonly limitWork?: WorkLimit | undefined
  /** Milliseconds since 1970; `Date.now` when not given. */
  readonly clock?: (() => number) | undefined
}
