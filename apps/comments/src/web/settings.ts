import type { Services } from '../services.ts'

/** What the web pages need to know of the server that they run in. */
export interface WebSettings {
  /** What a token may do; undefined when it is not known. */
  authorize(token: string): 'writer' | 'admin' | undefined
  /** Told of every failure that a visitor sees as "something went wrong". */
  report?(error: unknown): void
}

/** A product's place on a leaderboard; equal counts share a rank. */
export interface RankedProduct {
  readonly productId: string
  readonly count: number
  readonly rank: number
}

export interface WebServices extends Services {
  /** The products that the front page offers; without it, the front page has only the search. */
  popularProducts?(): Promise<readonly RankedProduct[]>
}
