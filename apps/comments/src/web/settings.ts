/** What the web pages need to know of the server that they run in. */
export interface WebSettings {
  /** What a token may do; undefined when it is not known. */
  authorize(token: string): 'writer' | 'admin' | undefined
  /** Milliseconds since 1970; `Date.now` when not given. */
  readonly clock?: (() => number) | undefined
}
