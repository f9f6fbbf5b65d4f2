import type { KeyCondition } from '../layouts/layout.ts'
import type { UnreadableAttribute } from '../model/unreadable-item.ts'
import type { SourceNode } from './plan.ts'

/** The cost of running a plan; capacity is what DynamoDB reported. */
export interface Actual {
  readonly rcu: number
  readonly requests: number
  /** Requests that waited for each other. */
  readonly rounds: number
  readonly itemsRead: number
  readonly itemsReturned: number
  /** Items that were read and are not on the page: `itemsFilteredOut` and `itemsReadAhead` together. */
  readonly itemsDiscarded: number
  /** Items that no page of the query shows, and those that another list gave too. */
  readonly itemsFilteredOut: number
  /** Items of pages to come. */
  readonly itemsReadAhead: number
  readonly bytes: number
  readonly ms: number
}

/** A Query as it was sent. */
export interface SentQuery {
  readonly index: string | undefined
  readonly condition: KeyCondition
  readonly limit: number
}

/** The Query that a source begins with. */
export interface SourceRequest {
  /** Null for the table itself. */
  readonly index: string | null
  /** `PK = "COMMENT#42" AND SK < "2026-01-01"`: with names and values written out. */
  readonly keyCondition: string
  readonly limit: number
  /** Lists are indexes as a rule, which DynamoDB reads eventually. */
  readonly consistency: 'eventual'
}

/** Describes a Query as people write it. */
export function sourceRequest({ index, condition, limit }: SentQuery): SourceRequest {
  const { expression, names, values } = condition
  const keyCondition = expression.replace(/[#:]\w+/g, (word) => {
    if (word.startsWith('#')) return names[word] ?? word
    const [value] = Object.values(values[word] ?? {})
    return typeof value === 'string' ? (values[word]?.N ?? JSON.stringify(value)) : word
  })
  return { index: index ?? null, keyCondition, limit, consistency: 'eventual' }
}

/** The cost of reading one source. */
export interface SourceActual {
  rcu: number
  requests: number
  itemsRead: number
  itemsReturned: number
  bytes: number
  /** Items that the filter expression let through. */
  passed: number
  /** Items among them that the caller's function did not let through. */
  withheld: number
}

/** One source after a run: its cost, what is left of it, and how it was asked. */
export interface SourceRun extends Readonly<SourceActual> {
  /** Items that were read and wait for the pages to come. */
  readonly ahead: number
  /** The first Query; undefined where none was sent. */
  readonly sent: SentQuery | undefined
}

/** A run of a plan, as far as it is explained. */
export interface Run {
  readonly actual: Actual
  /** In the order of the plan's sources. */
  readonly sources: readonly SourceRun[]
  /** In the order of the page, each with the list that it came from. */
  readonly heads: readonly { readonly source: SourceNode | undefined }[]
  /** Items that were left out, since they can't be read. */
  readonly unreadable?: readonly UnreadableAttribute[]
  /** Why it came back before the page was full. */
  readonly stoppedBy: 'maxCapacity' | 'maxBytes' | 'aborted' | undefined
}
