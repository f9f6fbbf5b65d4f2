import type { UnreadableAttribute } from '../model/unreadable-item.ts'
import type { SourceNode } from './plan.ts'

/** What running a plan took; capacity is what DynamoDB reported. */
export interface Actual {
  readonly rcu: number
  readonly requests: number
  readonly rounds: number
  readonly itemsRead: number
  readonly itemsReturned: number
  readonly itemsDiscarded: number
  readonly bytes: number
  readonly ms: number
}

/** What reading one source took. */
export interface SourceActual {
  rcu: number
  requests: number
  itemsRead: number
  itemsReturned: number
  bytes: number
  /** Items that the filter expression let through. */
  passed: number
  /** Of them, those that the caller's function did not let through. */
  withheld: number
}

/** What a run of a plan tells of itself to be explained. */
export interface Run {
  readonly actual: Actual
  /** In the order of the plan's sources. */
  readonly sources: readonly SourceActual[]
  /** In the order of the page, each with the list that it came from. */
  readonly heads: readonly { readonly source: SourceNode }[]
  /** Items that were left out, since they can't be read. */
  readonly unreadable?: readonly UnreadableAttribute[]
  /** Why it came back before the page was full. */
  readonly stoppedBy: 'maxCapacity' | 'maxBytes' | 'aborted' | undefined
}
